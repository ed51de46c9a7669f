// RuntimeDriver: how CUDA's runtime gets at the driver, which both stand-ins for it do in the same
// way: dlopen, one dlsym of cuGetProcAddress_v2, four queries through that, and all others through
// the function that it gave for itself.
#pragma once

#include "streams/cuda_interface/functions.h"

namespace vramlab::fake {

// Entry(member, type, name, version, flags)
#define FAKE_RUNTIME_FUNCTIONS(Entry)                                                                \
  Entry(init, PFN_cuInit_v2000, cuInit, 2000, 0) Entry(                                              \
      driver_version, PFN_cuDriverGetVersion_v2020, cuDriverGetVersion, 2020,                        \
      0) Entry(device_count, PFN_cuDeviceGetCount_v2000, cuDeviceGetCount, 2000, 0)                  \
      Entry(retain, PFN_cuDevicePrimaryCtxRetain_v7000, cuDevicePrimaryCtxRetain, 7000, 0) Entry(    \
          reset, PFN_cuDevicePrimaryCtxReset_v11000, cuDevicePrimaryCtxReset, 7000,                  \
          0) Entry(set_current, PFN_cuCtxSetCurrent_v4000, cuCtxSetCurrent, 4000,                    \
                   0) Entry(get_current, PFN_cuCtxGetCurrent_v4000, cuCtxGetCurrent, 4000, 0)        \
          Entry(synchronize, PFN_cuCtxSynchronize_v2000, cuCtxSynchronize, 2000, 0) Entry(           \
              mem_alloc, PFN_cuMemAlloc_v3020, cuMemAlloc, 3020,                                     \
              0) Entry(mem_free, PFN_cuMemFree_v3020, cuMemFree, 3020,                               \
                       0) Entry(mem_get_info, PFN_cuMemGetInfo_v3020, cuMemGetInfo, 3020, 0)         \
              Entry(alloc_managed, PFN_cuMemAllocManaged_v6000, cuMemAllocManaged, 6000, 0) Entry(   \
                  host_alloc, PFN_cuMemHostAlloc_v2020, cuMemHostAlloc, 2020,                        \
                  0) Entry(host_free, PFN_cuMemFreeHost_v2000, cuMemFreeHost, 2000, 0)               \
                  Entry(alloc_async, PFN_cuMemAllocAsync_v11020, cuMemAllocAsync, 11020, 0) Entry(   \
                      alloc_async_own,                                                               \
                      PFN_cuMemAllocAsync_v11020_ptsz, cuMemAllocAsync, 11020,                       \
                      2) Entry(free_async, PFN_cuMemFreeAsync_v11020, cuMemFreeAsync, 11020, 0)      \
                      Entry(free_async_own, PFN_cuMemFreeAsync_v11020_ptsz, cuMemFreeAsync, 11020,   \
                            2) Entry(copy, PFN_cuMemcpy_v4000, cuMemcpy, 4000, 0)                    \
                          Entry(copy_own, PFN_cuMemcpy_v7000_ptds, cuMemcpy, 7000, 2) Entry(         \
                              copy_async, PFN_cuMemcpyAsync_v4000, cuMemcpyAsync, 4000,              \
                              0) Entry(set, PFN_cuMemsetD8_v3020, cuMemsetD8, 3020, 0)               \
                              Entry(set_async, PFN_cuMemsetD8Async_v3020, cuMemsetD8Async, 3020,     \
                                    0) Entry(stream_create, PFN_cuStreamCreate_v2000,                \
                                             cuStreamCreate, 2000,                                   \
                                             0) Entry(stream_destroy, PFN_cuStreamDestroy_v4000,     \
                                                      cuStreamDestroy, 4000, 0)                      \
                                  Entry(stream_query, PFN_cuStreamQuery_v2000, cuStreamQuery,        \
                                        2000, 0) Entry(stream_synchronize,                           \
                                                       PFN_cuStreamSynchronize_v2000,                \
                                                       cuStreamSynchronize, 2000, 0)                 \
                                      Entry(stream_synchronize_own,                                  \
                                            PFN_cuStreamSynchronize_v7000_ptsz,                      \
                                            cuStreamSynchronize, 7000,                               \
                                            2) Entry(stream_wait, PFN_cuStreamWaitEvent_v3020,       \
                                                     cuStreamWaitEvent, 3020,                        \
                                                     0) Entry(begin_capture,                         \
                                                              PFN_cuStreamBeginCapture_v10010,       \
                                                              cuStreamBeginCapture, 10010, 0)        \
                                          Entry(end_capture, PFN_cuStreamEndCapture_v10000,          \
                                                cuStreamEndCapture, 10000,                           \
                                                0) Entry(instantiate,                                \
                                                         PFN_cuGraphInstantiateWithFlags_v11040,     \
                                                         cuGraphInstantiateWithFlags, 11040,         \
                                                         0) Entry(graph_launch,                      \
                                                                  PFN_cuGraphLaunch_v10000,          \
                                                                  cuGraphLaunch, 10000, 0)           \
                                              Entry(event_create, PFN_cuEventCreate_v2000,           \
                                                    cuEventCreate, 2000,                             \
                                                    0) Entry(event_destroy,                          \
                                                             PFN_cuEventDestroy_v4000,               \
                                                             cuEventDestroy, 4000, 0)                \
                                                  Entry(event_record, PFN_cuEventRecord_v2000,       \
                                                        cuEventRecord, 2000,                         \
                                                        0) Entry(event_record_own,                   \
                                                                 PFN_cuEventRecord_v7000_ptsz,       \
                                                                 cuEventRecord, 7000,                \
                                                                 2) Entry(event_query,               \
                                                                          PFN_cuEventQuery_v2000,    \
                                                                          cuEventQuery, 2000, 0)     \
                                                      Entry(event_synchronize,                       \
                                                            PFN_cuEventSynchronize_v2000,            \
                                                            cuEventSynchronize, 2000,                \
                                                            0) Entry(module_load,                    \
                                                                     PFN_cuModuleLoadData_v2000,     \
                                                                     cuModuleLoadData, 2000, 0)      \
                                                          Entry(module_function,                     \
                                                                PFN_cuModuleGetFunction_v2000,       \
                                                                cuModuleGetFunction, 2000,           \
                                                                0) Entry(launch,                     \
                                                                         PFN_cuLaunchKernel_v4000,   \
                                                                         cuLaunchKernel, 4000, 0)    \
                                                              Entry(                                 \
                                                                  launch_own,                        \
                                                                  PFN_cuLaunchKernel_v7000_ptsz,     \
                                                                  cuLaunchKernel, 7000,              \
                                                                  2) Entry(error_name,               \
                                                                           PFN_cuGetErrorName_v6000, \
                                                                           cuGetErrorName, 6000,     \
                                                                           0)                        \
                                                                  Entry(                             \
                                                                      error_string,                  \
                                                                      PFN_cuGetErrorString_v6000,    \
                                                                      cuGetErrorString, 6000, 0)

struct RuntimeDriver {
#define FAKE_RUNTIME_MEMBER(member, type, name, version, flags) type member = nullptr;
  FAKE_RUNTIME_FUNCTIONS(FAKE_RUNTIME_MEMBER)
#undef FAKE_RUNTIME_MEMBER
  /// As the driver gave it; null where there is no driver.
  PFN_cuGetProcAddress_v12000 get_proc_address = nullptr;
};

/// Looked up at the first call.
const RuntimeDriver& runtime_driver();

}  // namespace vramlab::fake
