// The functions of memory: allocations, host memory, arrays, pools, mapped memory, pointers,
// handles for other processes. functions.h says what the columns are.
#pragma once

// clang-format off
#define VRAMLAB_CUDA_MEMORY_FUNCTIONS(One, Two)                                                   \
  One(cuMemAlloc, cuMemAlloc_v2, 3020, (CUdeviceptr* at, std::size_t bytes))                      \
  One(cuMemAllocPitch, cuMemAllocPitch_v2, 3020,                                                  \
      (CUdeviceptr* at, std::size_t* pitch, std::size_t width, std::size_t height,                \
       unsigned element))                                                                         \
  One(cuMemAllocManaged, cuMemAllocManaged, 6000,                                                 \
      (CUdeviceptr* at, std::size_t bytes, unsigned flags))                                       \
  One(cuMemFree, cuMemFree_v2, 3020, (CUdeviceptr at))                                            \
  One(cuMemHostAlloc, cuMemHostAlloc, 2020, (void** memory, std::size_t bytes, unsigned flags))   \
  One(cuMemAllocHost, cuMemAllocHost_v2, 3020, (void** memory, std::size_t bytes))                \
  One(cuMemFreeHost, cuMemFreeHost, 2000, (void* memory))                                         \
  One(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 3020,                              \
      (CUdeviceptr* at, void* memory, unsigned flags))                                            \
  One(cuMemHostGetFlags, cuMemHostGetFlags, 2030, (unsigned* flags, void* memory))                \
  One(cuMemHostRegister, cuMemHostRegister_v2, 6050,                                              \
      (void* memory, std::size_t bytes, unsigned flags))                                          \
  One(cuMemHostUnregister, cuMemHostUnregister, 4000, (void* memory))                             \
  One(cuArrayCreate, cuArrayCreate_v2, 3020, (CUarray* array, const CUDA_ARRAY_DESCRIPTOR* wish)) \
  One(cuArray3DCreate, cuArray3DCreate_v2, 3020,                                                  \
      (CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* wish))                                      \
  One(cuArrayDestroy, cuArrayDestroy, 2000, (CUarray array))                                      \
  One(cuMipmappedArrayCreate, cuMipmappedArrayCreate, 5000,                                       \
      (CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* wish, unsigned levels))            \
  One(cuMipmappedArrayDestroy, cuMipmappedArrayDestroy, 5000, (CUmipmappedArray array))           \
  One(cuMemGetInfo, cuMemGetInfo_v2, 3020, (std::size_t* free, std::size_t* total))               \
  One(cuMemGetAddressRange, cuMemGetAddressRange_v2, 3020,                                        \
      (CUdeviceptr* base, std::size_t* bytes, CUdeviceptr at))                                    \
  One(cuMemGetHandleForAddressRange, cuMemGetHandleForAddressRange, 11070,                        \
      (void* handle, CUdeviceptr at, std::size_t bytes, CUmemRangeHandleType type,                \
       unsigned long long flags))                                                                 \
  One(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity, 10020,                        \
      (std::size_t* bytes, const CUmemAllocationProp* wish,                                       \
       CUmemAllocationGranularity_flags option))                                                  \
  One(cuMemAddressReserve, cuMemAddressReserve, 10020,                                            \
      (CUdeviceptr* at, std::size_t bytes, std::size_t alignment, CUdeviceptr hint,               \
       unsigned long long flags))                                                                 \
  One(cuMemAddressFree, cuMemAddressFree, 10020, (CUdeviceptr at, std::size_t bytes))             \
  One(cuMemCreate, cuMemCreate, 10020,                                                            \
      (CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp* wish,  \
       unsigned long long flags))                                                                 \
  One(cuMemRelease, cuMemRelease, 10020, (CUmemGenericAllocationHandle handle))                   \
  One(cuMemRetainAllocationHandle, cuMemRetainAllocationHandle, 11000,                            \
      (CUmemGenericAllocationHandle* handle, void* address))                                      \
  One(cuMemExportToShareableHandle, cuMemExportToShareableHandle, 10020,                          \
      (void* into, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,           \
       unsigned long long flags))                                                                 \
  One(cuMemImportFromShareableHandle, cuMemImportFromShareableHandle, 10020,                      \
      (CUmemGenericAllocationHandle* handle, void* from, CUmemAllocationHandleType type))         \
  One(cuMemMap, cuMemMap, 10020,                                                                  \
      (CUdeviceptr at, std::size_t bytes, std::size_t offset,                                     \
       CUmemGenericAllocationHandle handle, unsigned long long flags))                            \
  One(cuMemUnmap, cuMemUnmap, 10020, (CUdeviceptr at, std::size_t bytes))                         \
  One(cuMemSetAccess, cuMemSetAccess, 10020,                                                      \
      (CUdeviceptr at, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count))      \
  Two(cuMemAllocAsync, cuMemAllocAsync, 11020, _ptsz, 11020,                                      \
      (CUdeviceptr* at, std::size_t bytes, CUstream stream))                                      \
  Two(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, 11020, _ptsz, 11020,                      \
      (CUdeviceptr* at, std::size_t bytes, CUmemoryPool pool, CUstream stream))                   \
  Two(cuMemFreeAsync, cuMemFreeAsync, 11020, _ptsz, 11020, (CUdeviceptr at, CUstream stream))     \
  One(cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, 11020,                                \
      (CUmemoryPool* pool, CUdevice device))                                                      \
  One(cuDeviceGetMemPool, cuDeviceGetMemPool, 11020, (CUmemoryPool* pool, CUdevice device))       \
  One(cuMemPoolCreate, cuMemPoolCreate, 11020, (CUmemoryPool* pool, const CUmemPoolProps* wish))  \
  One(cuMemPoolDestroy, cuMemPoolDestroy, 11020, (CUmemoryPool pool))                             \
  One(cuMemPoolTrimTo, cuMemPoolTrimTo, 11020, (CUmemoryPool pool, std::size_t bytes))            \
  One(cuMemPoolExportToShareableHandle, cuMemPoolExportToShareableHandle, 11020,                  \
      (void* into, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags))  \
  One(cuMemPoolImportFromShareableHandle, cuMemPoolImportFromShareableHandle, 11020,              \
      (CUmemoryPool* pool, void* from, CUmemAllocationHandleType type,                            \
       unsigned long long flags))                                                                 \
  One(cuMemPoolExportPointer, cuMemPoolExportPointer, 11020,                                      \
      (CUmemPoolPtrExportData* data, CUdeviceptr at))                                             \
  One(cuMemPoolImportPointer, cuMemPoolImportPointer, 11020,                                      \
      (CUdeviceptr* at, CUmemoryPool pool, CUmemPoolPtrExportData* data))                         \
  One(cuMulticastCreate, cuMulticastCreate, 12010,                                                \
      (CUmemGenericAllocationHandle* handle, const CUmulticastObjectProp* wish))                  \
  One(cuImportExternalMemory, cuImportExternalMemory, 10000,                                      \
      (CUexternalMemory* memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* what))                   \
  One(cuExternalMemoryGetMappedBuffer, cuExternalMemoryGetMappedBuffer, 10000,                    \
      (CUdeviceptr* at, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* what))   \
  One(cuDestroyExternalMemory, cuDestroyExternalMemory, 10000, (CUexternalMemory memory))         \
  One(cuPointerGetAttribute, cuPointerGetAttribute, 4000,                                         \
      (void* into, CUpointer_attribute attribute, CUdeviceptr at))                                \
  One(cuPointerGetAttributes, cuPointerGetAttributes, 7000,                                       \
      (unsigned count, CUpointer_attribute* attributes, void** into, CUdeviceptr at))             \
  One(cuPointerSetAttribute, cuPointerSetAttribute, 6000,                                         \
      (const void* value, CUpointer_attribute attribute, CUdeviceptr at))                         \
  One(cuIpcGetMemHandle, cuIpcGetMemHandle, 4010, (CUipcMemHandle* handle, CUdeviceptr at))       \
  One(cuIpcOpenMemHandle, cuIpcOpenMemHandle, 4010,                                               \
      (CUdeviceptr* at, CUipcMemHandle handle, unsigned flags))                                   \
  One(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2, 11000,                                           \
      (CUdeviceptr* at, CUipcMemHandle handle, unsigned flags))                                   \
  One(cuIpcCloseMemHandle, cuIpcCloseMemHandle, 4010, (CUdeviceptr at))

// Memory that a graph's nodes allocate and free.
#define VRAMLAB_CUDA_GRAPH_MEMORY_FUNCTIONS(One, Two)                                             \
  One(cuGraphAddMemAllocNode, cuGraphAddMemAllocNode, 11040,                                      \
      (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, std::size_t count,            \
       CUDA_MEM_ALLOC_NODE_PARAMS* wish))                                                         \
  One(cuGraphAddMemFreeNode, cuGraphAddMemFreeNode, 11040,                                        \
      (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, std::size_t count,            \
       CUdeviceptr at))                                                                           \
  One(cuGraphAddNode, cuGraphAddNode, 12020,                                                      \
      (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, std::size_t count,            \
       CUgraphNodeParams* what))                                                                  \
  One(cuGraphAddNode, cuGraphAddNode_v2, 12030,                                                   \
      (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, const CUgraphEdgeData* edges, \
       std::size_t count, CUgraphNodeParams* what))                                               \
  One(cuGraphAddNode, cuGraphAddNode_v3, 13040,                                                   \
      (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, const CUgraphEdgeData* edges, \
       std::size_t count, CUgraphNodeParams* what))
// clang-format on
