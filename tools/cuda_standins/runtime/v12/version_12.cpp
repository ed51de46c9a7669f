// CUDA 12: its version, and the functions whose names mean something else in CUDA 13: forms without
// the data of edges and without a location, and the properties of CUDA 11.
#include "tools/cuda_standins/runtime/copies.h"
#include "tools/cuda_standins/runtime/devices.h"
#include "tools/cuda_standins/runtime/runtime_state.h"

namespace vramlab::dry_run {

int runtime_version() { return 12090; }
const char* runtime_library() { return "libcudart.so.12"; }

}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

CUDART_CALL(cudaGetDeviceProperties)(void* into, int device) {
  return tell_properties(into, device, {property_bytes_11, last_attribute_11});
}
CUDART_CALL(cudaGetDeviceProperties_v2)(void* into, int device) {
  return tell_properties(into, device, {property_bytes_12, -1});
}

CUDART_CALL(cudaMemAdvise)(const void* at, size_t bytes, int advice, int device) {
  return forward<&RuntimeDriver::advise>(at, bytes, advice, device);
}
CUDART_FORWARD_TWINS(cudaMemPrefetchAsync, _ptsz, prefetch,
                     (const void* at, size_t bytes, int device, cudaStream_t stream), at, bytes,
                     device, stream)

CUDART_FORWARD_TWINS(cudaStreamGetCaptureInfo, _ptsz, capture_id,
                     (cudaStream_t stream, int* status, unsigned long long* id), stream, status, id)
CUDART_FORWARD_TWINS(cudaStreamGetCaptureInfo_v2, _ptsz, capture_info,
                     (cudaStream_t stream, int* status, unsigned long long* id, cudaGraph_t* graph,
                      const cudaGraphNode_t** nodes, size_t* count),
                     stream, status, id, graph, nodes, count)
CUDART_FORWARD_TWINS(cudaStreamUpdateCaptureDependencies, _ptsz, update_capture,
                     (cudaStream_t stream, cudaGraphNode_t* nodes, size_t count, unsigned flags),
                     stream, nodes, count, flags)

CUDART_FORWARD(cudaGraphGetEdges, graph_edges,
               (cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count),
               graph, from, to, count)
CUDART_FORWARD(cudaGraphAddDependencies, add_dependencies,
               (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                size_t count),
               graph, from, to, count)
CUDART_FORWARD(cudaGraphRemoveDependencies, remove_dependencies,
               (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                size_t count),
               graph, from, to, count)
CUDART_FORWARD(cudaGraphNodeGetDependencies, node_dependencies,
               (cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count), node, nodes, count)
CUDART_FORWARD(cudaGraphNodeGetDependentNodes, node_dependents,
               (cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count), node, nodes, count)

// Names of CUDA 2, which later ones replaced.
CUDART_CALL(cudaThreadExit)() { return cudaDeviceReset(); }
CUDART_CALL(cudaThreadSynchronize)() { return cudaDeviceSynchronize(); }
CUDART_FORWARD(cudaThreadGetLimit, get_limit, (size_t* value, int limit), value, limit)
CUDART_FORWARD(cudaThreadSetLimit, set_limit, (int limit, size_t value), limit, value)
CUDART_FORWARD(cudaThreadGetCacheConfig, get_cache, (int* preference), preference)
CUDART_FORWARD(cudaThreadSetCacheConfig, set_cache, (int preference), preference)
CUDART_CALL(cudaSetDoubleForDevice)(double* /*value*/) { return error::success; }
CUDART_CALL(cudaSetDoubleForHost)(double* /*value*/) { return error::success; }

namespace {

int on_cudaMemcpyBatchAsync(DefaultStream variant, const CopyBatch& batch, size_t* failed) {
  return copy_batch(variant, batch, failed);
}

}  // namespace

CUDART_TWINS(cudaMemcpyBatchAsync, _ptsz,
             (void** to, void** from, size_t* bytes, size_t count, void* /*attributes*/,
              size_t* /*attribute_places*/, size_t /*attribute_count*/, size_t* failed,
              cudaStream_t stream),
             {to, from, bytes, count, stream}, failed)
