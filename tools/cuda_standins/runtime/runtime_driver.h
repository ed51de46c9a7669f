// RuntimeDriver: the driver's functions that CUDA's runtime calls, each with the version of CUDA
// since which its name means this function.
//
// Device addresses are numbers in the driver's interface and pointers in the runtime's. Both travel
// alike, so that the functions are declared with pointers here.
#pragma once

#include "tools/cuda_standins/runtime/cudart.h"
#include "tools/cuda_standins/runtime/driver_queries.h"
#include "tools/cuda_standins/runtime/driver_structs.h"

namespace vramlab::dry_run {

struct RuntimeDriver {
  using Nodes = const cudaGraphNode_t*;
  DriverQueries ask;

  // The driver itself and its devices.
  DriverFunction<unsigned> init = ask("cuInit", 2000);
  DriverFunction<const char*, void**, int, unsigned long long, int*> get_proc_address =
      ask("cuGetProcAddress", 12000);
  DriverFunction<int*> driver_version = ask("cuDriverGetVersion", 2020);
  DriverFunction<int*> device_count = ask("cuDeviceGetCount", 2000);
  DriverFunction<char*, int, int> device_name = ask("cuDeviceGetName", 2000);
  DriverFunction<CudaUuid*, int> device_uuid = ask("cuDeviceGetUuid", 11040);
  DriverFunction<size_t*, int> device_memory = ask("cuDeviceTotalMem", 3020);
  DriverFunction<int*, int, int> device_attribute = ask("cuDeviceGetAttribute", 2000);
  DriverFunction<char*, int, int> pci_bus_id = ask("cuDeviceGetPCIBusId", 4010);
  DriverFunction<int*, const char*> device_by_pci_bus_id = ask("cuDeviceGetByPCIBusId", 4010);
  DriverFunction<int*, int, int> can_access_peer = ask("cuDeviceCanAccessPeer", 4000);
  DriverFunction<int*, int, int, int> peer_attribute = ask("cuDeviceGetP2PAttribute", 8000);
  DriverFunction<int, int> flush_rdma_writes = ask("cuFlushGPUDirectRDMAWrites", 11030);

  // Contexts.
  DriverFunction<CudaContext*, int> retain = ask("cuDevicePrimaryCtxRetain", 7000);
  DriverFunction<int> reset = ask("cuDevicePrimaryCtxReset", 11000);
  DriverFunction<int, unsigned> set_primary_flags = ask("cuDevicePrimaryCtxSetFlags", 11000);
  DriverFunction<int, unsigned*, int*> primary_state = ask("cuDevicePrimaryCtxGetState", 7000);
  DriverFunction<CudaContext> set_current = ask("cuCtxSetCurrent", 4000);
  DriverFunction<CudaContext*> get_current = ask("cuCtxGetCurrent", 4000);
  DriverFunction<int*> context_device = ask("cuCtxGetDevice", 2000);
  DriverFunction<> synchronize = ask("cuCtxSynchronize", 2000);
  DriverFunction<size_t*, int> get_limit = ask("cuCtxGetLimit", 3010);
  DriverFunction<int, size_t> set_limit = ask("cuCtxSetLimit", 3010);
  DriverFunction<int*> get_cache = ask("cuCtxGetCacheConfig", 3020);
  DriverFunction<int> set_cache = ask("cuCtxSetCacheConfig", 3020);
  DriverFunction<int*> get_banks = ask("cuCtxGetSharedMemConfig", 4020);
  DriverFunction<int> set_banks = ask("cuCtxSetSharedMemConfig", 4020);
  DriverFunction<int*, int*> stream_priorities = ask("cuCtxGetStreamPriorityRange", 5050);
  DriverFunction<> reset_l2 = ask("cuCtxResetPersistingL2Cache", 11000);
  DriverFunction<CudaContext, unsigned> enable_peer = ask("cuCtxEnablePeerAccess", 4000);
  DriverFunction<CudaContext> disable_peer = ask("cuCtxDisablePeerAccess", 4000);

  // Memory.
  DriverFunction<void**, size_t> mem_alloc = ask("cuMemAlloc", 3020);
  DriverFunction<void**, size_t*, size_t, size_t, unsigned> alloc_pitch =
      ask("cuMemAllocPitch", 3020);
  DriverFunction<void**, size_t, unsigned> alloc_managed = ask("cuMemAllocManaged", 6000);
  DriverFunction<void*> mem_free = ask("cuMemFree", 3020);
  DriverFunction<size_t*, size_t*> mem_get_info = ask("cuMemGetInfo", 3020);
  DriverFunction<void**, size_t, unsigned> host_alloc = ask("cuMemHostAlloc", 2020);
  DriverFunction<void*> host_free = ask("cuMemFreeHost", 2000);
  DriverFunction<void*, size_t, unsigned> host_register = ask("cuMemHostRegister", 6050);
  DriverFunction<void*> host_unregister = ask("cuMemHostUnregister", 4000);
  DriverFunction<void**, void*, unsigned> host_device_pointer =
      ask("cuMemHostGetDevicePointer", 3020);
  DriverFunction<unsigned*, void*> host_flags = ask("cuMemHostGetFlags", 2030);
  DriverFunction<unsigned, int*, void**, const void*> pointer_attributes =
      ask("cuPointerGetAttributes", 7000);
  DriverFunction<const void*, size_t, int, int> advise = ask("cuMemAdvise", 8000);
  DriverFunction<const void*, size_t, int, cudaMemLocation> advise_at = ask("cuMemAdvise", 12020);
  DriverFunction<void*, size_t, int, const void*, size_t> range_attribute =
      ask("cuMemRangeGetAttribute", 8000);
  DriverFunction<void**, size_t*, int*, size_t, const void*, size_t> range_attributes =
      ask("cuMemRangeGetAttributes", 8000);
  StreamFunction<const void*, size_t, int, cudaStream_t> prefetch =
      ask.both("cuMemPrefetchAsync", 8000, 8000);
  StreamFunction<const void*, size_t, cudaMemLocation, unsigned, cudaStream_t> prefetch_to =
      ask.both("cuMemPrefetchAsync", 12020, 12020);

  // Pools.
  StreamFunction<void**, size_t, cudaStream_t> alloc_async =
      ask.both("cuMemAllocAsync", 11020, 11020);
  StreamFunction<void**, size_t, cudaMemPool_t, cudaStream_t> alloc_from_pool =
      ask.both("cuMemAllocFromPoolAsync", 11020, 11020);
  StreamFunction<void*, cudaStream_t> free_async = ask.both("cuMemFreeAsync", 11020, 11020);
  DriverFunction<cudaMemPool_t*, int> default_pool = ask("cuDeviceGetDefaultMemPool", 11020);
  DriverFunction<cudaMemPool_t*, int> get_pool = ask("cuDeviceGetMemPool", 11020);
  DriverFunction<int, cudaMemPool_t> set_pool = ask("cuDeviceSetMemPool", 11020);
  DriverFunction<cudaMemPool_t*, const cudaMemPoolProps*> pool_create =
      ask("cuMemPoolCreate", 11020);
  DriverFunction<cudaMemPool_t> pool_destroy = ask("cuMemPoolDestroy", 11020);
  DriverFunction<cudaMemPool_t, size_t> pool_trim = ask("cuMemPoolTrimTo", 11020);
  DriverFunction<cudaMemPool_t, int, void*> pool_get = ask("cuMemPoolGetAttribute", 11020);
  DriverFunction<cudaMemPool_t, int, void*> pool_set = ask("cuMemPoolSetAttribute", 11020);
  DriverFunction<int*, cudaMemPool_t, cudaMemLocation*> pool_get_access =
      ask("cuMemPoolGetAccess", 11020);
  DriverFunction<cudaMemPool_t, const cudaMemAccessDesc*, size_t> pool_set_access =
      ask("cuMemPoolSetAccess", 11020);
  DriverFunction<void*, cudaMemPool_t, int, unsigned long long> pool_export =
      ask("cuMemPoolExportToShareableHandle", 11020);
  DriverFunction<cudaMemPool_t*, void*, int, unsigned long long> pool_import =
      ask("cuMemPoolImportFromShareableHandle", 11020);
  DriverFunction<void*, void*> pool_export_pointer = ask("cuMemPoolExportPointer", 11020);
  DriverFunction<void**, cudaMemPool_t, void*> pool_import_pointer =
      ask("cuMemPoolImportPointer", 11020);
  DriverFunction<cudaMemPool_t*, cudaMemLocation*, int> default_pool_at =
      ask("cuMemGetDefaultMemPool", 13000);
  DriverFunction<cudaMemPool_t*, cudaMemLocation*, int> get_pool_at = ask("cuMemGetMemPool", 13000);
  DriverFunction<cudaMemLocation*, int, cudaMemPool_t> set_pool_at = ask("cuMemSetMemPool", 13000);
  DriverFunction<int, int, void*> get_graph_memory = ask("cuDeviceGetGraphMemAttribute", 11040);
  DriverFunction<int, int, void*> set_graph_memory = ask("cuDeviceSetGraphMemAttribute", 11040);
  DriverFunction<int> trim_graph_memory = ask("cuDeviceGraphMemTrim", 11040);

  // Handles for other processes.
  DriverFunction<cudaIpcMemHandle_t*, const void*> ipc_get_memory = ask("cuIpcGetMemHandle", 4010);
  DriverFunction<void**, cudaIpcMemHandle_t, unsigned> ipc_open_memory =
      ask("cuIpcOpenMemHandle", 11000);
  DriverFunction<void*> ipc_close_memory = ask("cuIpcCloseMemHandle", 4010);
  DriverFunction<cudaIpcEventHandle_t*, cudaEvent_t> ipc_get_event =
      ask("cuIpcGetEventHandle", 4010);
  DriverFunction<cudaEvent_t*, cudaIpcEventHandle_t> ipc_open_event =
      ask("cuIpcOpenEventHandle", 4010);

  // Copies.
  StreamFunction<void*, const void*, size_t> copy = ask.both("cuMemcpy", 4000, 7000);
  StreamFunction<void*, const void*, size_t, cudaStream_t> copy_async =
      ask.both("cuMemcpyAsync", 4000, 7000);
  StreamFunction<void*, CudaContext, const void*, CudaContext, size_t> copy_peer =
      ask.both("cuMemcpyPeer", 4000, 7000);
  StreamFunction<void*, CudaContext, const void*, CudaContext, size_t, cudaStream_t>
      copy_peer_async = ask.both("cuMemcpyPeerAsync", 4000, 7000);
  StreamFunction<const DriverCopy2D*> copy_2d = ask.both("cuMemcpy2DUnaligned", 3020, 7000);
  StreamFunction<const DriverCopy2D*, cudaStream_t> copy_2d_async =
      ask.both("cuMemcpy2DAsync", 3020, 7000);
  StreamFunction<const DriverCopy3D*> copy_3d = ask.both("cuMemcpy3D", 3020, 7000);
  StreamFunction<const DriverCopy3D*, cudaStream_t> copy_3d_async =
      ask.both("cuMemcpy3DAsync", 3020, 7000);
  StreamFunction<const DriverCopy3D*> copy_3d_peer = ask.both("cuMemcpy3DPeer", 4000, 7000);
  StreamFunction<const DriverCopy3D*, cudaStream_t> copy_3d_peer_async =
      ask.both("cuMemcpy3DPeerAsync", 4000, 7000);
  StreamFunction<void*, unsigned char, size_t> set = ask.both("cuMemsetD8", 3020, 7000);
  StreamFunction<void*, unsigned char, size_t, cudaStream_t> set_async =
      ask.both("cuMemsetD8Async", 3020, 7000);
  StreamFunction<void*, size_t, unsigned char, size_t, size_t> set_2d =
      ask.both("cuMemsetD2D8", 3020, 7000);
  StreamFunction<void*, size_t, unsigned char, size_t, size_t, cudaStream_t> set_2d_async =
      ask.both("cuMemsetD2D8Async", 3020, 7000);

  // Arrays, textures and surfaces.
  DriverFunction<cudaArray_t*, const DriverArray*> array_create = ask("cuArray3DCreate", 3020);
  DriverFunction<DriverArray*, cudaArray_t> array_descriptor = ask("cuArray3DGetDescriptor", 3020);
  DriverFunction<cudaArray_t> array_destroy = ask("cuArrayDestroy", 2000);
  DriverFunction<cudaArray_t*, cudaArray_t, unsigned> array_plane = ask("cuArrayGetPlane", 11020);
  DriverFunction<cudaMipmappedArray_t*, const DriverArray*, unsigned> mipmapped_create =
      ask("cuMipmappedArrayCreate", 5000);
  DriverFunction<cudaMipmappedArray_t> mipmapped_destroy = ask("cuMipmappedArrayDestroy", 5000);
  DriverFunction<cudaArray_t*, cudaMipmappedArray_t, unsigned> mipmapped_level =
      ask("cuMipmappedArrayGetLevel", 5000);

  // Streams and events.
  DriverFunction<cudaStream_t*, unsigned> stream_create = ask("cuStreamCreate", 2000);
  DriverFunction<cudaStream_t*, unsigned, int> stream_create_with_priority =
      ask("cuStreamCreateWithPriority", 5050);
  DriverFunction<cudaStream_t> stream_destroy = ask("cuStreamDestroy", 4000);
  StreamFunction<cudaStream_t> stream_query = ask.both("cuStreamQuery", 2000, 7000);
  StreamFunction<cudaStream_t> stream_synchronize = ask.both("cuStreamSynchronize", 2000, 7000);
  StreamFunction<cudaStream_t, cudaEvent_t, unsigned> stream_wait =
      ask.both("cuStreamWaitEvent", 3020, 7000);
  StreamFunction<cudaStream_t, int*> stream_priority = ask.both("cuStreamGetPriority", 5050, 7000);
  StreamFunction<cudaStream_t, unsigned*> stream_flags = ask.both("cuStreamGetFlags", 5050, 7000);
  StreamFunction<cudaStream_t, unsigned long long*> stream_id =
      ask.both("cuStreamGetId", 12000, 12000);
  StreamFunction<cudaStream_t, int*> stream_device = ask.both("cuStreamGetDevice", 12080, 12080);
  StreamFunction<cudaStream_t, CudaContext*> stream_context =
      ask.both("cuStreamGetCtx", 9020, 9020);
  StreamFunction<cudaStream_t, void*, size_t, unsigned> stream_attach =
      ask.both("cuStreamAttachMemAsync", 6000, 7000);
  StreamFunction<cudaStream_t, cudaStreamCallback_t, void*, unsigned> stream_callback =
      ask.both("cuStreamAddCallback", 5000, 7000);
  StreamFunction<cudaStream_t, cudaHostFn_t, void*> host_function =
      ask.both("cuLaunchHostFunc", 10000, 10000);
  StreamFunction<cudaStream_t, cudaStream_t> stream_copy_attributes =
      ask.both("cuStreamCopyAttributes", 11000, 11000);
  StreamFunction<cudaStream_t, int, void*> stream_get_attribute =
      ask.both("cuStreamGetAttribute", 11000, 11000);
  StreamFunction<cudaStream_t, int, const void*> stream_set_attribute =
      ask.both("cuStreamSetAttribute", 11000, 11000);
  DriverFunction<cudaEvent_t*, unsigned> event_create = ask("cuEventCreate", 2000);
  DriverFunction<cudaEvent_t> event_destroy = ask("cuEventDestroy", 4000);
  DriverFunction<cudaEvent_t> event_query = ask("cuEventQuery", 2000);
  DriverFunction<cudaEvent_t> event_synchronize = ask("cuEventSynchronize", 2000);
  DriverFunction<float*, cudaEvent_t, cudaEvent_t> event_elapsed = ask("cuEventElapsedTime", 2000);
  StreamFunction<cudaEvent_t, cudaStream_t> event_record = ask.both("cuEventRecord", 2000, 7000);
  StreamFunction<cudaEvent_t, cudaStream_t, unsigned> event_record_with_flags =
      ask.both("cuEventRecordWithFlags", 11010, 11010);

  // Captures.
  StreamFunction<cudaStream_t, int> begin_capture = ask.both("cuStreamBeginCapture", 10010, 10010);
  StreamFunction<cudaStream_t, cudaGraph_t, Nodes, const cudaGraphEdgeData*, size_t, int>
      begin_capture_to_graph = ask.both("cuStreamBeginCaptureToGraph", 12030, 12030);
  StreamFunction<cudaStream_t, cudaGraph_t*> end_capture =
      ask.both("cuStreamEndCapture", 10000, 10000);
  StreamFunction<cudaStream_t, int*> is_capturing = ask.both("cuStreamIsCapturing", 10000, 10000);
  StreamFunction<cudaStream_t, int*, unsigned long long*> capture_id =
      ask.both("cuStreamGetCaptureInfo", 10010, 10010);
  StreamFunction<cudaStream_t, int*, unsigned long long*, cudaGraph_t*, Nodes*, size_t*>
      capture_info = ask.both("cuStreamGetCaptureInfo", 11030, 11030);
  StreamFunction<cudaStream_t, int*, unsigned long long*, cudaGraph_t*, Nodes*,
                 const cudaGraphEdgeData**, size_t*>
      capture_edges = ask.both("cuStreamGetCaptureInfo", 12030, 12030);
  StreamFunction<cudaStream_t, cudaGraphNode_t*, size_t, unsigned> update_capture =
      ask.both("cuStreamUpdateCaptureDependencies", 11030, 11030);
  StreamFunction<cudaStream_t, cudaGraphNode_t*, const cudaGraphEdgeData*, size_t, unsigned>
      update_capture_edges = ask.both("cuStreamUpdateCaptureDependencies", 12030, 12030);
  DriverFunction<int*> exchange_capture_mode = ask("cuThreadExchangeStreamCaptureMode", 10010);

  // Modules, functions and launches.
  DriverFunction<CudaModule*, const void*> module_load = ask("cuModuleLoadData", 2000);
  DriverFunction<cudaFunction_t*, CudaModule, const char*> module_function =
      ask("cuModuleGetFunction", 2000);
  DriverFunction<void**, size_t*, CudaModule, const char*> module_global =
      ask("cuModuleGetGlobal", 3020);
  DriverFunction<int*, int, cudaFunction_t> function_attribute = ask("cuFuncGetAttribute", 2020);
  DriverFunction<cudaFunction_t, int, int> set_function_attribute = ask("cuFuncSetAttribute", 9000);
  DriverFunction<cudaFunction_t, int> set_function_cache = ask("cuFuncSetCacheConfig", 3000);
  DriverFunction<cudaFunction_t, size_t, size_t*, size_t*> function_parameter =
      ask("cuFuncGetParamInfo", 12040);
  DriverFunction<int*, cudaFunction_t, int, size_t, unsigned> most_blocks =
      ask("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 7000);
  DriverFunction<size_t*, cudaFunction_t, int, int> shared_left =
      ask("cuOccupancyAvailableDynamicSMemPerBlock", 10020);
  DriverFunction<int*, cudaFunction_t, const DriverLaunch*> most_clusters =
      ask("cuOccupancyMaxActiveClusters", 11070);
  DriverFunction<int*, cudaFunction_t, const DriverLaunch*> largest_cluster =
      ask("cuOccupancyMaxPotentialClusterSize", 11070);
  StreamFunction<cudaFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                 unsigned, cudaStream_t, void**, void**>
      launch = ask.both("cuLaunchKernel", 4000, 7000);
  StreamFunction<const DriverLaunch*, cudaFunction_t, void**, void**> launch_with =
      ask.both("cuLaunchKernelEx", 11060, 11060);
  StreamFunction<cudaFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                 unsigned, cudaStream_t, void**>
      launch_cooperative = ask.both("cuLaunchCooperativeKernel", 9000, 9000);

  // Libraries.
  DriverFunction<cudaLibrary_t*, const void*, int*, void**, unsigned, int*, void**, unsigned>
      library_load = ask("cuLibraryLoadData", 12000);
  DriverFunction<cudaLibrary_t*, const char*, int*, void**, unsigned, int*, void**, unsigned>
      library_load_file = ask("cuLibraryLoadFromFile", 12000);
  DriverFunction<cudaLibrary_t> library_unload = ask("cuLibraryUnload", 12000);
  DriverFunction<cudaKernel_t*, cudaLibrary_t, const char*> library_kernel =
      ask("cuLibraryGetKernel", 12000);
  DriverFunction<void**, size_t*, cudaLibrary_t, const char*> library_global =
      ask("cuLibraryGetGlobal", 12000);
  DriverFunction<void**, size_t*, cudaLibrary_t, const char*> library_managed =
      ask("cuLibraryGetManaged", 12000);
  DriverFunction<void**, cudaLibrary_t, const char*> library_unified =
      ask("cuLibraryGetUnifiedFunction", 12000);
  DriverFunction<unsigned*, cudaLibrary_t> library_kernel_count =
      ask("cuLibraryGetKernelCount", 12040);
  DriverFunction<cudaKernel_t*, unsigned, cudaLibrary_t> library_kernels =
      ask("cuLibraryEnumerateKernels", 12040);
  DriverFunction<cudaFunction_t*, cudaKernel_t> kernel_function = ask("cuKernelGetFunction", 12000);
  DriverFunction<int, int, cudaKernel_t, int> set_kernel_attribute =
      ask("cuKernelSetAttribute", 12000);

  // Graphs.
  DriverFunction<cudaGraph_t*, unsigned> graph_create = ask("cuGraphCreate", 10000);
  DriverFunction<cudaGraph_t> graph_destroy = ask("cuGraphDestroy", 10000);
  DriverFunction<cudaGraph_t*, cudaGraph_t> graph_clone = ask("cuGraphClone", 10000);
  DriverFunction<cudaGraphNode_t*, cudaGraphNode_t, cudaGraph_t> find_in_clone =
      ask("cuGraphNodeFindInClone", 10000);
  DriverFunction<cudaGraph_t, const char*, unsigned> graph_print =
      ask("cuGraphDebugDotPrint", 11030);
  DriverFunction<cudaGraph_t, cudaGraphNode_t*, size_t*> graph_nodes =
      ask("cuGraphGetNodes", 10000);
  DriverFunction<cudaGraph_t, cudaGraphNode_t*, size_t*> graph_roots =
      ask("cuGraphGetRootNodes", 10000);
  DriverFunction<cudaGraph_t, cudaGraphNode_t*, cudaGraphNode_t*, size_t*> graph_edges =
      ask("cuGraphGetEdges", 10000);
  DriverFunction<cudaGraph_t, cudaGraphNode_t*, cudaGraphNode_t*, cudaGraphEdgeData*, size_t*>
      graph_edges_with_data = ask("cuGraphGetEdges", 12030);
  DriverFunction<cudaGraph_t, Nodes, Nodes, size_t> add_dependencies =
      ask("cuGraphAddDependencies", 10000);
  DriverFunction<cudaGraph_t, Nodes, Nodes, const cudaGraphEdgeData*, size_t>
      add_dependencies_with_data = ask("cuGraphAddDependencies", 12030);
  DriverFunction<cudaGraph_t, Nodes, Nodes, size_t> remove_dependencies =
      ask("cuGraphRemoveDependencies", 10000);
  DriverFunction<cudaGraph_t, Nodes, Nodes, const cudaGraphEdgeData*, size_t>
      remove_dependencies_with_data = ask("cuGraphRemoveDependencies", 12030);
  DriverFunction<cudaGraphNode_t, cudaGraphNode_t*, size_t*> node_dependencies =
      ask("cuGraphNodeGetDependencies", 10000);
  DriverFunction<cudaGraphNode_t, cudaGraphNode_t*, cudaGraphEdgeData*, size_t*>
      node_dependencies_with_data = ask("cuGraphNodeGetDependencies", 12030);
  DriverFunction<cudaGraphNode_t, cudaGraphNode_t*, size_t*> node_dependents =
      ask("cuGraphNodeGetDependentNodes", 10000);
  DriverFunction<cudaGraphNode_t, cudaGraphNode_t*, cudaGraphEdgeData*, size_t*>
      node_dependents_with_data = ask("cuGraphNodeGetDependentNodes", 12030);
  DriverFunction<cudaGraphNode_t, int*> node_type = ask("cuGraphNodeGetType", 10000);
  DriverFunction<cudaGraphNode_t> node_destroy = ask("cuGraphDestroyNode", 10000);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, const DriverKernelNode*>
      add_kernel_node = ask("cuGraphAddKernelNode", 12000);
  DriverFunction<cudaGraphNode_t, DriverKernelNode*> get_kernel_node =
      ask("cuGraphKernelNodeGetParams", 12000);
  DriverFunction<cudaGraphNode_t, const DriverKernelNode*> set_kernel_node =
      ask("cuGraphKernelNodeSetParams", 12000);
  DriverFunction<cudaGraphNode_t, int, void*> get_kernel_node_attribute =
      ask("cuGraphKernelNodeGetAttribute", 11000);
  DriverFunction<cudaGraphNode_t, int, const void*> set_kernel_node_attribute =
      ask("cuGraphKernelNodeSetAttribute", 11000);
  DriverFunction<cudaGraphNode_t, cudaGraphNode_t> copy_kernel_node_attributes =
      ask("cuGraphKernelNodeCopyAttributes", 11000);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, const DriverCopy3D*, CudaContext>
      add_copy_node = ask("cuGraphAddMemcpyNode", 10000);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, const cudaMemsetParams*, CudaContext>
      add_set_node = ask("cuGraphAddMemsetNode", 10000);
  DriverFunction<cudaGraphNode_t, cudaMemsetParams*> get_set_node =
      ask("cuGraphMemsetNodeGetParams", 10000);
  DriverFunction<cudaGraphNode_t, const cudaMemsetParams*> set_set_node =
      ask("cuGraphMemsetNodeSetParams", 10000);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, const cudaHostNodeParams*>
      add_host_node = ask("cuGraphAddHostNode", 10000);
  DriverFunction<cudaGraphNode_t, cudaHostNodeParams*> get_host_node =
      ask("cuGraphHostNodeGetParams", 10000);
  DriverFunction<cudaGraphNode_t, const cudaHostNodeParams*> set_host_node =
      ask("cuGraphHostNodeSetParams", 10000);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, cudaGraph_t> add_child_node =
      ask("cuGraphAddChildGraphNode", 10000);
  DriverFunction<cudaGraphNode_t, cudaGraph_t*> get_child_node =
      ask("cuGraphChildGraphNodeGetGraph", 10000);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t> add_empty_node =
      ask("cuGraphAddEmptyNode", 10000);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, cudaEvent_t> add_record_node =
      ask("cuGraphAddEventRecordNode", 11010);
  DriverFunction<cudaGraphNode_t, cudaEvent_t*> get_record_node =
      ask("cuGraphEventRecordNodeGetEvent", 11010);
  DriverFunction<cudaGraphNode_t, cudaEvent_t> set_record_node =
      ask("cuGraphEventRecordNodeSetEvent", 11010);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, cudaEvent_t> add_wait_node =
      ask("cuGraphAddEventWaitNode", 11010);
  DriverFunction<cudaGraphNode_t, cudaEvent_t*> get_wait_node =
      ask("cuGraphEventWaitNodeGetEvent", 11010);
  DriverFunction<cudaGraphNode_t, cudaEvent_t> set_wait_node =
      ask("cuGraphEventWaitNodeSetEvent", 11010);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, cudaMemAllocNodeParams*>
      add_alloc_node = ask("cuGraphAddMemAllocNode", 11040);
  DriverFunction<cudaGraphNode_t, cudaMemAllocNodeParams*> get_alloc_node =
      ask("cuGraphMemAllocNodeGetParams", 11040);
  DriverFunction<cudaGraphNode_t*, cudaGraph_t, Nodes, size_t, void*> add_free_node =
      ask("cuGraphAddMemFreeNode", 11040);
  DriverFunction<cudaGraphNode_t, void*> get_free_node = ask("cuGraphMemFreeNodeGetParams", 11040);

  // Graphs that run.
  DriverFunction<cudaGraphExec_t*, cudaGraph_t, unsigned long long> instantiate =
      ask("cuGraphInstantiateWithFlags", 11040);
  StreamFunction<cudaGraphExec_t*, cudaGraph_t, cudaGraphInstantiateParams*> instantiate_with =
      ask.both("cuGraphInstantiateWithParams", 12000, 12000);
  DriverFunction<cudaGraphExec_t, unsigned long long*> exec_flags =
      ask("cuGraphExecGetFlags", 12000);
  DriverFunction<cudaGraphExec_t> exec_destroy = ask("cuGraphExecDestroy", 10000);
  DriverFunction<cudaGraphExec_t, cudaGraph_t, cudaGraphExecUpdateResultInfo*> exec_update =
      ask("cuGraphExecUpdate", 12000);
  StreamFunction<cudaGraphExec_t, cudaStream_t> graph_launch =
      ask.both("cuGraphLaunch", 10000, 10000);
  StreamFunction<cudaGraphExec_t, cudaStream_t> graph_upload =
      ask.both("cuGraphUpload", 11010, 11010);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, const DriverKernelNode*> exec_set_kernel_node =
      ask("cuGraphExecKernelNodeSetParams", 12000);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, const cudaMemsetParams*, CudaContext>
      exec_set_set_node = ask("cuGraphExecMemsetNodeSetParams", 10020);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, const cudaHostNodeParams*> exec_set_host_node =
      ask("cuGraphExecHostNodeSetParams", 10020);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, cudaGraph_t> exec_set_child_node =
      ask("cuGraphExecChildGraphNodeSetParams", 11010);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t> exec_set_record_node =
      ask("cuGraphExecEventRecordNodeSetEvent", 11010);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t> exec_set_wait_node =
      ask("cuGraphExecEventWaitNodeSetEvent", 11010);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, const DriverCopy3D*, CudaContext>
      exec_set_copy_node = ask("cuGraphExecMemcpyNodeSetParams", 10020);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, unsigned> set_node_enabled =
      ask("cuGraphNodeSetEnabled", 11060);
  DriverFunction<cudaGraphExec_t, cudaGraphNode_t, unsigned*> get_node_enabled =
      ask("cuGraphNodeGetEnabled", 11060);
  DriverFunction<cudaUserObject_t*, void*, cudaHostFn_t, unsigned, unsigned> object_create =
      ask("cuUserObjectCreate", 11030);
  DriverFunction<cudaUserObject_t, unsigned> object_retain = ask("cuUserObjectRetain", 11030);
  DriverFunction<cudaUserObject_t, unsigned> object_release = ask("cuUserObjectRelease", 11030);
  DriverFunction<cudaGraph_t, cudaUserObject_t, unsigned, unsigned> graph_retain_object =
      ask("cuGraphRetainUserObject", 11030);
  DriverFunction<cudaGraph_t, cudaUserObject_t, unsigned> graph_release_object =
      ask("cuGraphReleaseUserObject", 11030);
};

/// Looked up at the first call.
const RuntimeDriver& runtime_driver();

}  // namespace vramlab::dry_run
