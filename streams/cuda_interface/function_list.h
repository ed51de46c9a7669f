// clang-format off
// The list of all functions of CUDA's driver, as of CUDA 13.5. Each is named here once; types and
// prototypes, the calls of streams/live, the preload's hooks, the stand-in driver and what the
// stand-in runtime asks it for are made of these rows.
//
// A row is one function, or two where a second one, whose symbol ends in a suffix, takes stream 0
// for the thread's own. All of them return a CUresult. The columns:
//   name            what cuGetProcAddress is asked for
//   symbol          in the driver's library: the name, with _v2, _v3 and so on where it changed
//   since           the version of CUDA since which the name means this function
//   suffix, since   those of the second function (Two and BareTwo alone)
//   stand-in        `written` in tools/cuda_standins/driver; `unknown`: answers "not supported"
//   runtime         whether CUDA's runtime asks for it when it starts: `asked` or `no`; of two
//                   functions `asked` is the first, `own` the second, `both` are both
//   hook            why the preload puts its own function in its place (HookUse), or `no`
//   call            the member of streams::CudaDriver that calls it, `required(member)` and the
//                   like, or `no`
//   parameters
// BareOne and BareTwo are functions that we neither call nor replace: they have no hook, no call
// and no parameters, and their name is the symbol without its version.
#pragma once

// The driver itself, its errors, what it logs, and snapshots of processes.
#define VRAMLAB_CUDA_DRIVER_FUNCTIONS(One, Two, BareOne, BareTwo)                                  \
  One(cuInit, cuInit, 2000, written, no, no, required(init), (unsigned flags))                     \
  BareOne(cuCheckpointOperationComplete, 13040, unknown, no)                                       \
  BareOne(cuCheckpointProcessCheckpoint, 12080, unknown, asked)                                    \
  BareOne(cuCheckpointProcessGetRestoreThreadId, 12080, unknown, asked)                            \
  BareOne(cuCheckpointProcessGetState, 12080, unknown, asked)                                      \
  BareOne(cuCheckpointProcessLock, 12080, unknown, asked)                                          \
  BareOne(cuCheckpointProcessRestore, 12080, unknown, asked)                                       \
  BareOne(cuCheckpointProcessUnlock, 12080, unknown, asked)                                        \
  BareOne(cuCoredumpDeregisterCompleteCallback, 13020, unknown, no)                                \
  BareOne(cuCoredumpDeregisterStartCallback, 13020, unknown, no)                                   \
  BareOne(cuCoredumpGetAttribute, 12010, unknown, asked)                                           \
  BareOne(cuCoredumpGetAttributeGlobal, 12010, unknown, asked)                                     \
  BareOne(cuCoredumpRegisterCompleteCallback, 13020, unknown, no)                                  \
  BareOne(cuCoredumpRegisterStartCallback, 13020, unknown, no)                                     \
  BareOne(cuCoredumpSetAttribute, 12010, unknown, asked)                                           \
  BareOne(cuCoredumpSetAttributeGlobal, 12010, unknown, asked)                                     \
  One(cuDriverGetVersion, cuDriverGetVersion, 2020, written, asked, no, required(driver_version),  \
      (int* version))                                                                              \
  BareOne(cuFlushGPUDirectRDMAWrites, 11030, written, asked)                                       \
  One(cuGetErrorName, cuGetErrorName, 6000, written, asked, no, required(error_name),              \
      (CUresult result, const char** text))                                                        \
  One(cuGetErrorString, cuGetErrorString, 6000, written, asked, no, required(error_string),        \
      (CUresult result, const char** text))                                                        \
  One(cuGetExportTable, cuGetExportTable, 3000, written, asked, no, no,                            \
      (const void** table, const CUuuid* id))                                                      \
  One(cuGetProcAddress, cuGetProcAddress, 11030, written, no, resolver, no,                        \
      (const char* symbol, void** function, int version, cuuint64_t flags))                        \
  One(cuGetProcAddress, cuGetProcAddress_v2, 12000, written, no, resolver, no,                     \
      (const char* symbol, void** function, int version, cuuint64_t flags,                         \
       CUdriverProcAddressQueryResult* status))                                                    \
  BareOne(cuLogsCurrent, 12090, written, asked)                                                    \
  BareOne(cuLogsDumpToFile, 12090, written, asked)                                                 \
  BareOne(cuLogsDumpToMemory, 12090, written, asked)                                               \
  BareOne(cuLogsRegisterCallback, 12090, written, asked)                                           \
  BareOne(cuLogsUnregisterCallback, 12090, written, asked)                                         \
  BareOne(cuProfilerInitialize, 4000, unknown, no)                                                 \
  BareOne(cuProfilerStart, 4000, written, no)                                                      \
  BareOne(cuProfilerStop, 4000, written, no)

// Devices, and what of a device a green context gets.
#define VRAMLAB_CUDA_DEVICE_FUNCTIONS(One, Two, BareOne, BareTwo)                                  \
  BareOne(cuDevResourceGenerateDesc, 12040, unknown, asked)                                        \
  BareOne(cuDevSmResourceSplit, 13010, unknown, no)                                                \
  BareOne(cuDevSmResourceSplitByCount, 12040, unknown, asked)                                      \
  One(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000, written, asked, no, no,                  \
      (int* can, CUdevice device, CUdevice peer))                                                  \
  BareOne(cuDeviceComputeCapability, 2000, written, asked)                                         \
  One(cuDeviceGet, cuDeviceGet, 2000, written, asked, no, required(device_get),                    \
      (CUdevice* device, int ordinal))                                                             \
  One(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000,                                            \
      written, asked, no, required(device_attribute),                                              \
      (int* value, CUdevice_attribute attribute, CUdevice device))                                 \
  BareOne(cuDeviceGetByPCIBusId, 4010, written, asked)                                             \
  BareOne(cuDeviceGetCliqueCount, 13040, unknown, no)                                              \
  BareOne(cuDeviceGetCliqueInfo, 13040, unknown, no)                                               \
  One(cuDeviceGetCount, cuDeviceGetCount, 2000, written, asked, no, required(device_count),        \
      (int* count))                                                                                \
  BareOne(cuDeviceGetDevResource, 12040, unknown, asked)                                           \
  BareOne(cuDeviceGetExecAffinitySupport, 11040, written, asked)                                   \
  BareOne(cuDeviceGetFabricClusterUuid, 13040, unknown, no)                                        \
  BareOne(cuDeviceGetHostAtomicCapabilities, 13000, unknown, asked)                                \
  BareOne(cuDeviceGetLuid, 10000, unknown, asked)                                                  \
  One(cuDeviceGetName, cuDeviceGetName, 2000, written, asked, no, required(device_name),           \
      (char* name, int room, CUdevice device))                                                     \
  BareOne(cuDeviceGetNvSciSyncAttributes, 10020, unknown, asked)                                   \
  BareOne(cuDeviceGetP2PAtomicCapabilities, 13000, unknown, asked)                                 \
  BareOne(cuDeviceGetP2PAttribute, 8000, written, asked)                                           \
  One(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, 4010, written, asked, no, no,                      \
      (char* text, int room, CUdevice device))                                                     \
  BareOne(cuDeviceGetProperties, 2000, written, asked)                                             \
  BareOne(cuDeviceGetTexture1DLinearMaxWidth, 11010, unknown, asked)                               \
  BareOne(cuDeviceGetUuid, 9020, written, no)                                                      \
  One(cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040, written, asked, no, no,                          \
      (CUuuid* uuid, CUdevice device))                                                             \
  BareOne(cuDeviceRegisterAsyncNotification, 12040, unknown, asked)                                \
  BareOne(cuDeviceTotalMem, 2000, unknown, no)                                                     \
  One(cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020,                                                 \
      written, asked, no, required(device_total_memory), (std::size_t* bytes, CUdevice device))    \
  BareOne(cuDeviceUnregisterAsyncNotification, 12040, unknown, asked)

// Contexts: primary ones, others, green ones, and peers.
#define VRAMLAB_CUDA_CONTEXT_FUNCTIONS(One, Two, BareOne, BareTwo)                                 \
  BareOne(cuCtxAttach, 2000, unknown, asked)                                                       \
  BareOne(cuCtxCreate, 2000, unknown, no)                                                          \
  One(cuCtxCreate, cuCtxCreate_v2, 3020, written, no, contexts, no,                                \
      (CUcontext* made, unsigned flags, CUdevice device))                                          \
  One(cuCtxCreate, cuCtxCreate_v3, 11040, written, no, contexts, no,                               \
      (CUcontext* made, CUexecAffinityParam* parameters, int count, unsigned flags,                \
       CUdevice device))                                                                           \
  One(cuCtxCreate, cuCtxCreate_v4, 12050, written, asked, contexts, no,                            \
      (CUcontext* made, CUctxCreateParams* parameters, unsigned flags, CUdevice device))           \
  One(cuCtxDestroy, cuCtxDestroy, 2000, written, no, contexts, no, (CUcontext gone))               \
  One(cuCtxDestroy, cuCtxDestroy_v2, 4000, written, asked, contexts, no, (CUcontext gone))         \
  BareOne(cuCtxDetach, 2000, unknown, asked)                                                       \
  One(cuCtxDisablePeerAccess, cuCtxDisablePeerAccess, 4000, written, asked, contexts, no,          \
      (CUcontext peer))                                                                            \
  One(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, 4000, written, asked, contexts, no,            \
      (CUcontext peer, unsigned flags))                                                            \
  One(cuCtxFromGreenCtx, cuCtxFromGreenCtx, 12040, written, asked, no, no,                         \
      (CUcontext* made, CUgreenCtx green))                                                         \
  One(cuCtxGetApiVersion, cuCtxGetApiVersion, 3020, written, asked, no, no,                        \
      (CUcontext of, unsigned* version))                                                           \
  BareOne(cuCtxGetCacheConfig, 3020, written, asked)                                               \
  One(cuCtxGetCurrent, cuCtxGetCurrent, 4000, written, asked, no, required(context_current),       \
      (CUcontext* now))                                                                            \
  BareOne(cuCtxGetDevResource, 12040, unknown, asked)                                              \
  One(cuCtxGetDevice, cuCtxGetDevice, 2000, written, no, no, required(context_device),             \
      (CUdevice* device))                                                                          \
  BareOne(cuCtxGetDevice_v2, 13000, written, asked)                                                \
  BareOne(cuCtxGetExecAffinity, 11040, unknown, asked)                                             \
  One(cuCtxGetFlags, cuCtxGetFlags, 7000, written, asked, no, no, (unsigned* flags))               \
  One(cuCtxGetId, cuCtxGetId, 12000, written, asked, no, optional(context_id),                     \
      (CUcontext of, unsigned long long* id))                                                      \
  BareOne(cuCtxGetLimit, 3010, written, asked)                                                     \
  BareOne(cuCtxGetSharedMemConfig, 4020, written, asked)                                           \
  One(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050, written, asked, no, no,      \
      (int* least, int* greatest))                                                                 \
  BareOne(cuCtxPopCurrent, 2000, unknown, no)                                                      \
  One(cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000, written, asked, no, required(context_pop),        \
      (CUcontext* popped))                                                                         \
  BareOne(cuCtxPushCurrent, 2000, unknown, no)                                                     \
  One(cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000, written, asked, no, required(context_push),     \
      (CUcontext pushed))                                                                          \
  One(cuCtxRecordEvent, cuCtxRecordEvent, 12050, written, no, no, optional(context_record_event),  \
      (CUcontext of, CUevent event))                                                               \
  BareOne(cuCtxResetPersistingL2Cache, 11000, written, asked)                                      \
  BareOne(cuCtxSetCacheConfig, 3020, written, asked)                                               \
  One(cuCtxSetCurrent, cuCtxSetCurrent, 4000, written, asked, no, required(context_set_current),   \
      (CUcontext now))                                                                             \
  BareOne(cuCtxSetFlags, 12010, written, asked)                                                    \
  BareOne(cuCtxSetLimit, 3010, written, asked)                                                     \
  BareOne(cuCtxSetSharedMemConfig, 4020, written, asked)                                           \
  One(cuCtxSynchronize, cuCtxSynchronize, 2000, written, asked, no, required(context_synchronize), \
      ())                                                                                          \
  One(cuCtxSynchronize, cuCtxSynchronize_v2, 13000, written, asked, no, no, (CUcontext of))        \
  BareOne(cuCtxWaitEvent, 12050, unknown, asked)                                                   \
  One(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000, written, asked, no, no,        \
      (CUdevice device, unsigned* flags, int* active))                                             \
  One(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, 7000, written, asked, contexts, no,    \
      (CUdevice device))                                                                           \
  One(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 11000,                              \
      written, asked, contexts, required(primary_release), (CUdevice device))                      \
  One(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset, 7000, written, asked, contexts, no,        \
      (CUdevice device))                                                                           \
  One(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 11000, written, asked, contexts, no,    \
      (CUdevice device))                                                                           \
  One(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000,                                    \
      written, asked, contexts, required(primary_retain), (CUcontext* made, CUdevice device))      \
  BareOne(cuDevicePrimaryCtxSetFlags, 7000, written, no)                                           \
  One(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, 11000, written, asked, no, no,    \
      (CUdevice device, unsigned flags))                                                           \
  One(cuGreenCtxCreate, cuGreenCtxCreate, 12040, written, no, contexts, no,                        \
      (CUgreenCtx* made, CUdevResourceDesc resources, CUdevice device, unsigned flags))            \
  One(cuGreenCtxDestroy, cuGreenCtxDestroy, 12040, written, no, contexts, no, (CUgreenCtx gone))   \
  BareOne(cuGreenCtxGetDevResource, 12040, unknown, no)                                            \
  BareOne(cuGreenCtxGetId, 12090, unknown, no)                                                     \
  BareOne(cuGreenCtxRecordEvent, 12040, unknown, no)                                               \
  One(cuGreenCtxStreamCreate, cuGreenCtxStreamCreate, 12050, written, no, streams, no,             \
      (CUstream* stream, CUgreenCtx green, unsigned flags, int priority))                          \
  BareOne(cuGreenCtxWaitEvent, 12040, unknown, no)

// Modules, libraries, kernels, and linking.
#define VRAMLAB_CUDA_MODULE_FUNCTIONS(One, Two, BareOne, BareTwo)                                  \
  BareOne(cuKernelGetAttribute, 12000, written, asked)                                             \
  One(cuKernelGetFunction, cuKernelGetFunction, 12000, written, asked, room, no,                   \
      (CUfunction* function, CUkernel kernel))                                                     \
  BareOne(cuKernelGetLibrary, 12050, unknown, asked)                                               \
  BareOne(cuKernelGetName, 12030, written, asked)                                                  \
  BareOne(cuKernelGetParamCount, 13020, unknown, no)                                               \
  BareOne(cuKernelGetParamInfo, 12040, unknown, asked)                                             \
  BareOne(cuKernelSetAttribute, 12000, written, asked)                                             \
  BareOne(cuKernelSetCacheConfig, 12000, written, asked)                                           \
  BareOne(cuLibraryEnumerateKernels, 12040, unknown, asked)                                        \
  BareOne(cuLibraryGetGlobal, 12000, written, asked)                                               \
  BareOne(cuLibraryGetKernel, 12000, written, asked)                                               \
  BareOne(cuLibraryGetKernelCount, 12040, written, asked)                                          \
  BareOne(cuLibraryGetManaged, 12000, written, asked)                                              \
  One(cuLibraryGetModule, cuLibraryGetModule, 12000, written, asked, room, no,                     \
      (CUmodule* module, CUlibrary library))                                                       \
  BareOne(cuLibraryGetUnifiedFunction, 12000, written, asked)                                      \
  One(cuLibraryLoadData, cuLibraryLoadData, 12000, written, asked, room, no,                       \
      (CUlibrary* library, const void* image, CUjit_option* options, void** values,                \
       unsigned count, CUlibraryOption* library_options, void** library_values,                    \
       unsigned library_count))                                                                    \
  One(cuLibraryLoadFromFile, cuLibraryLoadFromFile, 12000, written, asked, room, no,               \
      (CUlibrary* library, const char* file, CUjit_option* options, void** values, unsigned count, \
       CUlibraryOption* library_options, void** library_values, unsigned library_count))           \
  BareOne(cuLibraryUnload, 12000, written, asked)                                                  \
  BareOne(cuLinkAddData, 5050, written, no)                                                        \
  BareOne(cuLinkAddData_v2, 6050, written, asked)                                                  \
  BareOne(cuLinkAddFile, 5050, written, no)                                                        \
  BareOne(cuLinkAddFile_v2, 6050, written, asked)                                                  \
  BareOne(cuLinkComplete, 5050, written, asked)                                                    \
  BareOne(cuLinkCreate, 5050, written, no)                                                         \
  BareOne(cuLinkCreate_v2, 6050, written, asked)                                                   \
  BareOne(cuLinkDestroy, 5050, written, asked)                                                     \
  BareOne(cuModuleEnumerateFunctions, 12040, unknown, asked)                                       \
  One(cuModuleGetFunction, cuModuleGetFunction, 2000, written, asked, room, no,                    \
      (CUfunction* function, CUmodule module, const char* name))                                   \
  BareOne(cuModuleGetFunctionCount, 12040, written, asked)                                         \
  BareOne(cuModuleGetGlobal, 2000, unknown, no)                                                    \
  BareOne(cuModuleGetGlobal_v2, 3020, written, asked)                                              \
  BareOne(cuModuleGetLoadingMode, 11070, written, asked)                                           \
  BareOne(cuModuleGetSurfRef, 3000, unknown, asked)                                                \
  BareOne(cuModuleGetTexRef, 2000, unknown, asked)                                                 \
  One(cuModuleLoad, cuModuleLoad, 2000, written, asked, room, no,                                  \
      (CUmodule* module, const char* file))                                                        \
  One(cuModuleLoadData, cuModuleLoadData, 2000, written, asked, room, no,                          \
      (CUmodule* module, const void* image))                                                       \
  One(cuModuleLoadDataEx, cuModuleLoadDataEx, 2010, written, asked, room, no,                      \
      (CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values)) \
  One(cuModuleLoadFatBinary, cuModuleLoadFatBinary, 2000, written, asked, room, no,                \
      (CUmodule* module, const void* image))                                                       \
  One(cuModuleUnload, cuModuleUnload, 2000, written, asked, no, no, (CUmodule module))

// Memory: allocations, host memory, arrays, addresses.
#define VRAMLAB_CUDA_MEMORY_FUNCTIONS(One, Two, BareOne, BareTwo)                                  \
  BareOne(cuArray3DCreate, 2000, unknown, no)                                                      \
  One(cuArray3DCreate, cuArray3DCreate_v2, 3020, written, asked, taking, no,                       \
      (CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* wish))                                       \
  BareOne(cuArray3DGetDescriptor, 2000, unknown, no)                                               \
  BareOne(cuArray3DGetDescriptor_v2, 3020, unknown, asked)                                         \
  BareOne(cuArrayCreate, 2000, unknown, no)                                                        \
  One(cuArrayCreate, cuArrayCreate_v2, 3020, written, asked, taking, no,                           \
      (CUarray* array, const CUDA_ARRAY_DESCRIPTOR* wish))                                         \
  One(cuArrayDestroy, cuArrayDestroy, 2000, written, asked, recorded, no, (CUarray array))         \
  BareOne(cuArrayGetDescriptor, 2000, unknown, no)                                                 \
  BareOne(cuArrayGetDescriptor_v2, 3020, unknown, asked)                                           \
  BareOne(cuArrayGetMemoryRequirements, 11060, unknown, asked)                                     \
  BareOne(cuArrayGetPlane, 11020, unknown, asked)                                                  \
  BareOne(cuArrayGetSparseProperties, 11010, unknown, asked)                                       \
  BareOne(cuMemAdvise, 8000, written, no)                                                          \
  BareOne(cuMemAdvise_v2, 12020, written, asked)                                                   \
  BareOne(cuMemAlloc, 2000, unknown, no)                                                           \
  One(cuMemAlloc, cuMemAlloc_v2, 3020, written, asked, memory, required(mem_alloc),                \
      (CUdeviceptr* at, std::size_t bytes))                                                        \
  BareOne(cuMemAllocHost, 2000, unknown, no)                                                       \
  One(cuMemAllocHost, cuMemAllocHost_v2, 3020, written, no, recorded, no,                          \
      (void** memory, std::size_t bytes))                                                          \
  One(cuMemAllocManaged, cuMemAllocManaged, 6000, written, asked, taking, no,                      \
      (CUdeviceptr* at, std::size_t bytes, unsigned flags))                                        \
  BareOne(cuMemAllocPitch, 2000, unknown, no)                                                      \
  One(cuMemAllocPitch, cuMemAllocPitch_v2, 3020, written, asked, taking, no,                       \
      (CUdeviceptr* at, std::size_t* pitch, std::size_t width, std::size_t height,                 \
       unsigned element))                                                                          \
  BareTwo(cuMemBatchDecompressAsync, 12060, _ptsz, 12060, unknown, both)                           \
  BareTwo(cuMemDiscardAndPrefetchBatchAsync, 13000, _ptsz, 13000, unknown, both)                   \
  BareTwo(cuMemDiscardBatchAsync, 13000, _ptsz, 13000, unknown, both)                              \
  BareOne(cuMemFree, 2000, unknown, no)                                                            \
  One(cuMemFree, cuMemFree_v2, 3020, written, asked, memory, required(mem_free), (CUdeviceptr at)) \
  One(cuMemFreeHost, cuMemFreeHost, 2000, written, asked, recorded, no, (void* memory))            \
  BareOne(cuMemGetAddressRange, 2000, unknown, no)                                                 \
  One(cuMemGetAddressRange, cuMemGetAddressRange_v2, 3020, written, asked, memory, no,             \
      (CUdeviceptr* base, std::size_t* bytes, CUdeviceptr at))                                     \
  One(cuMemGetHandleForAddressRange, cuMemGetHandleForAddressRange, 11070,                         \
      written, asked, memory, optional(mem_range_handle),                                          \
      (void* handle, CUdeviceptr at, std::size_t bytes, CUmemRangeHandleType type,                 \
       unsigned long long flags))                                                                  \
  BareOne(cuMemGetInfo, 2000, unknown, no)                                                         \
  One(cuMemGetInfo, cuMemGetInfo_v2, 3020, written, asked, memory, required(mem_get_info),         \
      (std::size_t* free, std::size_t* total))                                                     \
  BareOne(cuMemGetLocationInfo, 13040, unknown, no)                                                \
  One(cuMemHostAlloc, cuMemHostAlloc, 2020, written, asked, recorded, no,                          \
      (void** memory, std::size_t bytes, unsigned flags))                                          \
  BareOne(cuMemHostGetDevicePointer, 2020, unknown, no)                                            \
  One(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 3020, written, asked, no, no,       \
      (CUdeviceptr* at, void* memory, unsigned flags))                                             \
  One(cuMemHostGetFlags, cuMemHostGetFlags, 2030, written, asked, no, no,                          \
      (unsigned* flags, void* memory))                                                             \
  BareOne(cuMemHostRegister, 4000, unknown, no)                                                    \
  One(cuMemHostRegister, cuMemHostRegister_v2, 6050, written, asked, recorded, no,                 \
      (void* memory, std::size_t bytes, unsigned flags))                                           \
  One(cuMemHostUnregister, cuMemHostUnregister, 4000, written, asked, recorded, no,                \
      (void* memory))                                                                              \
  BareTwo(cuMemPrefetchAsync, 8000, _ptsz, 8000, written, own)                                     \
  BareTwo(cuMemPrefetchAsync_v2, 12020, _ptsz, 12020, written, both)                               \
  BareTwo(cuMemPrefetchBatchAsync, 13000, _ptsz, 13000, unknown, both)                             \
  BareOne(cuMemRangeGetAttribute, 8000, written, asked)                                            \
  BareOne(cuMemRangeGetAttributes, 8000, written, asked)                                           \
  One(cuMipmappedArrayCreate, cuMipmappedArrayCreate, 5000, written, asked, taking, no,            \
      (CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* wish, unsigned levels))             \
  One(cuMipmappedArrayDestroy, cuMipmappedArrayDestroy, 5000, written, asked, recorded, no,        \
      (CUmipmappedArray array))                                                                    \
  BareOne(cuMipmappedArrayGetLevel, 5000, unknown, asked)                                          \
  BareOne(cuMipmappedArrayGetMemoryRequirements, 11060, unknown, asked)                            \
  BareOne(cuMipmappedArrayGetSparseProperties, 11010, unknown, asked)                              \
  One(cuPointerGetAttribute, cuPointerGetAttribute, 4000, written, asked, memory, no,              \
      (void* into, CUpointer_attribute attribute, CUdeviceptr at))                                 \
  One(cuPointerGetAttributes, cuPointerGetAttributes, 7000,                                        \
      written, asked, memory, optional(pointer_attributes),                                        \
      (unsigned count, CUpointer_attribute* attributes, void** into, CUdeviceptr at))              \
  One(cuPointerSetAttribute, cuPointerSetAttribute, 6000,                                          \
      written, no, memory, optional(pointer_set_attribute),                                        \
      (const void* value, CUpointer_attribute attribute, CUdeviceptr at))

// Copies and memsets.
#define VRAMLAB_CUDA_COPY_FUNCTIONS(One, Two, BareOne, BareTwo)                                    \
  Two(cuMemcpy, cuMemcpy, 4000, _ptds, 7000, written, both, no, no,                                \
      (CUdeviceptr to, CUdeviceptr from, std::size_t bytes))                                       \
  BareOne(cuMemcpy2D, 2000, unknown, no)                                                           \
  BareTwo(cuMemcpy2D_v2, 3020, _ptds, 7000, written, both)                                         \
  BareOne(cuMemcpy2DAsync, 2000, unknown, no)                                                      \
  BareTwo(cuMemcpy2DAsync_v2, 3020, _ptsz, 7000, written, both)                                    \
  BareOne(cuMemcpy2DUnaligned, 2000, unknown, no)                                                  \
  BareTwo(cuMemcpy2DUnaligned_v2, 3020, _ptds, 7000, written, both)                                \
  BareOne(cuMemcpy3D, 2000, unknown, no)                                                           \
  BareTwo(cuMemcpy3D_v2, 3020, _ptds, 7000, written, both)                                         \
  BareOne(cuMemcpy3DAsync, 2000, unknown, no)                                                      \
  BareTwo(cuMemcpy3DAsync_v2, 3020, _ptsz, 7000, written, both)                                    \
  BareTwo(cuMemcpy3DBatchAsync, 12080, _ptsz, 12080, unknown, own)                                 \
  BareTwo(cuMemcpy3DBatchAsync_v2, 13000, _ptsz, 13000, unknown, both)                             \
  BareTwo(cuMemcpy3DPeer, 4000, _ptds, 7000, written, both)                                        \
  BareTwo(cuMemcpy3DPeerAsync, 4000, _ptsz, 7000, written, both)                                   \
  BareTwo(cuMemcpy3DWithAttributesAsync, 13020, _ptsz, 13020, unknown, no)                         \
  Two(cuMemcpyAsync, cuMemcpyAsync, 4000, _ptsz, 7000, written, both, no, no,                      \
      (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream))                      \
  BareOne(cuMemcpyAtoA, 2000, unknown, no)                                                         \
  BareTwo(cuMemcpyAtoA_v2, 3020, _ptds, 7000, unknown, both)                                       \
  BareOne(cuMemcpyAtoD, 2000, unknown, no)                                                         \
  BareTwo(cuMemcpyAtoD_v2, 3020, _ptds, 7000, unknown, both)                                       \
  BareOne(cuMemcpyAtoH, 2000, unknown, no)                                                         \
  BareTwo(cuMemcpyAtoH_v2, 3020, _ptds, 7000, unknown, both)                                       \
  BareOne(cuMemcpyAtoHAsync, 2000, unknown, no)                                                    \
  BareTwo(cuMemcpyAtoHAsync_v2, 3020, _ptsz, 7000, unknown, both)                                  \
  BareTwo(cuMemcpyBatchAsync, 12080, _ptsz, 12080, unknown, own)                                   \
  BareTwo(cuMemcpyBatchAsync_v2, 13000, _ptsz, 13000, unknown, both)                               \
  BareOne(cuMemcpyDtoA, 2000, unknown, no)                                                         \
  BareTwo(cuMemcpyDtoA_v2, 3020, _ptds, 7000, unknown, both)                                       \
  BareOne(cuMemcpyDtoD, 2000, unknown, no)                                                         \
  Two(cuMemcpyDtoD, cuMemcpyDtoD_v2, 3020, _ptds, 7000, written, both, no, no,                     \
      (CUdeviceptr to, CUdeviceptr from, std::size_t bytes))                                       \
  BareOne(cuMemcpyDtoDAsync, 3000, unknown, no)                                                    \
  Two(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020, _ptsz, 7000, written, both, no, no,           \
      (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream))                      \
  BareOne(cuMemcpyDtoH, 2000, unknown, no)                                                         \
  Two(cuMemcpyDtoH, cuMemcpyDtoH_v2, 3020, _ptds, 7000, written, both, no, no,                     \
      (void* to, CUdeviceptr from, std::size_t bytes))                                             \
  BareOne(cuMemcpyDtoHAsync, 2000, unknown, no)                                                    \
  Two(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020, _ptsz, 7000, written, both, no, no,           \
      (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream))                            \
  BareOne(cuMemcpyHtoA, 2000, unknown, no)                                                         \
  BareTwo(cuMemcpyHtoA_v2, 3020, _ptds, 7000, unknown, both)                                       \
  BareOne(cuMemcpyHtoAAsync, 2000, unknown, no)                                                    \
  BareTwo(cuMemcpyHtoAAsync_v2, 3020, _ptsz, 7000, unknown, both)                                  \
  BareOne(cuMemcpyHtoD, 2000, unknown, no)                                                         \
  Two(cuMemcpyHtoD, cuMemcpyHtoD_v2, 3020, _ptds, 7000, written, both, no, no,                     \
      (CUdeviceptr to, const void* from, std::size_t bytes))                                       \
  BareOne(cuMemcpyHtoDAsync, 2000, unknown, no)                                                    \
  Two(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020, _ptsz, 7000, written, both, no, no,           \
      (CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream))                      \
  BareTwo(cuMemcpyPeer, 4000, _ptds, 7000, written, both)                                          \
  Two(cuMemcpyPeerAsync, cuMemcpyPeerAsync, 4000, _ptsz, 7000, written, both, no, no,              \
      (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,             \
       std::size_t bytes, CUstream stream))                                                        \
  BareTwo(cuMemcpyWithAttributesAsync, 13020, _ptsz, 13020, unknown, no)                           \
  BareOne(cuMemsetD16, 2000, unknown, no)                                                          \
  BareTwo(cuMemsetD16_v2, 3020, _ptds, 7000, unknown, both)                                        \
  BareTwo(cuMemsetD16Async, 3020, _ptsz, 7000, unknown, both)                                      \
  BareOne(cuMemsetD2D16, 2000, unknown, no)                                                        \
  BareTwo(cuMemsetD2D16_v2, 3020, _ptds, 7000, unknown, both)                                      \
  BareTwo(cuMemsetD2D16Async, 3020, _ptsz, 7000, unknown, both)                                    \
  BareOne(cuMemsetD2D32, 2000, unknown, no)                                                        \
  BareTwo(cuMemsetD2D32_v2, 3020, _ptds, 7000, unknown, both)                                      \
  BareTwo(cuMemsetD2D32Async, 3020, _ptsz, 7000, unknown, both)                                    \
  BareOne(cuMemsetD2D8, 2000, unknown, no)                                                         \
  BareTwo(cuMemsetD2D8_v2, 3020, _ptds, 7000, unknown, both)                                       \
  BareTwo(cuMemsetD2D8Async, 3020, _ptsz, 7000, unknown, both)                                     \
  BareOne(cuMemsetD32, 2000, unknown, no)                                                          \
  Two(cuMemsetD32, cuMemsetD32_v2, 3020, _ptds, 7000, written, both, no, no,                       \
      (CUdeviceptr at, unsigned value, std::size_t count))                                         \
  Two(cuMemsetD32Async, cuMemsetD32Async, 3020, _ptsz, 7000,                                       \
      written, both, no, optional(memset_async),                                                   \
      (CUdeviceptr at, unsigned value, std::size_t count, CUstream stream))                        \
  BareOne(cuMemsetD8, 2000, unknown, no)                                                           \
  Two(cuMemsetD8, cuMemsetD8_v2, 3020, _ptds, 7000, written, both, no, optional(mem_set_bytes),    \
      (CUdeviceptr at, unsigned char value, std::size_t count))                                    \
  Two(cuMemsetD8Async, cuMemsetD8Async, 3020, _ptsz, 7000, written, both, no, no,                  \
      (CUdeviceptr at, unsigned char value, std::size_t count, CUstream stream))

// Memory that is mapped at reserved addresses, also of several devices.
#define VRAMLAB_CUDA_MAPPING_FUNCTIONS(One, Two, BareOne, BareTwo)                                 \
  BareTwo(cuFabricCpyBatchAsync, 13050, _ptsz, 13050, unknown, no)                                 \
  BareOne(cuLogicalEndpointAddDevice, 13030, unknown, no)                                          \
  BareOne(cuLogicalEndpointBindAddr, 13030, unknown, no)                                           \
  BareOne(cuLogicalEndpointBindMem, 13030, unknown, no)                                            \
  BareOne(cuLogicalEndpointCreate, 13030, unknown, no)                                             \
  BareOne(cuLogicalEndpointDestroy, 13030, unknown, no)                                            \
  BareOne(cuLogicalEndpointExport, 13030, unknown, no)                                             \
  BareOne(cuLogicalEndpointGetLimits, 13030, unknown, no)                                          \
  BareOne(cuLogicalEndpointIdRelease, 13030, unknown, no)                                          \
  BareOne(cuLogicalEndpointIdReserve, 13030, unknown, no)                                          \
  BareOne(cuLogicalEndpointImport, 13030, unknown, no)                                             \
  BareOne(cuLogicalEndpointQuery, 13030, unknown, no)                                              \
  BareOne(cuLogicalEndpointUnbind, 13030, unknown, no)                                             \
  One(cuMemAddressFree, cuMemAddressFree, 10020, written, no, no, mapping(address_free),           \
      (CUdeviceptr at, std::size_t bytes))                                                         \
  One(cuMemAddressReserve, cuMemAddressReserve, 10020, written, no, no, mapping(address_reserve),  \
      (CUdeviceptr* at, std::size_t bytes, std::size_t alignment, CUdeviceptr hint,                \
       unsigned long long flags))                                                                  \
  One(cuMemCreate, cuMemCreate, 10020, written, no, taking, mapping(mem_create),                   \
      (CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp* wish,   \
       unsigned long long flags))                                                                  \
  One(cuMemExportToShareableHandle, cuMemExportToShareableHandle, 10020, written, asked, no, no,   \
      (void* into, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,            \
       unsigned long long flags))                                                                  \
  BareOne(cuMemGetAccess, 10020, written, asked)                                                   \
  One(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity, 10020,                         \
      written, asked, no, mapping(mem_granularity),                                                \
      (std::size_t* bytes, const CUmemAllocationProp* wish,                                        \
       CUmemAllocationGranularity_flags option))                                                   \
  BareOne(cuMemGetAllocationPropertiesFromHandle, 10020, written, asked)                           \
  One(cuMemImportFromShareableHandle, cuMemImportFromShareableHandle, 10020,                       \
      written, asked, recorded, no,                                                                \
      (CUmemGenericAllocationHandle* handle, void* from, CUmemAllocationHandleType type))          \
  One(cuMemMap, cuMemMap, 10020, written, no, recorded, mapping(mem_map),                          \
      (CUdeviceptr at, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle, \
       unsigned long long flags))                                                                  \
  BareTwo(cuMemMapArrayAsync, 11010, _ptsz, 11010, unknown, both)                                  \
  One(cuMemRelease, cuMemRelease, 10020, written, no, recorded, mapping(mem_release),              \
      (CUmemGenericAllocationHandle handle))                                                       \
  One(cuMemRetainAllocationHandle, cuMemRetainAllocationHandle, 11000,                             \
      written, asked, recorded, no, (CUmemGenericAllocationHandle* handle, void* address))         \
  One(cuMemSetAccess, cuMemSetAccess, 10020, written, no, no, mapping(mem_set_access),             \
      (CUdeviceptr at, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count))       \
  One(cuMemUnmap, cuMemUnmap, 10020, written, no, recorded, mapping(mem_unmap),                    \
      (CUdeviceptr at, std::size_t bytes))                                                         \
  BareOne(cuMulticastAddDevice, 12010, unknown, asked)                                             \
  BareOne(cuMulticastBindAddr, 12010, unknown, asked)                                              \
  BareOne(cuMulticastBindAddr_v2, 13010, unknown, no)                                              \
  BareOne(cuMulticastBindMem, 12010, unknown, asked)                                               \
  BareOne(cuMulticastBindMem_v2, 13010, unknown, no)                                               \
  One(cuMulticastCreate, cuMulticastCreate, 12010, written, asked, recorded, no,                   \
      (CUmemGenericAllocationHandle* handle, const CUmulticastObjectProp* wish))                   \
  BareOne(cuMulticastGetGranularity, 12010, unknown, asked)                                        \
  BareOne(cuMulticastUnbind, 12010, unknown, asked)

// Pools of memory, which is allocated and freed in the order of a stream.
#define VRAMLAB_CUDA_POOL_FUNCTIONS(One, Two, BareOne, BareTwo)                                    \
  One(cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, 11020, written, asked, no, no,         \
      (CUmemoryPool* pool, CUdevice device))                                                       \
  One(cuDeviceGetMemPool, cuDeviceGetMemPool, 11020, written, asked, no, no,                       \
      (CUmemoryPool* pool, CUdevice device))                                                       \
  BareOne(cuDeviceSetMemPool, 11020, written, asked)                                               \
  Two(cuMemAllocAsync, cuMemAllocAsync, 11020, _ptsz, 11020, written, both, taking, no,            \
      (CUdeviceptr* at, std::size_t bytes, CUstream stream))                                       \
  Two(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, 11020, _ptsz, 11020,                       \
      written, both, taking, no,                                                                   \
      (CUdeviceptr* at, std::size_t bytes, CUmemoryPool pool, CUstream stream))                    \
  Two(cuMemFreeAsync, cuMemFreeAsync, 11020, _ptsz, 11020,                                         \
      written, both, memory, optional(mem_free_async), (CUdeviceptr at, CUstream stream))          \
  BareOne(cuMemGetDefaultMemPool, 13000, unknown, asked)                                           \
  BareOne(cuMemGetMemPool, 13000, unknown, asked)                                                  \
  One(cuMemPoolCreate, cuMemPoolCreate, 11020, written, asked, no, no,                             \
      (CUmemoryPool* pool, const CUmemPoolProps* wish))                                            \
  One(cuMemPoolDestroy, cuMemPoolDestroy, 11020, written, asked, no, no, (CUmemoryPool pool))      \
  One(cuMemPoolExportPointer, cuMemPoolExportPointer, 11020, written, asked, no, no,               \
      (CUmemPoolPtrExportData* data, CUdeviceptr at))                                              \
  One(cuMemPoolExportToShareableHandle, cuMemPoolExportToShareableHandle, 11020,                   \
      written, asked, no, no,                                                                      \
      (void* into, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags))   \
  BareOne(cuMemPoolGetAccess, 11020, written, asked)                                               \
  BareOne(cuMemPoolGetAttribute, 11020, written, asked)                                            \
  One(cuMemPoolImportFromShareableHandle, cuMemPoolImportFromShareableHandle, 11020,               \
      written, asked, no, no,                                                                      \
      (CUmemoryPool* pool, void* from, CUmemAllocationHandleType type, unsigned long long flags))  \
  One(cuMemPoolImportPointer, cuMemPoolImportPointer, 11020, written, asked, recorded, no,         \
      (CUdeviceptr* at, CUmemoryPool pool, CUmemPoolPtrExportData* data))                          \
  BareOne(cuMemPoolSetAccess, 11020, written, asked)                                               \
  BareOne(cuMemPoolSetAttribute, 11020, written, asked)                                            \
  One(cuMemPoolTrimTo, cuMemPoolTrimTo, 11020, written, asked, no, no,                             \
      (CUmemoryPool pool, std::size_t bytes))                                                      \
  BareOne(cuMemSetMemPool, 13000, unknown, asked)

// Memory of other processes and other interfaces.
#define VRAMLAB_CUDA_SHARING_FUNCTIONS(One, Two, BareOne, BareTwo)                                 \
  One(cuDestroyExternalMemory, cuDestroyExternalMemory, 10000, written, asked, recorded, no,       \
      (CUexternalMemory memory))                                                                   \
  BareOne(cuDestroyExternalSemaphore, 10000, unknown, asked)                                       \
  One(cuExternalMemoryGetMappedBuffer, cuExternalMemoryGetMappedBuffer, 10000,                     \
      written, asked, recorded, no,                                                                \
      (CUdeviceptr* at, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* what))    \
  BareOne(cuExternalMemoryGetMappedMipmappedArray, 10000, unknown, asked)                          \
  BareTwo(cuGraphicsMapResources, 3000, _ptsz, 7000, unknown, both)                                \
  BareOne(cuGraphicsResourceGetMappedMipmappedArray, 5000, unknown, asked)                         \
  BareOne(cuGraphicsResourceGetMappedPointer, 3000, unknown, no)                                   \
  BareOne(cuGraphicsResourceGetMappedPointer_v2, 3020, unknown, asked)                             \
  BareOne(cuGraphicsResourceSetMapFlags, 3000, unknown, no)                                        \
  BareOne(cuGraphicsResourceSetMapFlags_v2, 6050, unknown, asked)                                  \
  BareOne(cuGraphicsSubResourceGetMappedArray, 3000, unknown, asked)                               \
  BareTwo(cuGraphicsUnmapResources, 3000, _ptsz, 7000, unknown, both)                              \
  BareOne(cuGraphicsUnregisterResource, 3000, unknown, asked)                                      \
  One(cuImportExternalMemory, cuImportExternalMemory, 10000, written, asked, recorded, no,         \
      (CUexternalMemory* memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* what))                    \
  BareOne(cuImportExternalSemaphore, 10000, unknown, asked)                                        \
  One(cuIpcCloseMemHandle, cuIpcCloseMemHandle, 4010, written, asked, recorded, no,                \
      (CUdeviceptr at))                                                                            \
  BareOne(cuIpcGetEventHandle, 4010, written, asked)                                               \
  One(cuIpcGetMemHandle, cuIpcGetMemHandle, 4010,                                                  \
      written, asked, memory, optional(ipc_mem_handle), (CUipcMemHandle* handle, CUdeviceptr at))  \
  BareOne(cuIpcOpenEventHandle, 4010, written, asked)                                              \
  One(cuIpcOpenMemHandle, cuIpcOpenMemHandle, 4010, written, asked, recorded, no,                  \
      (CUdeviceptr* at, CUipcMemHandle handle, unsigned flags))                                    \
  One(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2, 11000, written, asked, recorded, no,              \
      (CUdeviceptr* at, CUipcMemHandle handle, unsigned flags))                                    \
  BareTwo(cuSignalExternalSemaphoresAsync, 10000, _ptsz, 10000, unknown, own)                      \
  BareTwo(cuWaitExternalSemaphoresAsync, 10000, _ptsz, 10000, unknown, no)

// Streams and captures.
#define VRAMLAB_CUDA_STREAM_FUNCTIONS(One, Two, BareOne, BareTwo)                                  \
  Two(cuStreamAddCallback, cuStreamAddCallback, 5000, _ptsz, 7000, written, own, no, no,           \
      (CUstream stream, CUstreamCallback function, void* argument, unsigned flags))                \
  BareTwo(cuStreamAttachMemAsync, 6000, _ptsz, 7000, written, own)                                 \
  BareTwo(cuStreamBatchMemOp, 8000, _ptsz, 8000, unknown, own)                                     \
  BareTwo(cuStreamBatchMemOp_v2, 11070, _ptsz, 11070, unknown, own)                                \
  Two(cuStreamBeginCapture, cuStreamBeginCapture, 10000, _ptsz, 10000, written, both, streams, no, \
      (CUstream stream))                                                                           \
  Two(cuStreamBeginCapture, cuStreamBeginCapture_v2, 10010, _ptsz, 10010,                          \
      written, both, streams, optional(stream_begin_capture),                                      \
      (CUstream stream, CUstreamCaptureMode mode))                                                 \
  BareTwo(cuStreamBeginCaptureToCig, 13010, _ptsz, 13010, unknown, no)                             \
  Two(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph, 12030, _ptsz, 12030,               \
      written, own, streams, no,                                                                   \
      (CUstream stream, CUgraph graph, const CUgraphNode* nodes, const CUgraphEdgeData* edges,     \
       std::size_t count, CUstreamCaptureMode mode))                                               \
  Two(cuStreamBeginRecaptureToGraph, cuStreamBeginRecaptureToGraph, 13030, _ptsz, 13030,           \
      unknown, no, streams, no,                                                                    \
      (CUstream stream, CUstreamCaptureMode mode, CUgraph graph,                                   \
       CUgraphRecaptureCallback function, void* argument))                                         \
  BareTwo(cuStreamCopyAttributes, 11000, _ptsz, 11000, written, own)                               \
  One(cuStreamCreate, cuStreamCreate, 2000, written, asked, streams, required(stream_create),      \
      (CUstream* stream, unsigned flags))                                                          \
  One(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050, written, no, streams, no,      \
      (CUstream* stream, unsigned flags, int priority))                                            \
  One(cuStreamDestroy, cuStreamDestroy, 2000, written, no, streams, no, (CUstream stream))         \
  One(cuStreamDestroy, cuStreamDestroy_v2, 4000,                                                   \
      written, asked, streams, required(stream_destroy), (CUstream stream))                        \
  Two(cuStreamEndCapture, cuStreamEndCapture, 10000, _ptsz, 10000,                                 \
      written, both, streams, optional(stream_end_capture), (CUstream stream, CUgraph* graph))     \
  BareTwo(cuStreamEndCaptureToCig, 13010, _ptsz, 13010, unknown, no)                               \
  BareTwo(cuStreamGetAttribute, 11000, _ptsz, 11000, written, no)                                  \
  Two(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo, 10010, _ptsz, 10010, written, no, no, no,    \
      (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id))                            \
  Two(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2, 11030, _ptsz, 11030,                      \
      written, no, no, required(stream_capture_info),                                              \
      (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,             \
       const CUgraphNode** nodes, std::size_t* count))                                             \
  Two(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3, 12030, _ptsz, 12030, written, no, no, no, \
      (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,             \
       const CUgraphNode** nodes, const CUgraphEdgeData** edges, std::size_t* count))              \
  Two(cuStreamGetCtx, cuStreamGetCtx, 9020, _ptsz, 9020,                                           \
      written, no, no, optional(stream_context), (CUstream stream, CUcontext* of))                 \
  BareTwo(cuStreamGetCtx_v2, 12050, _ptsz, 12050, unknown, no)                                     \
  BareTwo(cuStreamGetDevResource, 13010, _ptsz, 13010, unknown, no)                                \
  BareTwo(cuStreamGetDevice, 12080, _ptsz, 12080, written, no)                                     \
  Two(cuStreamGetFlags, cuStreamGetFlags, 5050, _ptsz, 7000, written, no, no, no,                  \
      (CUstream stream, unsigned* flags))                                                          \
  BareOne(cuStreamGetGreenCtx, 12040, unknown, no)                                                 \
  Two(cuStreamGetId, cuStreamGetId, 12000, _ptsz, 12000, written, no, no, no,                      \
      (CUstream stream, unsigned long long* id))                                                   \
  Two(cuStreamGetPriority, cuStreamGetPriority, 5050, _ptsz, 7000, written, no, no, no,            \
      (CUstream stream, int* priority))                                                            \
  Two(cuStreamIsCapturing, cuStreamIsCapturing, 10000, _ptsz, 10000,                               \
      written, asked, no, required(stream_is_capturing),                                           \
      (CUstream stream, CUstreamCaptureStatus* status))                                            \
  Two(cuStreamQuery, cuStreamQuery, 2000, _ptsz, 7000, written, both, no, required(stream_query),  \
      (CUstream stream))                                                                           \
  BareTwo(cuStreamSetAttribute, 11000, _ptsz, 11000, written, no)                                  \
  Two(cuStreamSynchronize, cuStreamSynchronize, 2000, _ptsz, 7000,                                 \
      written, both, no, required(stream_synchronize), (CUstream stream))                          \
  BareTwo(cuStreamUpdateCaptureDependencies, 11030, _ptsz, 11030, written, no)                     \
  BareTwo(cuStreamUpdateCaptureDependencies_v2, 12030, _ptsz, 12030, written, no)                  \
  Two(cuStreamWaitEvent, cuStreamWaitEvent, 3020, _ptsz, 7000,                                     \
      written, both, no, required(stream_wait_event),                                              \
      (CUstream stream, CUevent event, unsigned flags))                                            \
  BareTwo(cuStreamWaitValue32, 8000, _ptsz, 8000, unknown, no)                                     \
  BareTwo(cuStreamWaitValue32_v2, 11070, _ptsz, 11070, unknown, no)                                \
  BareTwo(cuStreamWaitValue64, 9000, _ptsz, 9000, unknown, no)                                     \
  BareTwo(cuStreamWaitValue64_v2, 11070, _ptsz, 11070, unknown, no)                                \
  BareTwo(cuStreamWriteValue32, 8000, _ptsz, 8000, unknown, no)                                    \
  BareTwo(cuStreamWriteValue32_v2, 11070, _ptsz, 11070, unknown, no)                               \
  BareTwo(cuStreamWriteValue64, 9000, _ptsz, 9000, unknown, no)                                    \
  BareTwo(cuStreamWriteValue64_v2, 11070, _ptsz, 11070, unknown, no)                               \
  One(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, 10010,                 \
      written, asked, no, required(exchange_capture_mode), (CUstreamCaptureMode* mode))

// Events.
#define VRAMLAB_CUDA_EVENT_FUNCTIONS(One, Two, BareOne, BareTwo)                                   \
  One(cuEventCreate, cuEventCreate, 2000, written, asked, no, required(event_create),              \
      (CUevent* event, unsigned flags))                                                            \
  BareOne(cuEventDestroy, 2000, written, no)                                                       \
  One(cuEventDestroy, cuEventDestroy_v2, 4000, written, asked, no, required(event_destroy),        \
      (CUevent event))                                                                             \
  One(cuEventElapsedTime, cuEventElapsedTime, 2000, written, asked, no, no,                        \
      (float* ms, CUevent from, CUevent to))                                                       \
  One(cuEventElapsedTime, cuEventElapsedTime_v2, 12080, written, asked, no, no,                    \
      (float* ms, CUevent from, CUevent to))                                                       \
  One(cuEventQuery, cuEventQuery, 2000, written, asked, no, required(event_query),                 \
      (CUevent event))                                                                             \
  Two(cuEventRecord, cuEventRecord, 2000, _ptsz, 7000, written, both, no, required(event_record),  \
      (CUevent event, CUstream stream))                                                            \
  Two(cuEventRecordWithFlags, cuEventRecordWithFlags, 11010, _ptsz, 11010, written, both, no, no,  \
      (CUevent event, CUstream stream, unsigned flags))                                            \
  One(cuEventSynchronize, cuEventSynchronize, 2000,                                                \
      written, asked, no, required(event_synchronize), (CUevent event))

// Functions, their launches, and how many blocks of them fit.
#define VRAMLAB_CUDA_LAUNCH_FUNCTIONS(One, Two, BareOne, BareTwo)                                  \
  BareOne(cuFuncGetAttribute, 2020, written, asked)                                                \
  BareOne(cuFuncGetModule, 11000, unknown, asked)                                                  \
  BareOne(cuFuncGetName, 12030, written, asked)                                                    \
  BareOne(cuFuncGetParamCount, 13020, unknown, no)                                                 \
  BareOne(cuFuncGetParamInfo, 12040, unknown, asked)                                               \
  BareOne(cuFuncIsLoaded, 12040, written, asked)                                                   \
  BareOne(cuFuncLoad, 12040, written, asked)                                                       \
  BareOne(cuFuncSetAttribute, 9000, written, asked)                                                \
  BareOne(cuFuncSetBlockShape, 2000, unknown, asked)                                               \
  BareOne(cuFuncSetCacheConfig, 3000, written, asked)                                              \
  BareOne(cuFuncSetSharedMemConfig, 4020, written, asked)                                          \
  BareOne(cuFuncSetSharedSize, 2000, unknown, asked)                                               \
  BareOne(cuLaunch, 2000, unknown, asked)                                                          \
  Two(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, 9000, _ptsz, 9000,                     \
      written, both, room, no,                                                                     \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,   \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,                 \
       void** arguments))                                                                          \
  BareOne(cuLaunchCooperativeKernelMultiDevice, 9000, unknown, asked)                              \
  BareOne(cuLaunchGrid, 2000, unknown, asked)                                                      \
  BareOne(cuLaunchGridAsync, 2000, unknown, asked)                                                 \
  Two(cuLaunchHostFunc, cuLaunchHostFunc, 10000, _ptsz, 10000, written, both, no, no,              \
      (CUstream stream, CUhostFn function, void* argument))                                        \
  BareTwo(cuLaunchHostFunc_v2, 13010, _ptsz, 13010, unknown, no)                                   \
  Two(cuLaunchKernel, cuLaunchKernel, 4000, _ptsz, 7000, written, both, room, no,                  \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,   \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,                 \
       void** arguments, void** extra))                                                            \
  Two(cuLaunchKernelEx, cuLaunchKernelEx, 11060, _ptsz, 11060, written, both, room, no,            \
      (const CUlaunchConfig* how, CUfunction function, void** arguments, void** extra))            \
  BareOne(cuOccupancyAvailableDynamicSMemPerBlock, 10020, written, asked)                          \
  BareOne(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, written, asked)                       \
  BareOne(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000, written, asked)              \
  BareOne(cuOccupancyMaxActiveClusters, 11070, written, asked)                                     \
  BareOne(cuOccupancyMaxPotentialBlockSize, 6050, written, asked)                                  \
  BareOne(cuOccupancyMaxPotentialBlockSizeWithFlags, 7000, written, asked)                         \
  BareOne(cuOccupancyMaxPotentialClusterSize, 11070, written, no)                                  \
  BareOne(cuParamSetSize, 2000, unknown, no)                                                       \
  BareOne(cuParamSetTexRef, 2000, unknown, no)                                                     \
  BareOne(cuParamSetf, 2000, unknown, no)                                                          \
  BareOne(cuParamSeti, 2000, unknown, no)                                                          \
  BareOne(cuParamSetv, 2000, unknown, no)

// Graphs, their nodes, and objects that they keep.
#define VRAMLAB_CUDA_GRAPH_FUNCTIONS(One, Two, BareOne, BareTwo)                                   \
  BareOne(cuDeviceGetGraphMemAttribute, 11040, written, asked)                                     \
  BareOne(cuDeviceGraphMemTrim, 11040, written, asked)                                             \
  BareOne(cuDeviceSetGraphMemAttribute, 11040, written, asked)                                     \
  BareOne(cuGraphAddBatchMemOpNode, 11070, unknown, asked)                                         \
  BareOne(cuGraphAddChildGraphNode, 10000, unknown, asked)                                         \
  BareOne(cuGraphAddDependencies, 10000, unknown, no)                                              \
  BareOne(cuGraphAddDependencies_v2, 12030, unknown, asked)                                        \
  BareOne(cuGraphAddEmptyNode, 10000, written, asked)                                              \
  BareOne(cuGraphAddEventRecordNode, 11010, unknown, asked)                                        \
  BareOne(cuGraphAddEventWaitNode, 11010, unknown, asked)                                          \
  BareOne(cuGraphAddExternalSemaphoresSignalNode, 11020, unknown, asked)                           \
  BareOne(cuGraphAddExternalSemaphoresWaitNode, 11020, unknown, asked)                             \
  BareOne(cuGraphAddHostNode, 10000, written, asked)                                               \
  BareOne(cuGraphAddKernelNode, 10000, written, no)                                                \
  BareOne(cuGraphAddKernelNode_v2, 12000, written, asked)                                          \
  One(cuGraphAddMemAllocNode, cuGraphAddMemAllocNode, 11040, written, asked, recorded, no,         \
      (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, std::size_t count,             \
       CUDA_MEM_ALLOC_NODE_PARAMS* wish))                                                          \
  One(cuGraphAddMemFreeNode, cuGraphAddMemFreeNode, 11040, written, asked, recorded, no,           \
      (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, std::size_t count,             \
       CUdeviceptr at))                                                                            \
  BareOne(cuGraphAddMemcpyNode, 10000, written, asked)                                             \
  BareOne(cuGraphAddMemsetNode, 10000, written, asked)                                             \
  One(cuGraphAddNode, cuGraphAddNode, 12020, written, no, recorded, no,                            \
      (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, std::size_t count,             \
       CUgraphNodeParams* what))                                                                   \
  One(cuGraphAddNode, cuGraphAddNode_v2, 12030, written, asked, recorded, no,                      \
      (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, const CUgraphEdgeData* edges,  \
       std::size_t count, CUgraphNodeParams* what))                                                \
  One(cuGraphAddNode, cuGraphAddNode_v3, 13040, written, no, recorded, no,                         \
      (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, const CUgraphEdgeData* edges,  \
       std::size_t count, CUgraphNodeParams* what))                                                \
  BareOne(cuGraphBatchMemOpNodeGetParams, 11070, unknown, asked)                                   \
  BareOne(cuGraphBatchMemOpNodeSetParams, 11070, unknown, asked)                                   \
  BareOne(cuGraphChildGraphNodeGetGraph, 10000, unknown, asked)                                    \
  BareOne(cuGraphClone, 10000, written, asked)                                                     \
  BareOne(cuGraphConditionalHandleCreate, 12030, unknown, asked)                                   \
  BareOne(cuGraphCreate, 10000, written, asked)                                                    \
  BareOne(cuGraphDebugDotPrint, 11030, written, asked)                                             \
  One(cuGraphDestroy, cuGraphDestroy, 10000, written, asked, no, optional(graph_destroy),          \
      (CUgraph graph))                                                                             \
  BareOne(cuGraphDestroyNode, 10000, unknown, asked)                                               \
  BareOne(cuGraphEventRecordNodeGetEvent, 11010, unknown, asked)                                   \
  BareOne(cuGraphEventRecordNodeSetEvent, 11010, unknown, asked)                                   \
  BareOne(cuGraphEventWaitNodeGetEvent, 11010, unknown, asked)                                     \
  BareOne(cuGraphEventWaitNodeSetEvent, 11010, unknown, asked)                                     \
  BareOne(cuGraphExecBatchMemOpNodeSetParams, 11070, unknown, asked)                               \
  BareOne(cuGraphExecChildGraphNodeSetParams, 11010, unknown, asked)                               \
  One(cuGraphExecDestroy, cuGraphExecDestroy, 10000, written, asked, no, no, (CUgraphExec graph))  \
  BareOne(cuGraphExecEventRecordNodeSetEvent, 11010, unknown, asked)                               \
  BareOne(cuGraphExecEventWaitNodeSetEvent, 11010, unknown, asked)                                 \
  BareOne(cuGraphExecExternalSemaphoresSignalNodeSetParams, 11020, unknown, asked)                 \
  BareOne(cuGraphExecExternalSemaphoresWaitNodeSetParams, 11020, unknown, asked)                   \
  BareOne(cuGraphExecGetFlags, 12000, written, asked)                                              \
  BareOne(cuGraphExecGetId, 13010, unknown, no)                                                    \
  BareOne(cuGraphExecHostNodeSetParams, 10020, unknown, asked)                                     \
  BareOne(cuGraphExecKernelNodeSetParams, 10010, unknown, no)                                      \
  BareOne(cuGraphExecKernelNodeSetParams_v2, 12000, unknown, asked)                                \
  BareOne(cuGraphExecMemcpyNodeSetParams, 10020, unknown, asked)                                   \
  BareOne(cuGraphExecMemsetNodeSetParams, 10020, unknown, asked)                                   \
  BareOne(cuGraphExecNodeSetParams, 12020, unknown, asked)                                         \
  BareOne(cuGraphExecUpdate, 10020, written, no)                                                   \
  BareOne(cuGraphExecUpdate_v2, 12000, written, asked)                                             \
  BareOne(cuGraphExternalSemaphoresSignalNodeGetParams, 11020, unknown, asked)                     \
  BareOne(cuGraphExternalSemaphoresSignalNodeSetParams, 11020, unknown, asked)                     \
  BareOne(cuGraphExternalSemaphoresWaitNodeGetParams, 11020, unknown, asked)                       \
  BareOne(cuGraphExternalSemaphoresWaitNodeSetParams, 11020, unknown, asked)                       \
  BareOne(cuGraphGetEdges, 10000, written, no)                                                     \
  BareOne(cuGraphGetEdges_v2, 12030, written, asked)                                               \
  BareOne(cuGraphGetId, 13010, unknown, no)                                                        \
  BareOne(cuGraphGetNodes, 10000, written, asked)                                                  \
  BareOne(cuGraphGetRootNodes, 10000, written, asked)                                              \
  BareOne(cuGraphHostNodeGetParams, 10000, unknown, asked)                                         \
  BareOne(cuGraphHostNodeSetParams, 10000, unknown, asked)                                         \
  One(cuGraphInstantiate, cuGraphInstantiate, 10000, written, no, room, no,                        \
      (CUgraphExec* made, CUgraph graph, CUgraphNode* failed, char* log, std::size_t room))        \
  One(cuGraphInstantiate, cuGraphInstantiate_v2, 11000, written, asked, room, no,                  \
      (CUgraphExec* made, CUgraph graph, CUgraphNode* failed, char* log, std::size_t room))        \
  One(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040, written, asked, room, no,   \
      (CUgraphExec* made, CUgraph graph, unsigned long long flags))                                \
  Two(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams, 12000, _ptsz, 12000,             \
      written, both, room, no,                                                                     \
      (CUgraphExec* made, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* how))                      \
  BareOne(cuGraphKernelNodeCopyAttributes, 11000, unknown, asked)                                  \
  BareOne(cuGraphKernelNodeGetAttribute, 11000, unknown, asked)                                    \
  BareOne(cuGraphKernelNodeGetParams, 10000, unknown, no)                                          \
  BareOne(cuGraphKernelNodeGetParams_v2, 12000, unknown, asked)                                    \
  BareOne(cuGraphKernelNodeSetAttribute, 11000, unknown, asked)                                    \
  BareOne(cuGraphKernelNodeSetParams, 10000, unknown, no)                                          \
  BareOne(cuGraphKernelNodeSetParams_v2, 12000, unknown, asked)                                    \
  Two(cuGraphLaunch, cuGraphLaunch, 10000, _ptsz, 10000, written, both, room, no,                  \
      (CUgraphExec graph, CUstream stream))                                                        \
  BareOne(cuGraphMemAllocNodeGetParams, 11040, unknown, asked)                                     \
  BareOne(cuGraphMemFreeNodeGetParams, 11040, unknown, asked)                                      \
  BareOne(cuGraphMemcpyNodeGetParams, 10000, unknown, asked)                                       \
  BareOne(cuGraphMemcpyNodeSetParams, 10000, unknown, asked)                                       \
  BareOne(cuGraphMemsetNodeGetParams, 10000, unknown, asked)                                       \
  BareOne(cuGraphMemsetNodeSetParams, 10000, unknown, asked)                                       \
  BareOne(cuGraphNodeFindInClone, 10000, unknown, asked)                                           \
  BareOne(cuGraphNodeGetContainingGraph, 13010, unknown, no)                                       \
  One(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies, 10000,                               \
      written, no, no, required(graph_node_dependencies),                                          \
      (CUgraphNode node, CUgraphNode* nodes, std::size_t* count))                                  \
  BareOne(cuGraphNodeGetDependencies_v2, 12030, written, asked)                                    \
  BareOne(cuGraphNodeGetDependentNodes, 10000, unknown, no)                                        \
  BareOne(cuGraphNodeGetDependentNodes_v2, 12030, unknown, asked)                                  \
  BareOne(cuGraphNodeGetEnabled, 11060, unknown, asked)                                            \
  BareOne(cuGraphNodeGetLocalId, 13010, unknown, no)                                               \
  BareOne(cuGraphNodeGetParams, 13020, unknown, no)                                                \
  BareOne(cuGraphNodeGetToolsId, 13010, unknown, no)                                               \
  BareOne(cuGraphNodeGetType, 10000, written, asked)                                               \
  BareOne(cuGraphNodeSetEnabled, 11060, unknown, asked)                                            \
  BareOne(cuGraphNodeSetParams, 12020, unknown, asked)                                             \
  BareOne(cuGraphNodeSetParams_v2, 13040, unknown, no)                                             \
  BareOne(cuGraphReleaseUserObject, 11030, written, asked)                                         \
  BareOne(cuGraphRemoveDependencies, 10000, unknown, no)                                           \
  BareOne(cuGraphRemoveDependencies_v2, 12030, unknown, asked)                                     \
  BareOne(cuGraphRetainUserObject, 11030, written, asked)                                          \
  Two(cuGraphUpload, cuGraphUpload, 11010, _ptsz, 11010, written, both, room, no,                  \
      (CUgraphExec graph, CUstream stream))                                                        \
  BareOne(cuUserObjectCreate, 11030, written, no)                                                  \
  BareOne(cuUserObjectRelease, 11030, written, no)                                                 \
  BareOne(cuUserObjectRetain, 11030, written, no)

// Textures, surfaces and tensor maps.
#define VRAMLAB_CUDA_TEXTURE_FUNCTIONS(One, Two, BareOne, BareTwo)                                 \
  BareOne(cuSurfObjectCreate, 5000, unknown, no)                                                   \
  BareOne(cuSurfObjectDestroy, 5000, unknown, no)                                                  \
  BareOne(cuSurfObjectGetResourceDesc, 5000, unknown, no)                                          \
  BareOne(cuSurfRefGetArray, 3000, unknown, no)                                                    \
  BareOne(cuSurfRefSetArray, 3000, unknown, no)                                                    \
  BareOne(cuTensorMapEncodeIm2col, 12000, written, no)                                             \
  BareOne(cuTensorMapEncodeIm2colWide, 12080, written, no)                                         \
  BareOne(cuTensorMapEncodeTiled, 12000, written, no)                                              \
  BareOne(cuTensorMapReplaceAddress, 12000, written, no)                                           \
  BareOne(cuTensorMapSetAllocationClass, 13050, unknown, no)                                       \
  BareOne(cuTexObjectCreate, 5000, unknown, no)                                                    \
  BareOne(cuTexObjectDestroy, 5000, unknown, no)                                                   \
  BareOne(cuTexObjectGetResourceDesc, 5000, unknown, no)                                           \
  BareOne(cuTexObjectGetResourceViewDesc, 5000, unknown, no)                                       \
  BareOne(cuTexObjectGetTextureDesc, 5000, unknown, no)                                            \
  BareOne(cuTexRefCreate, 2000, unknown, no)                                                       \
  BareOne(cuTexRefDestroy, 2000, unknown, no)                                                      \
  BareOne(cuTexRefGetAddress, 2000, unknown, no)                                                   \
  BareOne(cuTexRefGetAddress_v2, 3020, unknown, no)                                                \
  BareOne(cuTexRefGetAddressMode, 2000, unknown, no)                                               \
  BareOne(cuTexRefGetArray, 2000, unknown, no)                                                     \
  BareOne(cuTexRefGetBorderColor, 8000, unknown, no)                                               \
  BareOne(cuTexRefGetFilterMode, 2000, unknown, no)                                                \
  BareOne(cuTexRefGetFlags, 2000, unknown, no)                                                     \
  BareOne(cuTexRefGetFormat, 2000, unknown, no)                                                    \
  BareOne(cuTexRefGetMaxAnisotropy, 5000, unknown, no)                                             \
  BareOne(cuTexRefGetMipmapFilterMode, 5000, unknown, no)                                          \
  BareOne(cuTexRefGetMipmapLevelBias, 5000, unknown, no)                                           \
  BareOne(cuTexRefGetMipmapLevelClamp, 5000, unknown, no)                                          \
  BareOne(cuTexRefGetMipmappedArray, 5000, unknown, no)                                            \
  BareOne(cuTexRefSetAddress, 2000, unknown, no)                                                   \
  BareOne(cuTexRefSetAddress_v2, 3020, unknown, no)                                                \
  BareOne(cuTexRefSetAddress2D, 2020, unknown, no)                                                 \
  BareOne(cuTexRefSetAddress2D_v2, 3020, unknown, no)                                              \
  BareOne(cuTexRefSetAddress2D_v3, 4010, unknown, no)                                              \
  BareOne(cuTexRefSetAddressMode, 2000, unknown, no)                                               \
  BareOne(cuTexRefSetArray, 2000, unknown, no)                                                     \
  BareOne(cuTexRefSetBorderColor, 8000, unknown, no)                                               \
  BareOne(cuTexRefSetFilterMode, 2000, unknown, no)                                                \
  BareOne(cuTexRefSetFlags, 2000, unknown, no)                                                     \
  BareOne(cuTexRefSetFormat, 2000, unknown, no)                                                    \
  BareOne(cuTexRefSetMaxAnisotropy, 5000, unknown, no)                                             \
  BareOne(cuTexRefSetMipmapFilterMode, 5000, unknown, no)                                          \
  BareOne(cuTexRefSetMipmapLevelBias, 5000, unknown, no)                                           \
  BareOne(cuTexRefSetMipmapLevelClamp, 5000, unknown, no)                                          \
  BareOne(cuTexRefSetMipmappedArray, 5000, unknown, no)

// clang-format on

#define VRAMLAB_CUDA_FUNCTIONS(One, Two, BareOne, BareTwo)   \
  VRAMLAB_CUDA_DRIVER_FUNCTIONS(One, Two, BareOne, BareTwo)  \
  VRAMLAB_CUDA_DEVICE_FUNCTIONS(One, Two, BareOne, BareTwo)  \
  VRAMLAB_CUDA_CONTEXT_FUNCTIONS(One, Two, BareOne, BareTwo) \
  VRAMLAB_CUDA_MODULE_FUNCTIONS(One, Two, BareOne, BareTwo)  \
  VRAMLAB_CUDA_MEMORY_FUNCTIONS(One, Two, BareOne, BareTwo)  \
  VRAMLAB_CUDA_COPY_FUNCTIONS(One, Two, BareOne, BareTwo)    \
  VRAMLAB_CUDA_MAPPING_FUNCTIONS(One, Two, BareOne, BareTwo) \
  VRAMLAB_CUDA_POOL_FUNCTIONS(One, Two, BareOne, BareTwo)    \
  VRAMLAB_CUDA_SHARING_FUNCTIONS(One, Two, BareOne, BareTwo) \
  VRAMLAB_CUDA_STREAM_FUNCTIONS(One, Two, BareOne, BareTwo)  \
  VRAMLAB_CUDA_EVENT_FUNCTIONS(One, Two, BareOne, BareTwo)   \
  VRAMLAB_CUDA_LAUNCH_FUNCTIONS(One, Two, BareOne, BareTwo)  \
  VRAMLAB_CUDA_GRAPH_FUNCTIONS(One, Two, BareOne, BareTwo)   \
  VRAMLAB_CUDA_TEXTURE_FUNCTIONS(One, Two, BareOne, BareTwo)

// Leaves a kind of rows, or an entry that says `no`, out of what is made of the list.
#define VRAMLAB_CUDA_NONE(...)

// For each function with parameters, VRAMLAB_CUDA_SYMBOL(symbol, parameters), which is defined
// where this is used.
#define VRAMLAB_CUDA_SYMBOLS                                                     \
  VRAMLAB_CUDA_FUNCTIONS(VRAMLAB_CUDA_SYMBOL_OF_ONE, VRAMLAB_CUDA_SYMBOL_OF_TWO, \
                         VRAMLAB_CUDA_NONE, VRAMLAB_CUDA_NONE)
#define VRAMLAB_CUDA_SYMBOL_OF_ONE(name, symbol, since, stand_in, runtime, hook, call, parameters) \
  VRAMLAB_CUDA_SYMBOL(symbol, parameters)
#define VRAMLAB_CUDA_SYMBOL_OF_TWO(name, symbol, since, suffix, other, stand_in, runtime, hook, \
                                   call, parameters)                                            \
  VRAMLAB_CUDA_SYMBOL(symbol, parameters)                                                       \
  VRAMLAB_CUDA_SYMBOL(symbol##suffix, parameters)
