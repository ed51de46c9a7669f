// The functions of streams, captures, graphs and events.
// functions.h says what the columns are.
#pragma once

// clang-format off
#define VRAMLAB_CUDA_STREAM_FUNCTIONS(One, Two)                                                  \
  One(cuStreamCreate, cuStreamCreate, 2000, (CUstream* stream, unsigned flags))                  \
  One(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050,                              \
      (CUstream* stream, unsigned flags, int priority))                                          \
  One(cuStreamDestroy, cuStreamDestroy, 2000, (CUstream stream))                                 \
  One(cuStreamDestroy, cuStreamDestroy_v2, 4000, (CUstream stream))                              \
  Two(cuStreamQuery, cuStreamQuery, 2000, _ptsz, 7000, (CUstream stream))                        \
  Two(cuStreamSynchronize, cuStreamSynchronize, 2000, _ptsz, 7000, (CUstream stream))            \
  Two(cuStreamWaitEvent, cuStreamWaitEvent, 3020, _ptsz, 7000,                                   \
      (CUstream stream, CUevent event, unsigned flags))                                          \
  Two(cuStreamGetFlags, cuStreamGetFlags, 5050, _ptsz, 7000, (CUstream stream, unsigned* flags)) \
  Two(cuStreamGetPriority, cuStreamGetPriority, 5050, _ptsz, 7000,                               \
      (CUstream stream, int* priority))                                                          \
  Two(cuStreamGetId, cuStreamGetId, 12000, _ptsz, 12000,                                         \
      (CUstream stream, unsigned long long* id))                                                 \
  Two(cuStreamGetCtx, cuStreamGetCtx, 9020, _ptsz, 9020, (CUstream stream, CUcontext* of))       \
  Two(cuStreamAddCallback, cuStreamAddCallback, 5000, _ptsz, 7000,                               \
      (CUstream stream, CUstreamCallback function, void* argument, unsigned flags))              \
  Two(cuStreamBeginCapture, cuStreamBeginCapture, 10000, _ptsz, 10000, (CUstream stream))        \
  Two(cuStreamBeginCapture, cuStreamBeginCapture_v2, 10010, _ptsz, 10010,                        \
      (CUstream stream, CUstreamCaptureMode mode))                                               \
  Two(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph, 12030, _ptsz, 12030,             \
      (CUstream stream, CUgraph graph, const CUgraphNode* nodes, const CUgraphEdgeData* edges,   \
       std::size_t count, CUstreamCaptureMode mode))                                             \
  Two(cuStreamEndCapture, cuStreamEndCapture, 10000, _ptsz, 10000,                               \
      (CUstream stream, CUgraph* graph))                                                         \
  Two(cuStreamIsCapturing, cuStreamIsCapturing, 10000, _ptsz, 10000,                             \
      (CUstream stream, CUstreamCaptureStatus* status))                                          \
  Two(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo, 10010, _ptsz, 10010,                       \
      (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id))                          \
  Two(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2, 11030, _ptsz, 11030,                    \
      (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,           \
       const CUgraphNode** nodes, std::size_t* count))                                           \
  Two(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3, 12030, _ptsz, 12030,                    \
      (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,           \
       const CUgraphNode** nodes, const CUgraphEdgeData** edges, std::size_t* count))            \
  One(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, 10010,               \
      (CUstreamCaptureMode* mode))                                                               \
  One(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies, 10000,                             \
      (CUgraphNode node, CUgraphNode* nodes, std::size_t* count))                                \
  One(cuGraphDestroy, cuGraphDestroy, 10000, (CUgraph graph))                                    \
  One(cuGraphExecDestroy, cuGraphExecDestroy, 10000, (CUgraphExec graph))                        \
  Two(cuGraphLaunch, cuGraphLaunch, 10000, _ptsz, 10000, (CUgraphExec graph, CUstream stream))   \
  One(cuEventCreate, cuEventCreate, 2000, (CUevent* event, unsigned flags))                      \
  One(cuEventDestroy, cuEventDestroy_v2, 4000, (CUevent event))                                  \
  Two(cuEventRecord, cuEventRecord, 2000, _ptsz, 7000, (CUevent event, CUstream stream))         \
  Two(cuEventRecordWithFlags, cuEventRecordWithFlags, 11010, _ptsz, 11010,                       \
      (CUevent event, CUstream stream, unsigned flags))                                          \
  One(cuEventQuery, cuEventQuery, 2000, (CUevent event))                                         \
  One(cuEventSynchronize, cuEventSynchronize, 2000, (CUevent event))                             \
  One(cuEventElapsedTime, cuEventElapsedTime, 2000, (float* ms, CUevent from, CUevent to))       \
  One(cuEventElapsedTime, cuEventElapsedTime_v2, 12080, (float* ms, CUevent from, CUevent to))
// clang-format on
