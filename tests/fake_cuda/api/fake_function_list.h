// The functions of the fake driver: One(name, symbol, version), and Two(name, symbol, version, suffix,
// version of the other) where there is a variant for the thread's own default stream. Versions are
// those of cudaTypedefs.h, whose types the functions have to have.
#pragma once

// clang-format off
#define FAKE_CUDA_FUNCTIONS_12_0(One, Two)                                      \
  One(cuInit, cuInit, 2000)                                                     \
  One(cuDriverGetVersion, cuDriverGetVersion, 2020)                             \
  One(cuGetExportTable, cuGetExportTable, 3000)                                 \
  One(cuGetErrorName, cuGetErrorName, 6000)                                     \
  One(cuGetErrorString, cuGetErrorString, 6000)                                 \
  One(cuGetProcAddress, cuGetProcAddress, 11030)                                \
  One(cuGetProcAddress, cuGetProcAddress_v2, 12000)                             \
  One(cuDeviceGetCount, cuDeviceGetCount, 2000)                                 \
  One(cuDeviceGet, cuDeviceGet, 2000)                                           \
  One(cuDeviceGetName, cuDeviceGetName, 2000)                                   \
  One(cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040)                               \
  One(cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020)                              \
  One(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000)                         \
  One(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000)                       \
  One(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000)                 \
  One(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, 7000)               \
  One(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 11000)           \
  One(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset, 7000)                   \
  One(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 11000)               \
  One(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, 11000)         \
  One(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000)             \
  One(cuCtxCreate, cuCtxCreate_v2, 3020)                                        \
  One(cuCtxCreate, cuCtxCreate_v3, 11040)                                       \
  One(cuCtxDestroy, cuCtxDestroy_v2, 4000)                                      \
  One(cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000)                              \
  One(cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000)                                \
  One(cuCtxSetCurrent, cuCtxSetCurrent, 4000)                                   \
  One(cuCtxGetCurrent, cuCtxGetCurrent, 4000)                                   \
  One(cuCtxGetDevice, cuCtxGetDevice, 2000)                                     \
  One(cuCtxGetFlags, cuCtxGetFlags, 7000)                                       \
  One(cuCtxGetId, cuCtxGetId, 12000)                                            \
  One(cuCtxGetApiVersion, cuCtxGetApiVersion, 3020)                             \
  One(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050)           \
  One(cuCtxSynchronize, cuCtxSynchronize, 2000)                                 \
  One(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, 4000)                       \
  One(cuCtxDisablePeerAccess, cuCtxDisablePeerAccess, 4000)                     \
  One(cuMemAlloc, cuMemAlloc_v2, 3020)                                          \
  One(cuMemAllocPitch, cuMemAllocPitch_v2, 3020)                                \
  One(cuMemAllocManaged, cuMemAllocManaged, 6000)                               \
  One(cuMemFree, cuMemFree_v2, 3020)                                            \
  One(cuMemHostAlloc, cuMemHostAlloc, 2020)                                     \
  One(cuMemAllocHost, cuMemAllocHost_v2, 3020)                                  \
  One(cuMemFreeHost, cuMemFreeHost, 2000)                                       \
  One(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 3020)            \
  One(cuMemHostGetFlags, cuMemHostGetFlags, 2030)                               \
  One(cuMemGetInfo, cuMemGetInfo_v2, 3020)                                      \
  One(cuMemGetAddressRange, cuMemGetAddressRange_v2, 3020)                      \
  One(cuMemGetHandleForAddressRange, cuMemGetHandleForAddressRange, 11070)      \
  One(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity, 10020)      \
  One(cuMemAddressReserve, cuMemAddressReserve, 10020)                          \
  One(cuMemAddressFree, cuMemAddressFree, 10020)                                \
  One(cuMemCreate, cuMemCreate, 10020)                                          \
  One(cuMemRelease, cuMemRelease, 10020)                                        \
  One(cuMemRetainAllocationHandle, cuMemRetainAllocationHandle, 11000)          \
  One(cuMemMap, cuMemMap, 10020)                                                \
  One(cuMemUnmap, cuMemUnmap, 10020)                                            \
  One(cuMemSetAccess, cuMemSetAccess, 10020)                                    \
  Two(cuMemAllocAsync, cuMemAllocAsync, 11020, _ptsz, 11020)                    \
  Two(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, 11020, _ptsz, 11020)    \
  Two(cuMemFreeAsync, cuMemFreeAsync, 11020, _ptsz, 11020)                      \
  One(cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, 11020)              \
  One(cuDeviceGetMemPool, cuDeviceGetMemPool, 11020)                            \
  One(cuMemPoolCreate, cuMemPoolCreate, 11020)                                  \
  One(cuMemPoolDestroy, cuMemPoolDestroy, 11020)                                \
  One(cuMemPoolTrimTo, cuMemPoolTrimTo, 11020)                                  \
  One(cuStreamCreate, cuStreamCreate, 2000)                                     \
  One(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050)             \
  One(cuStreamDestroy, cuStreamDestroy_v2, 4000)                                \
  Two(cuStreamQuery, cuStreamQuery, 2000, _ptsz, 7000)                          \
  Two(cuStreamSynchronize, cuStreamSynchronize, 2000, _ptsz, 7000)              \
  Two(cuStreamWaitEvent, cuStreamWaitEvent, 3020, _ptsz, 7000)                  \
  Two(cuStreamGetFlags, cuStreamGetFlags, 5050, _ptsz, 7000)                    \
  Two(cuStreamGetPriority, cuStreamGetPriority, 5050, _ptsz, 7000)              \
  Two(cuStreamGetId, cuStreamGetId, 12000, _ptsz, 12000)                        \
  Two(cuStreamGetCtx, cuStreamGetCtx, 9020, _ptsz, 9020)                        \
  Two(cuLaunchHostFunc, cuLaunchHostFunc, 10000, _ptsz, 10000)                  \
  Two(cuStreamAddCallback, cuStreamAddCallback, 5000, _ptsz, 7000)              \
  Two(cuStreamBeginCapture, cuStreamBeginCapture, 10000, _ptsz, 10000)          \
  Two(cuStreamBeginCapture, cuStreamBeginCapture_v2, 10010, _ptsz, 10010)       \
  Two(cuStreamEndCapture, cuStreamEndCapture, 10000, _ptsz, 10000)              \
  Two(cuStreamIsCapturing, cuStreamIsCapturing, 10000, _ptsz, 10000)            \
  Two(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo, 10010, _ptsz, 10010)      \
  Two(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2, 11030, _ptsz, 11030)   \
  One(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, 10010) \
  One(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies, 10000)            \
  One(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040)          \
  One(cuGraphDestroy, cuGraphDestroy, 10000)                                    \
  One(cuGraphExecDestroy, cuGraphExecDestroy, 10000)                            \
  Two(cuGraphLaunch, cuGraphLaunch, 10000, _ptsz, 10000)                        \
  One(cuEventCreate, cuEventCreate, 2000)                                       \
  One(cuEventDestroy, cuEventDestroy_v2, 4000)                                  \
  Two(cuEventRecord, cuEventRecord, 2000, _ptsz, 7000)                          \
  Two(cuEventRecordWithFlags, cuEventRecordWithFlags, 11010, _ptsz, 11010)      \
  One(cuEventQuery, cuEventQuery, 2000)                                         \
  One(cuEventSynchronize, cuEventSynchronize, 2000)                             \
  One(cuEventElapsedTime, cuEventElapsedTime, 2000)                             \
  Two(cuMemcpy, cuMemcpy, 4000, _ptds, 7000)                                    \
  Two(cuMemcpyHtoD, cuMemcpyHtoD_v2, 3020, _ptds, 7000)                         \
  Two(cuMemcpyDtoH, cuMemcpyDtoH_v2, 3020, _ptds, 7000)                         \
  Two(cuMemcpyDtoD, cuMemcpyDtoD_v2, 3020, _ptds, 7000)                         \
  Two(cuMemcpyAsync, cuMemcpyAsync, 4000, _ptsz, 7000)                          \
  Two(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020, _ptsz, 7000)               \
  Two(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020, _ptsz, 7000)               \
  Two(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020, _ptsz, 7000)               \
  Two(cuMemcpyPeerAsync, cuMemcpyPeerAsync, 4000, _ptsz, 7000)                  \
  Two(cuMemsetD8, cuMemsetD8_v2, 3020, _ptds, 7000)                             \
  Two(cuMemsetD32, cuMemsetD32_v2, 3020, _ptds, 7000)                           \
  Two(cuMemsetD8Async, cuMemsetD8Async, 3020, _ptsz, 7000)                      \
  Two(cuMemsetD32Async, cuMemsetD32Async, 3020, _ptsz, 7000)                    \
  One(cuModuleLoadData, cuModuleLoadData, 2000)                                 \
  One(cuModuleLoadFatBinary, cuModuleLoadFatBinary, 2000)                       \
  One(cuModuleUnload, cuModuleUnload, 2000)                                     \
  One(cuModuleGetFunction, cuModuleGetFunction, 2000)                           \
  Two(cuLaunchKernel, cuLaunchKernel, 4000, _ptsz, 7000)                        \
  Two(cuLaunchKernelEx, cuLaunchKernelEx, 11060, _ptsz, 11060)                  \
  One(cuPointerGetAttribute, cuPointerGetAttribute, 4000)                       \
  One(cuPointerGetAttributes, cuPointerGetAttributes, 7000)                     \
  One(cuPointerSetAttribute, cuPointerSetAttribute, 6000)                       \
  One(cuIpcGetMemHandle, cuIpcGetMemHandle, 4010)                               \
  One(cuIpcOpenMemHandle, cuIpcOpenMemHandle, 4010)                             \
  One(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2, 11000)                         \
  One(cuIpcCloseMemHandle, cuIpcCloseMemHandle, 4010)
// clang-format on

#if CUDA_VERSION >= 12030
#define FAKE_CUDA_FUNCTIONS_12_3(One, Two)                                              \
  Two(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph, 12030, _ptsz, 12030)    \
  Two(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3, 12030, _ptsz, 12030)
#else
#define FAKE_CUDA_FUNCTIONS_12_3(One, Two)
#endif
#if CUDA_VERSION >= 12050
#define FAKE_CUDA_FUNCTIONS_12_5(One, Two) \
  One(cuCtxCreate, cuCtxCreate_v4, 12050) One(cuCtxRecordEvent, cuCtxRecordEvent, 12050)
#else
#define FAKE_CUDA_FUNCTIONS_12_5(One, Two)
#endif
#if CUDA_VERSION >= 12080
#define FAKE_CUDA_FUNCTIONS_12_8(One, Two) \
  One(cuEventElapsedTime, cuEventElapsedTime_v2, 12080)
#else
#define FAKE_CUDA_FUNCTIONS_12_8(One, Two)
#endif
#if CUDA_VERSION >= 13000
#define FAKE_CUDA_FUNCTIONS_13_0(One, Two) \
  One(cuCtxSynchronize, cuCtxSynchronize_v2, 13000)
#else
#define FAKE_CUDA_FUNCTIONS_13_0(One, Two)
#endif

#define FAKE_CUDA_FUNCTIONS(One, Two) \
  FAKE_CUDA_FUNCTIONS_12_0(One, Two)  \
  FAKE_CUDA_FUNCTIONS_12_3(One, Two)  \
  FAKE_CUDA_FUNCTIONS_12_5(One, Two)  \
  FAKE_CUDA_FUNCTIONS_12_8(One, Two)  \
  FAKE_CUDA_FUNCTIONS_13_0(One, Two)
