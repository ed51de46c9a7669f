// CUDA 13: its version, and the functions whose names mean something else in CUDA 12: forms with
// the data of edges and with a location.
#include "tools/cuda_standins/runtime/copies.h"
#include "tools/cuda_standins/runtime/devices.h"
#include "tools/cuda_standins/runtime/runtime_state.h"

namespace vramlab::dry_run {

int runtime_version() { return 13000; }
const char* runtime_library() { return "libcudart.so.13"; }

}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

CUDART_CALL(cudaGetDeviceProperties)(void* into, int device) {
  return tell_properties(into, device, {property_bytes_13, -1});
}

CUDART_FORWARD(cudaMemAdvise, advise_at,
               (const void* at, size_t bytes, int advice, cudaMemLocation location), at, bytes,
               advice, location)
CUDART_FORWARD_TWINS(cudaMemPrefetchAsync, _ptsz, prefetch_to,
                     (const void* at, size_t bytes, cudaMemLocation location, unsigned flags,
                      cudaStream_t stream),
                     at, bytes, location, flags, stream)

CUDART_FORWARD_TWINS(cudaStreamGetCaptureInfo, _ptsz, capture_edges,
                     (cudaStream_t stream, int* status, unsigned long long* id, cudaGraph_t* graph,
                      const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                      size_t* count),
                     stream, status, id, graph, nodes, edges, count)
CUDART_FORWARD_TWINS(cudaStreamUpdateCaptureDependencies, _ptsz, update_capture_edges,
                     (cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges,
                      size_t count, unsigned flags),
                     stream, nodes, edges, count, flags)

CUDART_FORWARD(cudaGraphGetEdges, graph_edges_with_data,
               (cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                cudaGraphEdgeData* edges, size_t* count),
               graph, from, to, edges, count)
CUDART_FORWARD(cudaGraphAddDependencies, add_dependencies_with_data,
               (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                const cudaGraphEdgeData* edges, size_t count),
               graph, from, to, edges, count)
CUDART_FORWARD(cudaGraphRemoveDependencies, remove_dependencies_with_data,
               (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                const cudaGraphEdgeData* edges, size_t count),
               graph, from, to, edges, count)
CUDART_FORWARD(cudaGraphNodeGetDependencies, node_dependencies_with_data,
               (cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                size_t* count),
               node, nodes, edges, count)
CUDART_FORWARD(cudaGraphNodeGetDependentNodes, node_dependents_with_data,
               (cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                size_t* count),
               node, nodes, edges, count)

// Pools of a place, which CUDA 12 has for devices alone.
CUDART_FORWARD(cudaMemGetDefaultMemPool, default_pool_at,
               (cudaMemPool_t * pool, cudaMemLocation* location, int kind), pool, location, kind)
CUDART_FORWARD(cudaMemGetMemPool, get_pool_at,
               (cudaMemPool_t * pool, cudaMemLocation* location, int kind), pool, location, kind)
CUDART_FORWARD(cudaMemSetMemPool, set_pool_at,
               (cudaMemLocation * location, int kind, cudaMemPool_t pool), location, kind, pool)

// The time of the call does not change what a function on the host may do.
CUDART_FORWARD_TWINS(cudaLaunchHostFunc_v2, _ptsz, host_function,
                     (cudaStream_t stream, cudaHostFn_t function, void* argument,
                      unsigned /*synchronizes*/),
                     stream, function, argument)

namespace {

int on_cudaMemcpyBatchAsync(DefaultStream variant, const CopyBatch& batch) {
  return copy_batch(variant, batch, nullptr);
}

}  // namespace

CUDART_TWINS(cudaMemcpyBatchAsync, _ptsz,
             (void* const* to, const void* const* from, const size_t* bytes, size_t count,
              void* /*attributes*/, size_t* /*attribute_places*/, size_t /*attribute_count*/,
              cudaStream_t stream),
             {to, from, bytes, count, stream})
