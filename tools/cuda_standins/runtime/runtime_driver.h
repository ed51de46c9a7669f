// RuntimeDriver: the driver's functions that CUDA's runtime calls, with the structs that they take
// and the queries by which they are found.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "streams/cuda_interface/function_list.h"
#include "streams/cuda_interface/function_name.h"
#include "tools/cuda_standins/runtime/cudart.h"

namespace vramlab::dry_run {

using CudaContext = struct CUctx_st*;
using CudaModule = struct CUmod_st*;

struct CudaUuid {
  char bytes[16];
};

enum class DriverMemory : unsigned { host = 1, device = 2, array = 3, unified = 4 };

/// One end of a copy of two dimensions.
struct DriverEnd2D {
  std::size_t x_bytes;
  std::size_t y;
  DriverMemory kind;
  const void* host;
  const void* device;
  cudaArray_t array;
  std::size_t pitch;
};
struct DriverCopy2D {
  DriverEnd2D from;
  DriverEnd2D to;
  std::size_t width_bytes;
  std::size_t height;
};

/// One end of a copy of three dimensions. Copies between devices name the context.
struct DriverEnd3D {
  std::size_t x_bytes;
  std::size_t y;
  std::size_t z;
  std::size_t level;
  DriverMemory kind;
  const void* host;
  const void* device;
  cudaArray_t array;
  CudaContext context;
  std::size_t pitch;
  std::size_t height;
};
struct DriverCopy3D {
  DriverEnd3D from;
  DriverEnd3D to;
  std::size_t width_bytes;
  std::size_t height;
  std::size_t depth;
};

struct DriverArray {
  std::size_t width;
  std::size_t height;
  std::size_t depth;
  unsigned format;
  unsigned channels;
  unsigned flags;
};

struct DriverLaunch {
  dim3 grid;
  dim3 block;
  unsigned shared_bytes;
  cudaStream_t stream;
  void* attributes;
  unsigned attribute_count;
};

struct DriverKernelNode {
  cudaFunction_t function;
  dim3 grid;
  dim3 block;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
  void* kernel;
  CudaContext context;
};

// DriverQueries: finds the driver's functions as NVIDIA's runtime does: dlopen, one dlsym of
// cuGetProcAddress_v2, four queries through that, and all others through the function that it gave
// for itself. A library in between sees the same calls.

/// The numbers of the driver's and the runtime's errors are the same.
template <class... Parameters>
using DriverFunction = int (*)(Parameters...);

/// The meaning of stream 0: the device's own, or the thread's own.
enum class DefaultStream : unsigned char { plain, own };

template <class... Parameters>
struct StreamFunction {
  DriverFunction<Parameters...> plain = nullptr;
  DriverFunction<Parameters...> own = nullptr;

  DriverFunction<Parameters...> operator[](DefaultStream variant) const {
    return variant == DefaultStream::plain ? plain : own;
  }
};

/// The query for a function: its name, and the version of CUDA since which the name means it.
struct DriverQuery {
  std::string_view name;
  int since = 0;
};
/// The same where another function takes stream 0 for the thread's own.
struct TwinQuery {
  std::string_view name;
  int since = 0;
  int own_since = 0;
};

/// The queries for all functions, by their symbols: driver::cuMemAlloc_v2.
namespace driver {
// NOLINTBEGIN(readability-identifier-naming): CUDA names them.
#define QUERY_OF_ONE(name, symbol, since, ...) inline constexpr DriverQuery symbol{#name, since};
#define QUERY_OF_TWO(name, symbol, since, suffix, other, ...) \
  inline constexpr TwinQuery symbol{#name, since, other};
#define QUERY_OF_BARE_ONE(symbol, since, ...) \
  inline constexpr DriverQuery symbol{driver_name(#symbol), since};
#define QUERY_OF_BARE_TWO(symbol, since, suffix, other, ...) \
  inline constexpr TwinQuery symbol{driver_name(#symbol), since, other};
VRAMLAB_CUDA_FUNCTIONS(QUERY_OF_ONE, QUERY_OF_TWO, QUERY_OF_BARE_ONE, QUERY_OF_BARE_TWO)
#undef QUERY_OF_ONE
#undef QUERY_OF_TWO
#undef QUERY_OF_BARE_ONE
#undef QUERY_OF_BARE_TWO
// NOLINTEND(readability-identifier-naming)
}  // namespace driver

/// Every answer can be called: a function that the driver lacks answers "not supported".
class DriverQueries {
 public:
  /// Becomes a pointer of the type that it is stored in.
  struct Answer {
    void* address = nullptr;
    template <class... Parameters>
    operator DriverFunction<Parameters...>() const {  // NOLINT(google-explicit-constructor)
      return reinterpret_cast<DriverFunction<Parameters...>>(address);
    }
  };
  struct Answers {
    Answer plain;
    Answer own;
    template <class... Parameters>
    operator StreamFunction<Parameters...>() const {  // NOLINT(google-explicit-constructor)
      return {plain, own};
    }
  };

  DriverQueries();
  Answer operator()(const DriverQuery& query) const;
  Answers operator()(const TwinQuery& query) const;
  bool has_driver() const { return get_ != nullptr; }
  /// A symbol of the driver's library that is no function of CUDA's; null where it has none.
  void* symbol(const char* name) const;

 private:
  void* ask(const DriverQuery& query, unsigned long long flags) const;
  void* answer_to(const DriverQuery& query, unsigned long long flags) const;
  void ask_all();

  void* library_ = nullptr;
  DriverFunction<const char*, void**, int, unsigned long long, int*> get_ = nullptr;
  std::unordered_map<std::string, void*> asked_;
};

// RuntimeDriver: the driver's functions that CUDA's runtime calls, by their symbols.
//
// Device addresses are numbers in the driver's interface and pointers in the runtime's. Both travel
// alike, so that the functions are declared with pointers here.

struct RuntimeDriver {
  using Nodes = const cudaGraphNode_t*;
  DriverQueries ask;

  // The driver itself and its devices.
  DriverFunction<unsigned> init = ask(driver::cuInit);
  DriverFunction<const char*, void**, int, unsigned long long, int*> get_proc_address =
      ask(driver::cuGetProcAddress_v2);
  DriverFunction<int*> driver_version = ask(driver::cuDriverGetVersion);
  DriverFunction<int*> device_count = ask(driver::cuDeviceGetCount);
  DriverFunction<char*, int, int> device_name = ask(driver::cuDeviceGetName);
  DriverFunction<CudaUuid*, int> device_uuid = ask(driver::cuDeviceGetUuid_v2);
  DriverFunction<size_t*, int> device_memory = ask(driver::cuDeviceTotalMem_v2);
  DriverFunction<int*, int, int> device_attribute = ask(driver::cuDeviceGetAttribute);
  DriverFunction<char*, int, int> pci_bus_id = ask(driver::cuDeviceGetPCIBusId);
  DriverFunction<int*, const char*> device_by_pci_bus_id = ask(driver::cuDeviceGetByPCIBusId);
  DriverFunction<int*, int, int> can_access_peer = ask(driver::cuDeviceCanAccessPeer);
  DriverFunction<int*, int, int, int> peer_attribute = ask(driver::cuDeviceGetP2PAttribute);
  DriverFunction<int, int> flush_rdma_writes = ask(driver::cuFlushGPUDirectRDMAWrites);

  // Contexts.
  DriverFunction<CudaContext*, int> retain = ask(driver::cuDevicePrimaryCtxRetain);
  DriverFunction<int> reset = ask(driver::cuDevicePrimaryCtxReset_v2);
  DriverFunction<int, unsigned> set_primary_flags = ask(driver::cuDevicePrimaryCtxSetFlags_v2);
  DriverFunction<int, unsigned*, int*> primary_state = ask(driver::cuDevicePrimaryCtxGetState);
  DriverFunction<CudaContext> set_current = ask(driver::cuCtxSetCurrent);
  DriverFunction<CudaContext*> get_current = ask(driver::cuCtxGetCurrent);
  DriverFunction<int*> context_device = ask(driver::cuCtxGetDevice);
  DriverFunction<> synchronize = ask(driver::cuCtxSynchronize);
  DriverFunction<size_t*, int> get_limit = ask(driver::cuCtxGetLimit);
  DriverFunction<int, size_t> set_limit = ask(driver::cuCtxSetLimit);
  DriverFunction<int*> get_cache = ask(driver::cuCtxGetCacheConfig);
  DriverFunction<int> set_cache = ask(driver::cuCtxSetCacheConfig);
  DriverFunction<int*> get_banks = ask(driver::cuCtxGetSharedMemConfig);
  DriverFunction<int> set_banks = ask(driver::cuCtxSetSharedMemConfig);
  DriverFunction<int*, int*> stream_priorities = ask(driver::cuCtxGetStreamPriorityRange);
  DriverFunction<> reset_l2 = ask(driver::cuCtxResetPersistingL2Cache);
  DriverFunction<CudaContext, unsigned> enable_peer = ask(driver::cuCtxEnablePeerAccess);
  DriverFunction<CudaContext> disable_peer = ask(driver::cuCtxDisablePeerAccess);

  // Memory.
  DriverFunction<void**, size_t> mem_alloc = ask(driver::cuMemAlloc_v2);
  DriverFunction<void**, size_t*, size_t, size_t, unsigned> alloc_pitch =
      ask(driver::cuMemAllocPitch_v2);
  DriverFunction<void**, size_t, unsigned> alloc_managed = ask(driver::cuMemAllocManaged);
  DriverFunction<void*> mem_free = ask(driver::cuMemFree_v2);
  DriverFunction<size_t*, size_t*> mem_get_info = ask(driver::cuMemGetInfo_v2);
  DriverFunction<void**, size_t, unsigned> host_alloc = ask(driver::cuMemHostAlloc);
  DriverFunction<void*> host_free = ask(driver::cuMemFreeHost);
  DriverFunction<void*, size_t, unsigned> host_register = ask(driver::cuMemHostRegister_v2);
  DriverFunction<void*> host_unregister = ask(driver::cuMemHostUnregister);
  DriverFunction<void**, void*, unsigned> host_device_pointer =
      ask(driver::cuMemHostGetDevicePointer_v2);
  DriverFunction<unsigned*, void*> host_flags = ask(driver::cuMemHostGetFlags);
  DriverFunction<unsigned, int*, void**, const void*> pointer_attributes =
      ask(driver::cuPointerGetAttributes);
  DriverFunction<const void*, size_t, int, int> advise = ask(driver::cuMemAdvise);
  DriverFunction<const void*, size_t, int, cudaMemLocation> advise_at = ask(driver::cuMemAdvise_v2);
  DriverFunction<void*, size_t, int, const void*, size_t> range_attribute =
      ask(driver::cuMemRangeGetAttribute);
  DriverFunction<void**, size_t*, int*, size_t, const void*, size_t> range_attributes =
      ask(driver::cuMemRangeGetAttributes);
  StreamFunction<const void*, size_t, int, cudaStream_t> prefetch = ask(driver::cuMemPrefetchAsync);
  StreamFunction<const void*, size_t, cudaMemLocation, unsigned, cudaStream_t> prefetch_to =
      ask(driver::cuMemPrefetchAsync_v2);

  // Pools.
  StreamFunction<void**, size_t, cudaStream_t> alloc_async = ask(driver::cuMemAllocAsync);
  StreamFunction<void**, size_t, cudaMemPool_t, cudaStream_t> alloc_from_pool =
      ask(driver::cuMemAllocFromPoolAsync);
  StreamFunction<void*, cudaStream_t> free_async = ask(driver::cuMemFreeAsync);
  DriverFunction<cudaMemPool_t*, int> default_pool = ask(driver::cuDeviceGetDefaultMemPool);
  DriverFunction<cudaMemPool_t*, int> get_pool = ask(driver::cuDeviceGetMemPool);
  DriverFunction<int, cudaMemPool_t> set_pool = ask(driver::cuDeviceSetMemPool);
  DriverFunction<cudaMemPool_t*, const cudaMemPoolProps*> pool_create =
      ask(driver::cuMemPoolCreate);
  DriverFunction<cudaMemPool_t> pool_destroy = ask(driver::cuMemPoolDestroy);
  DriverFunction<cudaMemPool_t, size_t> pool_trim = ask(driver::cuMemPoolTrimTo);
  DriverFunction<cudaMemPool_t, int, void*> pool_get = ask(driver::cuMemPoolGetAttribute);
  DriverFunction<cudaMemPool_t, int, void*> pool_set = ask(driver::cuMemPoolSetAttribute);
  DriverFunction<int*, cudaMemPool_t, cudaMemLocation*> pool_get_access =
      ask(driver::cuMemPoolGetAccess);
  DriverFunction<cudaMemPool_t, const cudaMemAccessDesc*, size_t> pool_set_access =
      ask(driver::cuMemPoolSetAccess);
  DriverFunction<void*, cudaMemPool_t, int, unsigned long long> pool_export =
      ask(driver::cuMemPoolExportToShareableHandle);
  DriverFunction<cudaMemPool_t*, void*, int, unsigned long long> pool_import =
      ask(driver::cuMemPoolImportFromShareableHandle);
  DriverFunction<void*, void*> pool_export_pointer = ask(driver::cuMemPoolExportPointer);
  DriverFunction<void**, cudaMemPool_t, void*> pool_import_pointer =
      ask(driver::cuMemPoolImportPointer);
  DriverFunction<cudaMemPool_t*, cudaMemLocation*, int> default_pool_at =
      ask(driver::cuMemGetDefaultMemPool);
  DriverFunction<cudaMemPool_t*, cudaMemLocation*, int> get_pool_at = ask(driver::cuMemGetMemPool);
  DriverFunction<cudaMemLocation*, int, cudaMemPool_t> set_pool_at = ask(driver::cuMemSetMemPool);
  DriverFunction<int, int, void*> get_graph_memory = ask(driver::cuDeviceGetGraphMemAttribute);
  DriverFunction<int, int, void*> set_graph_memory = ask(driver::cuDeviceSetGraphMemAttribute);
  DriverFunction<int> trim_graph_memory = ask(driver::cuDeviceGraphMemTrim);

  // Handles for other processes.
  DriverFunction<cudaIpcMemHandle_t*, const void*> ipc_get_memory = ask(driver::cuIpcGetMemHandle);
  DriverFunction<void**, cudaIpcMemHandle_t, unsigned> ipc_open_memory =
      ask(driver::cuIpcOpenMemHandle_v2);
  DriverFunction<void*> ipc_close_memory = ask(driver::cuIpcCloseMemHandle);
  DriverFunction<cudaIpcEventHandle_t*, cudaEvent_t> ipc_get_event =
      ask(driver::cuIpcGetEventHandle);
  DriverFunction<cudaEvent_t*, cudaIpcEventHandle_t> ipc_open_event =
      ask(driver::cuIpcOpenEventHandle);

  // Copies.
  StreamFunction<void*, const void*, size_t> copy = ask(driver::cuMemcpy);
  StreamFunction<void*, const void*, size_t, cudaStream_t> copy_async = ask(driver::cuMemcpyAsync);
  StreamFunction<void*, CudaContext, const void*, CudaContext, size_t> copy_peer =
      ask(driver::cuMemcpyPeer);
  StreamFunction<void*, CudaContext, const void*, CudaContext, size_t, cudaStream_t>
      copy_peer_async = ask(driver::cuMemcpyPeerAsync);
  StreamFunction<const DriverCopy2D*> copy_2d = ask(driver::cuMemcpy2DUnaligned_v2);
  StreamFunction<const DriverCopy2D*, cudaStream_t> copy_2d_async = ask(driver::cuMemcpy2DAsync_v2);
  StreamFunction<const DriverCopy3D*> copy_3d = ask(driver::cuMemcpy3D_v2);
  StreamFunction<const DriverCopy3D*, cudaStream_t> copy_3d_async = ask(driver::cuMemcpy3DAsync_v2);
  StreamFunction<const DriverCopy3D*> copy_3d_peer = ask(driver::cuMemcpy3DPeer);
  StreamFunction<const DriverCopy3D*, cudaStream_t> copy_3d_peer_async =
      ask(driver::cuMemcpy3DPeerAsync);
  StreamFunction<void*, unsigned char, size_t> set = ask(driver::cuMemsetD8_v2);
  StreamFunction<void*, unsigned char, size_t, cudaStream_t> set_async =
      ask(driver::cuMemsetD8Async);
  StreamFunction<void*, size_t, unsigned char, size_t, size_t> set_2d =
      ask(driver::cuMemsetD2D8_v2);
  StreamFunction<void*, size_t, unsigned char, size_t, size_t, cudaStream_t> set_2d_async =
      ask(driver::cuMemsetD2D8Async);

  // Arrays, textures and surfaces.
  DriverFunction<cudaArray_t*, const DriverArray*> array_create = ask(driver::cuArray3DCreate_v2);
  DriverFunction<DriverArray*, cudaArray_t> array_descriptor =
      ask(driver::cuArray3DGetDescriptor_v2);
  DriverFunction<cudaArray_t> array_destroy = ask(driver::cuArrayDestroy);
  DriverFunction<cudaArray_t*, cudaArray_t, unsigned> array_plane = ask(driver::cuArrayGetPlane);
  DriverFunction<cudaMipmappedArray_t*, const DriverArray*, unsigned> mipmapped_create =
      ask(driver::cuMipmappedArrayCreate);
  DriverFunction<cudaMipmappedArray_t> mipmapped_destroy = ask(driver::cuMipmappedArrayDestroy);
  DriverFunction<cudaArray_t*, cudaMipmappedArray_t, unsigned> mipmapped_level =
      ask(driver::cuMipmappedArrayGetLevel);

  // Streams and events.
  DriverFunction<cudaStream_t*, unsigned> stream_create = ask(driver::cuStreamCreate);
  DriverFunction<cudaStream_t*, unsigned, int> stream_create_with_priority =
      ask(driver::cuStreamCreateWithPriority);
  DriverFunction<cudaStream_t> stream_destroy = ask(driver::cuStreamDestroy_v2);
  StreamFunction<cudaStream_t> stream_query = ask(driver::cuStreamQuery);
  StreamFunction<cudaStream_t> stream_synchronize = ask(driver::cuStreamSynchronize);
  StreamFunction<cudaStream_t, cudaEvent_t, unsigned> stream_wait = ask(driver::cuStreamWaitEvent);
  StreamFunction<cudaStream_t, int*> stream_priority = ask(driver::cuStreamGetPriority);
  StreamFunction<cudaStream_t, unsigned*> stream_flags = ask(driver::cuStreamGetFlags);
  StreamFunction<cudaStream_t, unsigned long long*> stream_id = ask(driver::cuStreamGetId);
  StreamFunction<cudaStream_t, int*> stream_device = ask(driver::cuStreamGetDevice);
  StreamFunction<cudaStream_t, CudaContext*> stream_context = ask(driver::cuStreamGetCtx);
  StreamFunction<cudaStream_t, void*, size_t, unsigned> stream_attach =
      ask(driver::cuStreamAttachMemAsync);
  StreamFunction<cudaStream_t, cudaStreamCallback_t, void*, unsigned> stream_callback =
      ask(driver::cuStreamAddCallback);
  StreamFunction<cudaStream_t, cudaHostFn_t, void*> host_function = ask(driver::cuLaunchHostFunc);
  StreamFunction<cudaStream_t, cudaStream_t> stream_copy_attributes =
      ask(driver::cuStreamCopyAttributes);
  StreamFunction<cudaStream_t, int, void*> stream_get_attribute = ask(driver::cuStreamGetAttribute);
  StreamFunction<cudaStream_t, int, const void*> stream_set_attribute =
      ask(driver::cuStreamSetAttribute);
  DriverFunction<cudaEvent_t*, unsigned> event_create = ask(driver::cuEventCreate);
  DriverFunction<cudaEvent_t> event_destroy = ask(driver::cuEventDestroy_v2);
  DriverFunction<cudaEvent_t> event_query = ask(driver::cuEventQuery);
  DriverFunction<cudaEvent_t> event_synchronize = ask(driver::cuEventSynchronize);
  DriverFunction<float*, cudaEvent_t, cudaEvent_t> event_elapsed = ask(driver::cuEventElapsedTime);
  StreamFunction<cudaEvent_t, cudaStream_t> event_record = ask(driver::cuEventRecord);
  StreamFunction<cudaEvent_t, cudaStream_t, unsigned> event_record_with_flags =
      ask(driver::cuEventRecordWithFlags);

  // Captures.
  StreamFunction<cudaStream_t, int> begin_capture = ask(driver::cuStreamBeginCapture_v2);
  StreamFunction<cudaStream_t, cudaGraph_t, Nodes, const cudaGraphEdgeData*, size_t, int>
      begin_capture_to_graph = ask(driver::cuStreamBeginCaptureToGraph);
  StreamFunction<cudaStream_t, cudaGraph_t*> end_capture = ask(driver::cuStreamEndCapture);
  StreamFunction<cudaStream_t, int*> is_capturing = ask(driver::cuStreamIsCapturing);
  StreamFunction<cudaStream_t, int*, unsigned long long*> capture_id =
      ask(driver::cuStreamGetCaptureInfo);
  StreamFunction<cudaStream_t, int*, unsigned long long*, cudaGraph_t*, Nodes*, size_t*>
      capture_info = ask(driver::cuStreamGetCaptureInfo_v2);
  StreamFunction<cudaStream_t, int*, unsigned long long*, cudaGraph_t*, Nodes*,
                 const cudaGraphEdgeData**, size_t*>
      capture_edges = ask(driver::cuStreamGetCaptureInfo_v3);
  StreamFunction<cudaStream_t, cudaGraphNode_t*, size_t, unsigned> update_capture =
      ask(driver::cuStreamUpdateCaptureDependencies);
  StreamFunction<cudaStream_t, cudaGraphNode_t*, const cudaGraphEdgeData*, size_t, unsigned>
      update_capture_edges = ask(driver::cuStreamUpdateCaptureDependencies_v2);
  DriverFunction<int*> exchange_capture_mode = ask(driver::cuThreadExchangeStreamCaptureMode);

  // Modules, functions and launches.
  DriverFunction<CudaModule*, const void*> module_load = ask(driver::cuModuleLoadData);
  DriverFunction<cudaFunction_t*, CudaModule, const char*> module_function =
      ask(driver::cuModuleGetFunction);
  DriverFunction<void**, size_t*, CudaModule, const char*> module_global =
      ask(driver::cuModuleGetGlobal_v2);
  DriverFunction<int*, int, cudaFunction_t> function_attribute = ask(driver::cuFuncGetAttribute);
  DriverFunction<cudaFunction_t, int, int> set_function_attribute = ask(driver::cuFuncSetAttribute);
  DriverFunction<cudaFunction_t, int> set_function_cache = ask(driver::cuFuncSetCacheConfig);
  DriverFunction<cudaFunction_t, size_t, size_t*, size_t*> function_parameter =
      ask(driver::cuFuncGetParamInfo);
  DriverFunction<int*, cudaFunction_t, int, size_t, unsigned> most_blocks =
      ask(driver::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
  DriverFunction<size_t*, cudaFunction_t, int, int> shared_left =
      ask(driver::cuOccupancyAvailableDynamicSMemPerBlock);
  DriverFunction<int*, cudaFunction_t, const DriverLaunch*> most_clusters =
      ask(driver::cuOccupancyMaxActiveClusters);
  DriverFunction<int*, cudaFunction_t, const DriverLaunch*> largest_cluster =
      ask(driver::cuOccupancyMaxPotentialClusterSize);
  StreamFunction<cudaFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                 unsigned, cudaStream_t, void**, void**>
      launch = ask(driver::cuLaunchKernel);
  StreamFunction<const DriverLaunch*, cudaFunction_t, void**, void**> launch_with =
      ask(driver::cuLaunchKernelEx);
  StreamFunction<cudaFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                 unsigned, cudaStream_t, void**>
      launch_cooperative = ask(driver::cuLaunchCooperativeKernel);

  // Libraries.
  DriverFunction<cudaLibrary_t*, const void*, int*, void**, unsigned, int*, void**, unsigned>
      library_load = ask(driver::cuLibraryLoadData);
  DriverFunction<cudaLibrary_t*, const char*, int*, void**, unsigned, int*, void**, unsigned>
      library_load_file = ask(driver::cuLibraryLoadFromFile);
  DriverFunction<cudaLibrary_t> library_unload = ask(driver::cuLibraryUnload);
  DriverFunction<cudaKernel_t*, cudaLibrary_t, const char*> library_kernel =
      ask(driver::cuLibraryGetKernel);
  DriverFunction<void**, size_t*, cudaLibrary_t, const char*> library_global =
      ask(driver::cuLibraryGetGlobal);
  DriverFunction<void**, size_t*, cudaLibrary_t, const char*> library_managed =
      ask(driver::cuLibraryGetManaged);
  DriverFunction<void**, cudaLibrary_t, const char*> library_unified =
      ask(driver::cuLibraryGetUnifiedFunction);
  DriverFunction<unsigned*, cudaLibrary_t> library_kernel_count =
      ask(driver::cuLibraryGetKernelCount);
  DriverFunction<cudaKernel_t*, unsigned, cudaLibrary_t> library_kernels =
      ask(driver::cuLibraryEnumerateKernels);
  DriverFunction<cudaFunction_t*, cudaKernel_t> kernel_function = ask(driver::cuKernelGetFunction);
  DriverFunction<int, int, cudaKernel_t, int> set_kernel_attribute =
      ask(driver::cuKernelSetAttribute);

  // Graphs.
  DriverFunction<cudaGraph_t*, unsigned> graph_create = ask(driver::cuGraphCreate);
  DriverFunction<cudaGraph_t> graph_destroy = ask(driver::cuGraphDestroy);
  DriverFunction<cudaGraph_t*, cudaGraph_t> graph_clone = ask(driver::cuGraphClone);
  DriverFunction<cudaGraphNode_t*, cudaGraphNode_t, cudaGraph_t> find_in_clone =
      ask(driver::cuGraphNodeFindInClone);
  DriverFunction<cudaGraph_t, const char*, unsigned> graph_print =
      ask(driver::cuGraphDebugDotPrint);
  DriverFunction<cudaGraph_t, cudaGraphNode_t*, size_t*> graph_nodes = ask(driver::cuGraphGetNodes);
  DriverFunction<cudaGraph_t, cudaGraphNode_t*, size_t*> graph_roots =
      ask(driver::cuGraphGetRootNodes);
  DriverFunction<cudaGraph_t, cudaGraphNode_t*, cudaGraphNode_t*, size_t*> graph_edges =
      ask(driver::cuGraphGetEdges);
  DriverFunction<cudaGraph_t, cudaGraphNode_t*, cudaGraphNode_t*, cudaGraphEdgeData*, size_t*>
      graph_edges_with_data = ask(driver::cuGraphGetEdges_v2);
  DriverFunction<cudaGraph_t, Nodes, Nodes, size_t> add_dependencies =
      ask(driver::cuGraphAddDependencies);
  DriverFunction<cudaGraph_t, Nodes, Nodes, const cudaGraphEdgeData*, size_t>
      add_dependencies_with_data = ask(driver::cuGraphAddDependencies_v2);
  DriverFunction<cudaGraph_t, Nodes, Nodes, size_t> remove_dependencies =
      ask(driver::cuGraphRemoveDependencies);
  DriverFunction<cudaGraph_t, Nodes, Nodes, const cudaGraphEdgeData*, size_t>
      remove_dependencies_with_data = ask(driver::cuGraphRemoveDependencies_v2);
  DriverFunction<cudaGraphNode_t, cudaGraphNode_t*, size_t*> node_dependencies =
      ask(driver::cuGraphNodeGetDependencies);
  DriverFunction<cudaGraphNode_t, cudaGraphNode_t*, cudaGraphEdgeData*, size_t*>
      node_dependencies_with_data = ask(driver::cuGraphNodeGetDependencies_v2);
  DriverFunction<cudaGraphNode_t, cudaGraphNode_t*, size_t*> node_dependents =
      ask(driver::cuGraphNodeGetDependentNodes);
  DriverFunction<cudaGraphNode_t, cudaGraphNode_t*, cudaGraphEdgeData*, size_t*>
      node_dependents_with_data = ask(driver::cuGraphNodeGetDependentNodes_v2);
  DriverFunction<cudaGraphNode_t, int*> node_type = ask(driver::cuGraphNodeGetType);
  DriverFunction<cudaGraphNode_t> node_destroy = ask(driver::cuGraphDestroyNode);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, const DriverKernelNode*>
      add_kernel_node = ask(driver::cuGraphAddKernelNode_v2);
  DriverFunction<cudaGraphNode_t, DriverKernelNode*> get_kernel_node =
      ask(driver::cuGraphKernelNodeGetParams_v2);
  DriverFunction<cudaGraphNode_t, const DriverKernelNode*> set_kernel_node =
      ask(driver::cuGraphKernelNodeSetParams_v2);
  DriverFunction<cudaGraphNode_t, int, void*> get_kernel_node_attribute =
      ask(driver::cuGraphKernelNodeGetAttribute);
  DriverFunction<cudaGraphNode_t, int, const void*> set_kernel_node_attribute =
      ask(driver::cuGraphKernelNodeSetAttribute);
  DriverFunction<cudaGraphNode_t, cudaGraphNode_t> copy_kernel_node_attributes =
      ask(driver::cuGraphKernelNodeCopyAttributes);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, const DriverCopy3D*, CudaContext>
      add_copy_node = ask(driver::cuGraphAddMemcpyNode);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, const cudaMemsetParams*, CudaContext>
      add_set_node = ask(driver::cuGraphAddMemsetNode);
  DriverFunction<cudaGraphNode_t, cudaMemsetParams*> get_set_node =
      ask(driver::cuGraphMemsetNodeGetParams);
  DriverFunction<cudaGraphNode_t, const cudaMemsetParams*> set_set_node =
      ask(driver::cuGraphMemsetNodeSetParams);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, const cudaHostNodeParams*>
      add_host_node = ask(driver::cuGraphAddHostNode);
  DriverFunction<cudaGraphNode_t, cudaHostNodeParams*> get_host_node =
      ask(driver::cuGraphHostNodeGetParams);
  DriverFunction<cudaGraphNode_t, const cudaHostNodeParams*> set_host_node =
      ask(driver::cuGraphHostNodeSetParams);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, cudaGraph_t> add_child_node =
      ask(driver::cuGraphAddChildGraphNode);
  DriverFunction<cudaGraphNode_t, cudaGraph_t*> get_child_node =
      ask(driver::cuGraphChildGraphNodeGetGraph);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t> add_empty_node =
      ask(driver::cuGraphAddEmptyNode);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, cudaEvent_t> add_record_node =
      ask(driver::cuGraphAddEventRecordNode);
  DriverFunction<cudaGraphNode_t, cudaEvent_t*> get_record_node =
      ask(driver::cuGraphEventRecordNodeGetEvent);
  DriverFunction<cudaGraphNode_t, cudaEvent_t> set_record_node =
      ask(driver::cuGraphEventRecordNodeSetEvent);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, cudaEvent_t> add_wait_node =
      ask(driver::cuGraphAddEventWaitNode);
  DriverFunction<cudaGraphNode_t, cudaEvent_t*> get_wait_node =
      ask(driver::cuGraphEventWaitNodeGetEvent);
  DriverFunction<cudaGraphNode_t, cudaEvent_t> set_wait_node =
      ask(driver::cuGraphEventWaitNodeSetEvent);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, cudaMemAllocNodeParams*>
      add_alloc_node = ask(driver::cuGraphAddMemAllocNode);
  DriverFunction<cudaGraphNode_t, cudaMemAllocNodeParams*> get_alloc_node =
      ask(driver::cuGraphMemAllocNodeGetParams);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, void*> add_free_node =
      ask(driver::cuGraphAddMemFreeNode);
  DriverFunction<cudaGraphNode_t, void*> get_free_node = ask(driver::cuGraphMemFreeNodeGetParams);

  // Graphs that run.
  DriverFunction<cudaGraphExec_t*, cudaGraph_t, unsigned long long> instantiate =
      ask(driver::cuGraphInstantiateWithFlags);
  StreamFunction<cudaGraphExec_t*, cudaGraph_t, cudaGraphInstantiateParams*> instantiate_with =
      ask(driver::cuGraphInstantiateWithParams);
  DriverFunction<cudaGraphExec_t, unsigned long long*> exec_flags =
      ask(driver::cuGraphExecGetFlags);
  DriverFunction<cudaGraphExec_t> exec_destroy = ask(driver::cuGraphExecDestroy);
  DriverFunction<cudaGraphExec_t, cudaGraph_t, cudaGraphExecUpdateResultInfo*> exec_update =
      ask(driver::cuGraphExecUpdate_v2);
  StreamFunction<cudaGraphExec_t, cudaStream_t> graph_launch = ask(driver::cuGraphLaunch);
  StreamFunction<cudaGraphExec_t, cudaStream_t> graph_upload = ask(driver::cuGraphUpload);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, const DriverKernelNode*> exec_set_kernel_node =
      ask(driver::cuGraphExecKernelNodeSetParams_v2);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, const cudaMemsetParams*, CudaContext>
      exec_set_set_node = ask(driver::cuGraphExecMemsetNodeSetParams);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, const cudaHostNodeParams*> exec_set_host_node =
      ask(driver::cuGraphExecHostNodeSetParams);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, cudaGraph_t> exec_set_child_node =
      ask(driver::cuGraphExecChildGraphNodeSetParams);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t> exec_set_record_node =
      ask(driver::cuGraphExecEventRecordNodeSetEvent);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t> exec_set_wait_node =
      ask(driver::cuGraphExecEventWaitNodeSetEvent);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, const DriverCopy3D*, CudaContext>
      exec_set_copy_node = ask(driver::cuGraphExecMemcpyNodeSetParams);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, unsigned> set_node_enabled =
      ask(driver::cuGraphNodeSetEnabled);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, unsigned*> get_node_enabled =
      ask(driver::cuGraphNodeGetEnabled);
  DriverFunction<cudaUserObject_t*, void*, cudaHostFn_t, unsigned, unsigned> object_create =
      ask(driver::cuUserObjectCreate);
  DriverFunction<cudaUserObject_t, unsigned> object_retain = ask(driver::cuUserObjectRetain);
  DriverFunction<cudaUserObject_t, unsigned> object_release = ask(driver::cuUserObjectRelease);
  DriverFunction<cudaGraph_t, cudaUserObject_t, unsigned, unsigned> graph_retain_object =
      ask(driver::cuGraphRetainUserObject);
  DriverFunction<cudaGraph_t, cudaUserObject_t, unsigned> graph_release_object =
      ask(driver::cuGraphReleaseUserObject);
};

/// The functions are looked up at the first call.
const RuntimeDriver& runtime_driver();

}  // namespace vramlab::dry_run
