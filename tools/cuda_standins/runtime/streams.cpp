// CUDA's runtime: streams, events and captures.
#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

namespace {

/// Older drivers have no such function: the stream's context is asked then.
int on_cudaStreamGetDevice(DefaultStream variant, cudaStream_t stream, int* device) {
  return runtime_call([=](const RuntimeDriver& driver) {
    if (device == nullptr) return error::invalid_value;
    const int result = driver.stream_device[variant](stream, device);
    if (result != error::not_supported) return result;
    CudaContext own = nullptr;
    CudaContext before = nullptr;
    if (const int found = driver.stream_context[variant](stream, &own); found != error::success)
      return found;
    driver.get_current(&before);
    driver.set_current(own);
    const int asked = driver.context_device(device);
    driver.set_current(before);
    return asked;
  });
}

}  // namespace

CUDART_CALL(cudaStreamCreate)(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
CUDART_FORWARD(cudaStreamCreateWithFlags, stream_create, (cudaStream_t * stream, unsigned flags),
               stream, flags)
CUDART_FORWARD(cudaStreamCreateWithPriority, stream_create_with_priority,
               (cudaStream_t * stream, unsigned flags, int priority), stream, flags, priority)
CUDART_FORWARD(cudaStreamDestroy, stream_destroy, (cudaStream_t stream), stream)
CUDART_FORWARD_TWINS(cudaStreamQuery, _ptsz, stream_query, (cudaStream_t stream), stream)
CUDART_FORWARD_TWINS(cudaStreamSynchronize, _ptsz, stream_synchronize, (cudaStream_t stream),
                     stream)
CUDART_FORWARD_TWINS(cudaStreamWaitEvent, _ptsz, stream_wait,
                     (cudaStream_t stream, cudaEvent_t event, unsigned flags), stream, event, flags)
CUDART_FORWARD_TWINS(cudaStreamGetPriority, _ptsz, stream_priority,
                     (cudaStream_t stream, int* priority), stream, priority)
CUDART_FORWARD_TWINS(cudaStreamGetFlags, _ptsz, stream_flags,
                     (cudaStream_t stream, unsigned* flags), stream, flags)
CUDART_FORWARD_TWINS(cudaStreamGetId, _ptsz, stream_id,
                     (cudaStream_t stream, unsigned long long* id), stream, id)
CUDART_TWINS(cudaStreamGetDevice, _ptsz, (cudaStream_t stream, int* device), stream, device)
CUDART_FORWARD_TWINS(cudaStreamAttachMemAsync, _ptsz, stream_attach,
                     (cudaStream_t stream, void* memory, size_t bytes, unsigned flags), stream,
                     memory, bytes, flags)
CUDART_FORWARD_TWINS(cudaStreamAddCallback, _ptsz, stream_callback,
                     (cudaStream_t stream, cudaStreamCallback_t callback, void* argument,
                      unsigned flags),
                     stream, callback, argument, flags)
CUDART_FORWARD_TWINS(cudaStreamCopyAttributes, _ptsz, stream_copy_attributes,
                     (cudaStream_t to, cudaStream_t from), to, from)
CUDART_FORWARD_TWINS(cudaStreamGetAttribute, _ptsz, stream_get_attribute,
                     (cudaStream_t stream, int attribute, void* value), stream, attribute, value)
CUDART_FORWARD_TWINS(cudaStreamSetAttribute, _ptsz, stream_set_attribute,
                     (cudaStream_t stream, int attribute, const void* value), stream, attribute,
                     value)
CUDART_FORWARD(cudaCtxResetPersistingL2Cache, reset_l2, ())

// Events.
CUDART_CALL(cudaEventCreate)(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
CUDART_FORWARD(cudaEventCreateWithFlags, event_create, (cudaEvent_t * event, unsigned flags), event,
               flags)
CUDART_FORWARD(cudaEventDestroy, event_destroy, (cudaEvent_t event), event)
CUDART_FORWARD(cudaEventQuery, event_query, (cudaEvent_t event), event)
CUDART_FORWARD(cudaEventSynchronize, event_synchronize, (cudaEvent_t event), event)
CUDART_FORWARD(cudaEventElapsedTime, event_elapsed, (float* ms, cudaEvent_t start, cudaEvent_t end),
               ms, start, end)
CUDART_FORWARD(cudaEventElapsedTime_v2, event_elapsed,
               (float* ms, cudaEvent_t start, cudaEvent_t end), ms, start, end)
CUDART_FORWARD_TWINS(cudaEventRecord, _ptsz, event_record, (cudaEvent_t event, cudaStream_t stream),
                     event, stream)
CUDART_FORWARD_TWINS(cudaEventRecordWithFlags, _ptsz, event_record_with_flags,
                     (cudaEvent_t event, cudaStream_t stream, unsigned flags), event, stream, flags)

// Captures of streams. Where both versions of a function differ, the one with the data of edges is
// here under its name of CUDA 12.

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
