// Captures and the graphs that they make.
#include <array>

#include "tests/fake_cuda/api/fake_call.h"

using namespace vramlab::fake;
using vramlab::streams::CaptureMode;
using vramlab::streams::StreamAt;

namespace {

constexpr std::array modes = {CaptureMode::global, CaptureMode::thread_local_only,
                              CaptureMode::relaxed};

bool is_mode(CUstreamCaptureMode mode) { return static_cast<std::size_t>(mode) < modes.size(); }

CUresult begin_capture(const CallSite& site, CUstream stream, CUstreamCaptureMode mode) {
  const auto body = [=](FakeCuda& fake) {
    if (!is_mode(mode)) return CUDA_ERROR_INVALID_VALUE;
    const auto found = fake.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    return result_of(fake.timed().begin_capture(std::get<StreamAt>(found),
                                                modes.at(static_cast<std::size_t>(mode))));
  };
  return fake_call(site, body, stream, mode);
}

CUresult on_cuStreamBeginCapture(const CallSite& site, CUstream stream) {
  return begin_capture(site, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
CUresult on_cuStreamBeginCapture_v2(const CallSite& site, CUstream stream,
                                    CUstreamCaptureMode mode) {
  return begin_capture(site, stream, mode);
}

CUresult on_cuStreamEndCapture(const CallSite& site, CUstream stream, CUgraph* graph) {
  const auto body = [=](FakeCuda& fake) {
    const auto found = fake.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const std::uint64_t made = fake.streams().take_handle();
    const CUresult result = result_of(fake.timed().end_capture(std::get<StreamAt>(found), {made}));
    *graph = result == CUDA_SUCCESS ? handle_of<CUgraph>(made) : nullptr;
    if (result == CUDA_SUCCESS) fake.graphs()[made] = {made};
    return result;
  };
  return fake_call(site, body, stream);
}

CUstreamCaptureStatus status_at(FakeCuda& fake, StreamAt at) {
  return fake.timed().capture_of(at) ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                     : CU_STREAM_CAPTURE_STATUS_NONE;
}

CUresult on_cuStreamIsCapturing(const CallSite& site, CUstream stream,
                                CUstreamCaptureStatus* status) {
  const auto body = [=](FakeCuda& fake) {
    const auto found = fake.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const StreamAt at = std::get<StreamAt>(found);
    if (at.stream.value == 0 && fake.streams().has_blocking_capture(at.device))
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *status = status_at(fake, at);
    return CUDA_SUCCESS;
  };
  return fake_call(site, body, stream);
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

CUresult give_capture(FakeCuda& fake, StreamAt at, const CaptureAnswer& answer) {
  if (answer.status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *answer.status = status_at(fake, at);
  const auto capture = fake.timed().capture_of(at);
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
  const auto body = [=](FakeCuda& fake) {
    const auto found = fake.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    return give_capture(fake, std::get<StreamAt>(found), answer);
  };
  return fake_call(site, body, stream);
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

CUresult on_cuGraphLaunch(const CallSite& site, CUgraphExec graph, CUstream stream) {
  const auto body = [=](FakeCuda& fake) {
    const auto found = fake.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    const auto known = fake.graphs().find(value_of(graph));
    if (known == fake.graphs().end()) return CUDA_ERROR_INVALID_HANDLE;
    return result_of(
        fake.timed().launch_graph({known->second.simulated}, std::get<StreamAt>(found), 0));
  };
  return fake_call(site, body, graph, stream);
}

CUresult instantiate(const char* name, CUgraphExec* made, CUgraph graph) {
  const auto body = [=](FakeCuda& fake) {
    const auto known = fake.graphs().find(value_of(graph));
    if (made == nullptr || known == fake.graphs().end()) return CUDA_ERROR_INVALID_VALUE;
    const std::uint64_t handle = fake.streams().take_handle();
    fake.graphs()[handle] = known->second;
    *made = handle_of<CUgraphExec>(handle);
    return CUDA_SUCCESS;
  };
  return fake_call({name, context}, body, graph);
}

template <class Handle>
CUresult drop_graph(const char* name, Handle graph) {
  const auto body = [=](FakeCuda& fake) {
    return refuse_unless(fake.graphs().erase(value_of(graph)) > 0);
  };
  return fake_call({name, driver}, body, graph);
}

}  // namespace

FAKE_CUDA_TWINS(cuStreamBeginCapture, _ptsz, context, (CUstream stream), stream)
FAKE_CUDA_TWINS(cuStreamBeginCapture_v2, _ptsz, context,
                (CUstream stream, CUstreamCaptureMode mode), stream, mode)
FAKE_CUDA_TWINS(cuStreamEndCapture, _ptsz, context, (CUstream stream, CUgraph* graph), stream,
                graph)
FAKE_CUDA_TWINS(cuStreamIsCapturing, _ptsz, context,
                (CUstream stream, CUstreamCaptureStatus* status), stream, status)
FAKE_CUDA_TWINS(cuStreamGetCaptureInfo, _ptsz, context,
                (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id), stream, status,
                id)
FAKE_CUDA_TWINS(cuStreamGetCaptureInfo_v2, _ptsz, context,
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
FAKE_CUDA_TWINS(cuStreamBeginCaptureToGraph, _ptsz, context,
                (CUstream stream, CUgraph graph, const CUgraphNode* nodes,
                 const CUgraphEdgeData* edges, std::size_t count, CUstreamCaptureMode mode),
                stream, graph, nodes, edges, count, mode)
FAKE_CUDA_TWINS(cuStreamGetCaptureInfo_v3, _ptsz, context,
                (CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                 const CUgraphNode** nodes, const CUgraphEdgeData** edges, std::size_t* count),
                stream, status, id, graph, nodes, edges, count)
FAKE_CUDA_CALL(cuThreadExchangeStreamCaptureMode)(CUstreamCaptureMode* mode) {
  const auto body = [=](FakeCuda& fake) {
    if (mode == nullptr || !is_mode(*mode)) return CUDA_ERROR_INVALID_VALUE;
    const CaptureMode before =
        fake.timed().exchange_capture_mode(modes.at(static_cast<std::size_t>(*mode)));
    *mode = static_cast<CUstreamCaptureMode>(before);
    return CUDA_SUCCESS;
  };
  return fake_call({"cuThreadExchangeStreamCaptureMode", driver}, body);
}
FAKE_CUDA_CALL(cuGraphNodeGetDependencies)
(CUgraphNode node, CUgraphNode* nodes, std::size_t* count) {
  const auto body = [=](FakeCuda& fake) {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = fake.timed().dependencies_of({value_of(node)});
    for (std::size_t place = 0; nodes != nullptr && place < *count; ++place)
      nodes[place] = place < found.size() ? handle_of<CUgraphNode>(found[place].value) : nullptr;
    *count = found.size();
    return CUDA_SUCCESS;
  };
  return fake_call({"cuGraphNodeGetDependencies", driver}, body, node);
}
FAKE_CUDA_CALL(cuGraphInstantiateWithFlags)
(CUgraphExec* made, CUgraph graph, unsigned long long /*flags*/) {
  return instantiate("cuGraphInstantiateWithFlags", made, graph);
}
FAKE_CUDA_CALL(cuGraphDestroy)(CUgraph graph) { return drop_graph("cuGraphDestroy", graph); }
FAKE_CUDA_CALL(cuGraphExecDestroy)(CUgraphExec graph) {
  return drop_graph("cuGraphExecDestroy", graph);
}
FAKE_CUDA_TWINS(cuGraphLaunch, _ptsz, context, (CUgraphExec graph, CUstream stream), graph, stream)
