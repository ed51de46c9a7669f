// Captures and the graphs that they make.
#include <array>

#include "tools/cuda_standins/driver/driver_call.h"

using namespace vramlab::dry_run;
using vramlab::streams::CaptureMode;
using vramlab::streams::StreamAt;

namespace {

constexpr std::array modes = {CaptureMode::global, CaptureMode::thread_local_only,
                              CaptureMode::relaxed};

bool is_mode(CUstreamCaptureMode mode) { return static_cast<std::size_t>(mode) < modes.size(); }

CUresult begin_capture(const CallSite& site, CUstream stream, CUstreamCaptureMode mode) {
  const auto body = [=](StandInDriver& driver) {
    if (!is_mode(mode)) return CUDA_ERROR_INVALID_VALUE;
    const auto found = driver.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    return result_of(driver.timed().begin_capture(std::get<StreamAt>(found),
                                                  modes.at(static_cast<std::size_t>(mode))));
  };
  return driver_call(site, body, stream, mode);
}

CUresult on_cuStreamBeginCapture(const CallSite& site, CUstream stream) {
  return begin_capture(site, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
CUresult on_cuStreamBeginCapture_v2(const CallSite& site, CUstream stream,
                                    CUstreamCaptureMode mode) {
  return begin_capture(site, stream, mode);
}

CUresult on_cuStreamEndCapture(const CallSite& site, CUstream stream, CUgraph* graph) {
  const auto body = [=](StandInDriver& driver) {
    const auto found = driver.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t made = 0;
    const CUresult result = driver.graphs().end_capture(std::get<StreamAt>(found), 0, made);
    *graph = handle_of<CUgraph>(made);
    return result;
  };
  return driver_call(site, body, stream);
}

CUstreamCaptureStatus status_at(StandInDriver& driver, StreamAt at) {
  return driver.timed().capture_of(at) ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                       : CU_STREAM_CAPTURE_STATUS_NONE;
}

CUresult on_cuStreamIsCapturing(const CallSite& site, CUstream stream,
                                CUstreamCaptureStatus* status) {
  const auto body = [=](StandInDriver& driver) {
    const auto found = driver.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const StreamAt at = std::get<StreamAt>(found);
    if (at.stream.value == 0 && driver.streams().has_blocking_capture(at.device))
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *status = status_at(driver, at);
    return CUDA_SUCCESS;
  };
  return driver_call(site, body, stream);
}

struct CaptureAnswer {
  CUstreamCaptureStatus* status = nullptr;
  cuuint64_t* id = nullptr;
  CUgraph* graph = nullptr;
  const CUgraphNode** nodes = nullptr;
  std::size_t* count = nullptr;
};

/// Kept for the caller, until the thread asks again.
std::vector<CUgraphNode>& told_nodes() {
  thread_local std::vector<CUgraphNode> nodes;
  return nodes;
}

CUresult give_capture(StandInDriver& driver, StreamAt at, const CaptureAnswer& answer) {
  if (answer.status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *answer.status = status_at(driver, at);
  const auto capture = driver.timed().capture_of(at);
  if (!capture) return CUDA_SUCCESS;
  std::vector<CUgraphNode>& nodes = told_nodes();
  nodes.clear();
  for (const auto& node : capture->terminals) nodes.push_back(handle_of<CUgraphNode>(node.value));
  if (answer.id != nullptr) *answer.id = capture->id.value;
  // The graph that is being built has no name of its own in the simulator.
  if (answer.graph != nullptr) *answer.graph = handle_of<CUgraph>(0x40000000 + capture->id.value);
  if (answer.nodes != nullptr) *answer.nodes = nodes.data();
  if (answer.count != nullptr) *answer.count = nodes.size();
  return CUDA_SUCCESS;
}

CUresult capture_info(const CallSite& site, CUstream stream, const CaptureAnswer& answer) {
  const auto body = [=](StandInDriver& driver) {
    const auto found = driver.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    return give_capture(driver, std::get<StreamAt>(found), answer);
  };
  return driver_call(site, body, stream);
}

CUresult on_cuStreamGetCaptureInfo(const CallSite& site, CUstream stream,
                                   CUstreamCaptureStatus* status, cuuint64_t* id) {
  return capture_info(site, stream, {.status = status, .id = id});
}
CUresult on_cuStreamGetCaptureInfo_v2(const CallSite& site, CUstream stream,
                                      CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                      const CUgraphNode** nodes, std::size_t* count) {
  return capture_info(site, stream, {status, id, graph, nodes, count});
}

}  // namespace

STAND_IN_TWINS(cuStreamBeginCapture, _ptsz, context, (CUstream stream), stream)
STAND_IN_TWINS(cuStreamBeginCapture_v2, _ptsz, context, (CUstream stream, CUstreamCaptureMode mode),
               stream, mode)
STAND_IN_TWINS(cuStreamEndCapture, _ptsz, context, (CUstream stream, CUgraph* graph), stream, graph)
STAND_IN_TWINS(cuStreamIsCapturing, _ptsz, context,
               (CUstream stream, CUstreamCaptureStatus* status), stream, status)
STAND_IN_TWINS(cuStreamGetCaptureInfo, _ptsz, context,
               (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id), stream, status, id)
STAND_IN_TWINS(cuStreamGetCaptureInfo_v2, _ptsz, context,
               (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                const CUgraphNode** nodes, std::size_t* count),
               stream, status, id, graph, nodes, count)
namespace {
CUresult on_cuStreamBeginCaptureToGraph(const CallSite& site, CUstream stream, CUgraph /*graph*/,
                                        const CUgraphNode* /*nodes*/,
                                        const CUgraphEdgeData* /*edges*/, std::size_t /*count*/,
                                        CUstreamCaptureMode mode) {
  return begin_capture(site, stream, mode);
}
CUresult on_cuStreamGetCaptureInfo_v3(const CallSite& site, CUstream stream,
                                      CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                      const CUgraphNode** nodes, const CUgraphEdgeData** edges,
                                      std::size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  return capture_info(site, stream, {status, id, graph, nodes, count});
}
}  // namespace
STAND_IN_TWINS(cuStreamBeginCaptureToGraph, _ptsz, context,
               (CUstream stream, CUgraph graph, const CUgraphNode* nodes,
                const CUgraphEdgeData* edges, std::size_t count, CUstreamCaptureMode mode),
               stream, graph, nodes, edges, count, mode)
STAND_IN_TWINS(cuStreamGetCaptureInfo_v3, _ptsz, context,
               (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                const CUgraphNode** nodes, const CUgraphEdgeData** edges, std::size_t* count),
               stream, status, id, graph, nodes, edges, count)
STAND_IN_CALL(cuThreadExchangeStreamCaptureMode)(CUstreamCaptureMode* mode) {
  const auto body = [=](StandInDriver& driver) {
    if (mode == nullptr || !is_mode(*mode)) return CUDA_ERROR_INVALID_VALUE;
    const CaptureMode before =
        driver.timed().exchange_capture_mode(modes.at(static_cast<std::size_t>(*mode)));
    *mode = static_cast<CUstreamCaptureMode>(before);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuThreadExchangeStreamCaptureMode", initialised}, body);
}
