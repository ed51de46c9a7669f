// CUDA's runtime: captures of streams. Where both versions of a function differ, the one with the
// data of edges is here under its name of CUDA 12.
#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

CUDART_FORWARD_TWINS(cudaStreamBeginCapture, _ptsz, begin_capture, (cudaStream_t stream, int mode),
                     stream, mode)
CUDART_FORWARD_TWINS(cudaStreamBeginCaptureToGraph, _ptsz, begin_capture_to_graph,
                     (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* nodes,
                      const cudaGraphEdgeData* edges, size_t count, int mode),
                     stream, graph, nodes, edges, count, mode)
CUDART_FORWARD_TWINS(cudaStreamEndCapture, _ptsz, end_capture,
                     (cudaStream_t stream, cudaGraph_t* graph), stream, graph)
CUDART_FORWARD_TWINS(cudaStreamIsCapturing, _ptsz, is_capturing, (cudaStream_t stream, int* status),
                     stream, status)
CUDART_FORWARD_TWINS(cudaStreamGetCaptureInfo_v3, _ptsz, capture_edges,
                     (cudaStream_t stream, int* status, unsigned long long* id, cudaGraph_t* graph,
                      const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                      size_t* count),
                     stream, status, id, graph, nodes, edges, count)
CUDART_FORWARD_TWINS(cudaStreamUpdateCaptureDependencies_v2, _ptsz, update_capture_edges,
                     (cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges,
                      size_t count, unsigned flags),
                     stream, nodes, edges, count, flags)
CUDART_CALL(cudaThreadExchangeStreamCaptureMode)(int* mode) {
  return forward_to_driver<&RuntimeDriver::exchange_capture_mode>(mode);
}
