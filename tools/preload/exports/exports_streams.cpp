// The exports that tell of streams and captures, and leave the work to the driver.
#include "tools/preload/exports/exports.h"
#include "tools/preload/exports/front.h"

using namespace vramlab::preload;

namespace {

template <Hook hook, class... Arguments>
CUresult begin_capture(StreamHandle stream, Arguments... arguments) noexcept {
  const ProgramCall call;
  if (call.calls() != nullptr) call.calls()->before_capture_begins(stream);
  const CUresult result = call_driver<hook>(stream.stream, arguments...);
  if (call.calls() != nullptr) call.calls()->capture_began(stream, result == CUDA_SUCCESS);
  return result;
}

template <Hook hook>
CUresult end_capture(StreamHandle stream, CUgraph* graph) noexcept {
  const ProgramCall call;
  const CUresult result = call_driver<hook>(stream.stream, graph);
  if (call.calls() != nullptr) call.calls()->capture_ended(stream);
  return result;
}

template <Hook hook>
CUresult destroy_stream(CUstream stream) noexcept {
  return preceded_by<hook>([&](MemoryCalls& calls) { calls.before_stream_destroyed(stream); },
                           stream);
}

}  // namespace

// The driver's names, and as many arguments as it has.
// NOLINTBEGIN(readability-identifier-naming,readability-function-size)
extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return followed_by<Hook::cuStreamCreate>(
      [&](MemoryCalls& calls) { calls.stream_created(*stream, flags); }, stream, flags);
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return followed_by<Hook::cuStreamCreateWithPriority>(
      [&](MemoryCalls& calls) { calls.stream_created(*stream, flags); }, stream, flags, priority);
}

CUresult cuStreamDestroy(CUstream stream) { return destroy_stream<Hook::cuStreamDestroy>(stream); }

CUresult cuStreamDestroy_v2(CUstream stream) {
  return destroy_stream<Hook::cuStreamDestroy_v2>(stream);
}

CUresult cuStreamBeginCapture(CUstream stream) {
  return begin_capture<Hook::cuStreamBeginCapture>({stream, DefaultStream::legacy});
}

CUresult cuStreamBeginCapture_ptsz(CUstream stream) {
  return begin_capture<Hook::cuStreamBeginCapture_ptsz>({stream, DefaultStream::per_thread});
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return begin_capture<Hook::cuStreamBeginCapture_v2>({stream, DefaultStream::legacy}, mode);
}

CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode) {
  return begin_capture<Hook::cuStreamBeginCapture_v2_ptsz>({stream, DefaultStream::per_thread},
                                                           mode);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return end_capture<Hook::cuStreamEndCapture>({stream, DefaultStream::legacy}, graph);
}

CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph* graph) {
  return end_capture<Hook::cuStreamEndCapture_ptsz>({stream, DefaultStream::per_thread}, graph);
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* nodes,
                                     const CUgraphEdgeData* edges, std::size_t count,
                                     CUstreamCaptureMode mode) {
  return begin_capture<Hook::cuStreamBeginCaptureToGraph>({stream, DefaultStream::legacy}, graph,
                                                          nodes, edges, count, mode);
}

CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph, const CUgraphNode* nodes,
                                          const CUgraphEdgeData* edges, std::size_t count,
                                          CUstreamCaptureMode mode) {
  return begin_capture<Hook::cuStreamBeginCaptureToGraph_ptsz>({stream, DefaultStream::per_thread},
                                                               graph, nodes, edges, count, mode);
}

CUresult cuGreenCtxStreamCreate(CUstream* stream, CUgreenCtx context, unsigned flags,
                                int priority) {
  return followed_by<Hook::cuGreenCtxStreamCreate>(
      [&](MemoryCalls& calls) { calls.stream_created(*stream, flags); }, stream, context, flags,
      priority);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming,readability-function-size)
