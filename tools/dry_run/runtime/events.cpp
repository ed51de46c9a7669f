// CUDA's runtime: events.
#include "tools/dry_run/runtime/runtime_state.h"

using namespace vramlab::dry_run;

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
