// CudaDriver: the functions of CUDA's driver that we call, found at run time, so that one build
// runs with and without a GPU. Nothing is linked.
//
// The caller says where symbols are looked up: in a library opened by name, or in a preload among
// the functions behind our own. Each entry has the version of its symbol in its type.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "streams/cuda_interface/functions.h"

namespace vramlab::streams {

// Entry(member, type, symbol): functions that a driver must have.
// clang-format off
#define VRAMLAB_REQUIRED_DRIVER_FUNCTIONS(Entry)                                              \
  Entry(init, PFN_cuInit_v2000, cuInit)                                                       \
  Entry(driver_version, PFN_cuDriverGetVersion_v2020, cuDriverGetVersion)                     \
  Entry(error_name, PFN_cuGetErrorName_v6000, cuGetErrorName)                                 \
  Entry(error_string, PFN_cuGetErrorString_v6000, cuGetErrorString)                           \
  Entry(device_count, PFN_cuDeviceGetCount_v2000, cuDeviceGetCount)                           \
  Entry(device_get, PFN_cuDeviceGet_v2000, cuDeviceGet)                                       \
  Entry(device_name, PFN_cuDeviceGetName_v2000, cuDeviceGetName)                              \
  Entry(device_total_memory, PFN_cuDeviceTotalMem_v3020, cuDeviceTotalMem_v2)                 \
  Entry(device_attribute, PFN_cuDeviceGetAttribute_v2000, cuDeviceGetAttribute)               \
  Entry(primary_retain, PFN_cuDevicePrimaryCtxRetain_v7000, cuDevicePrimaryCtxRetain)         \
  Entry(primary_release, PFN_cuDevicePrimaryCtxRelease_v11000, cuDevicePrimaryCtxRelease_v2)  \
  Entry(context_current, PFN_cuCtxGetCurrent_v4000, cuCtxGetCurrent)                          \
  Entry(context_set_current, PFN_cuCtxSetCurrent_v4000, cuCtxSetCurrent)                      \
  Entry(context_push, PFN_cuCtxPushCurrent_v4000, cuCtxPushCurrent_v2)                        \
  Entry(context_pop, PFN_cuCtxPopCurrent_v4000, cuCtxPopCurrent_v2)                           \
  Entry(context_device, PFN_cuCtxGetDevice_v2000, cuCtxGetDevice)                             \
  Entry(context_synchronize, PFN_cuCtxSynchronize_v2000, cuCtxSynchronize)                    \
  Entry(mem_alloc, PFN_cuMemAlloc_v3020, cuMemAlloc_v2)                                       \
  Entry(mem_free, PFN_cuMemFree_v3020, cuMemFree_v2)                                          \
  Entry(mem_get_info, PFN_cuMemGetInfo_v3020, cuMemGetInfo_v2)                                \
  Entry(stream_create, PFN_cuStreamCreate_v2000, cuStreamCreate)                              \
  Entry(stream_destroy, PFN_cuStreamDestroy_v4000, cuStreamDestroy_v2)                        \
  Entry(stream_synchronize, PFN_cuStreamSynchronize_v2000, cuStreamSynchronize)               \
  Entry(stream_query, PFN_cuStreamQuery_v2000, cuStreamQuery)                                 \
  Entry(stream_wait_event, PFN_cuStreamWaitEvent_v3020, cuStreamWaitEvent)                    \
  Entry(stream_is_capturing, PFN_cuStreamIsCapturing_v10000, cuStreamIsCapturing)             \
  Entry(stream_capture_info, PFN_cuStreamGetCaptureInfo_v11030, cuStreamGetCaptureInfo_v2)    \
  Entry(graph_node_dependencies, PFN_cuGraphNodeGetDependencies_v10000,                       \
        cuGraphNodeGetDependencies)                                                           \
  Entry(exchange_capture_mode, PFN_cuThreadExchangeStreamCaptureMode_v10010,                  \
        cuThreadExchangeStreamCaptureMode)                                                    \
  Entry(event_create, PFN_cuEventCreate_v2000, cuEventCreate)                                 \
  Entry(event_record, PFN_cuEventRecord_v2000, cuEventRecord)                                 \
  Entry(event_query, PFN_cuEventQuery_v2000, cuEventQuery)                                    \
  Entry(event_synchronize, PFN_cuEventSynchronize_v2000, cuEventSynchronize)                  \
  Entry(event_destroy, PFN_cuEventDestroy_v4000, cuEventDestroy_v2)

// Memory that is mapped at reserved addresses. The drivers that have the functions above have these
// as well, but nobody need rely on them.
#define VRAMLAB_MAPPING_DRIVER_FUNCTIONS(Entry)                                               \
  Entry(address_reserve, PFN_cuMemAddressReserve_v10020, cuMemAddressReserve)                 \
  Entry(address_free, PFN_cuMemAddressFree_v10020, cuMemAddressFree)                          \
  Entry(mem_create, PFN_cuMemCreate_v10020, cuMemCreate)                                      \
  Entry(mem_release, PFN_cuMemRelease_v10020, cuMemRelease)                                   \
  Entry(mem_map, PFN_cuMemMap_v10020, cuMemMap)                                               \
  Entry(mem_unmap, PFN_cuMemUnmap_v10020, cuMemUnmap)                                         \
  Entry(mem_set_access, PFN_cuMemSetAccess_v10020, cuMemSetAccess)                            \
  Entry(mem_granularity, PFN_cuMemGetAllocationGranularity_v10020,                            \
        cuMemGetAllocationGranularity)

// Functions of newer drivers only, and functions that only some parts call; null where a driver has
// none.
#define VRAMLAB_OPTIONAL_DRIVER_FUNCTIONS(Entry)                                              \
  Entry(stream_begin_capture, PFN_cuStreamBeginCapture_v10010, cuStreamBeginCapture_v2)       \
  Entry(stream_end_capture, PFN_cuStreamEndCapture_v10000, cuStreamEndCapture)                \
  Entry(graph_destroy, PFN_cuGraphDestroy_v10000, cuGraphDestroy)                             \
  Entry(memset_async, PFN_cuMemsetD32Async_v3020, cuMemsetD32Async)                           \
  Entry(context_record_event, PFN_cuCtxRecordEvent_v12050, cuCtxRecordEvent)                  \
  Entry(context_id, PFN_cuCtxGetId_v12000, cuCtxGetId)                                        \
  Entry(mem_free_async, PFN_cuMemFreeAsync_v11020, cuMemFreeAsync)                            \
  Entry(mem_set_bytes, PFN_cuMemsetD8_v3020, cuMemsetD8_v2)                                   \
  Entry(ipc_mem_handle, PFN_cuIpcGetMemHandle_v4010, cuIpcGetMemHandle)                       \
  Entry(mem_range_handle, PFN_cuMemGetHandleForAddressRange_v11070,                           \
        cuMemGetHandleForAddressRange)                                                        \
  Entry(pointer_set_attribute, PFN_cuPointerSetAttribute_v6000, cuPointerSetAttribute)        \
  Entry(stream_context, PFN_cuStreamGetCtx_v9020, cuStreamGetCtx)
// clang-format on

struct CudaDriver {
#define VRAMLAB_MEMBER(member, type, symbol) type member = nullptr;
  VRAMLAB_REQUIRED_DRIVER_FUNCTIONS(VRAMLAB_MEMBER)
  VRAMLAB_MAPPING_DRIVER_FUNCTIONS(VRAMLAB_MEMBER)
  VRAMLAB_OPTIONAL_DRIVER_FUNCTIONS(VRAMLAB_MEMBER)
#undef VRAMLAB_MEMBER
};

/// Why there is no driver to call, in one sentence.
struct NoCudaDriver {
  std::string reason;
};

/// The address of a symbol, or null.
using FindSymbol = std::function<void*(const char* symbol)>;

enum class DriverNeeds : bool { all_but_mapping, mapping };

std::variant<CudaDriver, NoCudaDriver> find_cuda_driver(const FindSymbol& find,
                                                        DriverNeeds needs = DriverNeeds::mapping);
/// Whether the driver has all that mapping takes.
bool has_mapping(const CudaDriver& driver);
/// Opens the driver's library, which stays open.
std::variant<CudaDriver, NoCudaDriver> open_cuda_driver(const char* library = "libcuda.so.1");

/// Such as `CUDA_ERROR_OUT_OF_MEMORY`; the number of a code that the driver does not know.
std::string driver_error_name(const CudaDriver& driver, CUresult result);

/// Physical memory of a device, as cuMemCreate makes it.
CUmemAllocationProp memory_on(CUdevice device);
/// The access of a device to mapped memory.
CUmemAccessDesc access_for(CUdevice device,
                           CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE);

}  // namespace vramlab::streams
