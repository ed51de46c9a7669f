// Streams, their settings, functions of the host on them, and captures.
#include <array>
#include <cstring>
#include <span>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

using namespace vramlab::dry_run;
using vramlab::streams::StreamAt;
using vramlab::streams::WorkKind;

namespace {

/// `use` gets the simulator's stream where the handle is one.
template <class Use>
CUresult with_stream(StandInDriver& driver, const CallSite& site, CUstream stream, const Use& use) {
  const auto found = driver.find_stream(stream, site);
  if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
  return use(std::get<StreamAt>(found));
}

CUresult create_stream(const char* name, CUstream* stream, unsigned flags, int priority) {
  const auto body = [=](StandInDriver& driver) {
    if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    *stream = driver.streams().create_stream({driver.current().number, flags, priority});
    driver.set_output(value_of(*stream));
    return CUDA_SUCCESS;
  };
  return driver_call({name, context}, body, flags, static_cast<std::uint64_t>(priority));
}

CUresult destroy_stream(const char* name, CUstream stream) {
  const auto body = [=](StandInDriver& driver) { return driver.streams().destroy_stream(stream); };
  return driver_call({name, context}, body, stream);
}

CUresult on_cuStreamQuery(const CallSite& site, CUstream stream) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      return driver.asked(result_of(driver.timed().query_stream(at)));
    });
  };
  return driver_call(site, body, stream);
}

CUresult on_cuStreamSynchronize(const CallSite& site, CUstream stream) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      return result_of(driver.timed().synchronize_stream(at));
    });
  };
  return driver_call(site, body, stream);
}

CUresult on_cuStreamWaitEvent(const CallSite& site, CUstream stream, CUevent event,
                              unsigned flags) {
  const auto body = [=](StandInDriver& driver) {
    if (flags > CU_EVENT_WAIT_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    return with_stream(driver, site, stream, [&](StreamAt at) {
      if (flags == CU_EVENT_WAIT_EXTERNAL)
        return result_of(driver.timed().wait_for_event_in_graph(at, {value_of(event)}, 0));
      driver.keep_up(at);
      return result_of(driver.timed().wait_for_event(at, {value_of(event)}, 0));
    });
  };
  return driver_call(site, body, stream, event);
}

StreamFacts facts_at(StandInDriver& driver, StreamAt at) {
  const StreamFacts* const facts = driver.streams().facts_of(handle_of<CUstream>(at.stream.value));
  return facts == nullptr ? StreamFacts{.context = at.device} : *facts;
}

CUresult on_cuStreamGetFlags(const CallSite& site, CUstream stream, unsigned* flags) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      return give(driver, flags, facts_at(driver, at).flags);
    });
  };
  return driver_call(site, body, stream);
}

CUresult on_cuStreamGetPriority(const CallSite& site, CUstream stream, int* priority) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      return give(driver, priority, facts_at(driver, at).priority);
    });
  };
  return driver_call(site, body, stream);
}

CUresult on_cuStreamGetId(const CallSite& site, CUstream stream, unsigned long long* id) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      return give(driver, id, at.stream.value ^ std::uint64_t{at.device} << 48);
    });
  };
  return driver_call(site, body, stream);
}

CUresult on_cuStreamGetCtx(const CallSite& site, CUstream stream, CUcontext* of) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      const Context* const found = driver.contexts().find_number(at.device);
      if (of == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
      *of = handle_of<CUcontext>(found->handle);
      return CUDA_SUCCESS;
    });
  };
  return driver_call(site, body, stream);
}

CUresult on_cuLaunchHostFunc(const CallSite& site, CUstream stream, CUhostFn function,
                             void* argument) {
  const auto body = [=](StandInDriver& driver) {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return driver.submit(stream, site, driver.host_function([=] { function(argument); }));
  };
  return driver_call(site, body, stream, argument);
}

CUresult on_cuStreamAddCallback(const CallSite& site, CUstream stream, CUstreamCallback function,
                                void* argument, unsigned /*flags*/) {
  const auto body = [=](StandInDriver& driver) {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return driver.submit(stream, site,
                         driver.host_function([=] { function(stream, CUDA_SUCCESS, argument); }));
  };
  return driver_call(site, body, stream, argument);
}

}  // namespace

STAND_IN_CALL(cuStreamCreate)(CUstream* stream, unsigned flags) {
  return create_stream("cuStreamCreate", stream, flags, 0);
}
STAND_IN_CALL(cuStreamCreateWithPriority)(CUstream* stream, unsigned flags, int priority) {
  return create_stream("cuStreamCreateWithPriority", stream, flags, priority);
}
STAND_IN_CALL(cuStreamDestroy)(CUstream stream) {
  return destroy_stream("cuStreamDestroy", stream);
}
STAND_IN_CALL(cuStreamDestroy_v2)(CUstream stream) {
  return destroy_stream("cuStreamDestroy_v2", stream);
}
STAND_IN_TWINS(cuStreamQuery, _ptsz, context, (CUstream stream), stream)
STAND_IN_TWINS(cuStreamSynchronize, _ptsz, context, (CUstream stream), stream)
STAND_IN_TWINS(cuStreamWaitEvent, _ptsz, context, (CUstream stream, CUevent event, unsigned flags),
               stream, event, flags)
STAND_IN_TWINS(cuStreamGetFlags, _ptsz, context, (CUstream stream, unsigned* flags), stream, flags)
STAND_IN_TWINS(cuStreamGetPriority, _ptsz, context, (CUstream stream, int* priority), stream,
               priority)
STAND_IN_TWINS(cuStreamGetId, _ptsz, context, (CUstream stream, unsigned long long* id), stream, id)
STAND_IN_TWINS(cuStreamGetCtx, _ptsz, context, (CUstream stream, CUcontext* of), stream, of)
STAND_IN_TWINS(cuLaunchHostFunc, _ptsz, context,
               (CUstream stream, CUhostFn function, void* argument), stream, function, argument)
STAND_IN_TWINS(cuStreamAddCallback, _ptsz, context,
               (CUstream stream, CUstreamCallback function, void* argument, unsigned flags), stream,
               function, argument, flags)

// Settings of streams, which change nothing here, and the dependencies of captures.

using vramlab::streams::StreamAt;

namespace {

/// CUstreamAttrValue and CUlaunchAttributeValue, whatever they hold.
struct AttributeValue {
  char bytes[64];
};

template <class Give>
CUresult for_stream(const CallSite& site, CUstream stream, const Give& use) {
  const auto body = [&](StandInDriver& driver) {
    const auto found = driver.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    return use(driver, std::get<StreamAt>(found));
  };
  return driver_call(site, body, stream);
}

CUresult accept_stream(StandInDriver& /*driver*/, StreamAt /*stream*/) { return CUDA_SUCCESS; }

CUresult on_cuStreamGetAttribute(const CallSite& site, CUstream stream, unsigned /*attribute*/,
                                 AttributeValue* value) {
  return for_stream(site, stream, [=](StandInDriver&, StreamAt) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *value = {};
    return CUDA_SUCCESS;
  });
}
CUresult on_cuStreamSetAttribute(const CallSite& site, CUstream stream, unsigned /*attribute*/,
                                 const AttributeValue* /*value*/) {
  return for_stream(site, stream, accept_stream);
}
CUresult on_cuStreamCopyAttributes(const CallSite& site, CUstream to, CUstream /*from*/) {
  return for_stream(site, to, accept_stream);
}
CUresult on_cuStreamAttachMemAsync(const CallSite& site, CUstream stream, CUdeviceptr /*at*/,
                                   std::size_t /*bytes*/, unsigned /*flags*/) {
  return for_stream(site, stream, accept_stream);
}
CUresult on_cuStreamGetDevice(const CallSite& site, CUstream stream, CUdevice* device) {
  return for_stream(site, stream, [=](StandInDriver& driver, StreamAt at) {
    const Context* const owner = driver.contexts().find_number(at.device);
    return owner == nullptr ? CUDA_ERROR_INVALID_CONTEXT : give(driver, device, owner->device);
  });
}
CUresult on_cuStreamUpdateCaptureDependencies(const CallSite& site, CUstream stream,
                                              CUgraphNode* /*nodes*/, std::size_t /*count*/,
                                              unsigned /*flags*/) {
  return for_stream(site, stream, accept_stream);
}
CUresult on_cuStreamUpdateCaptureDependencies_v2(const CallSite& site, CUstream stream,
                                                 CUgraphNode* /*nodes*/,
                                                 const CUgraphEdgeData* /*edges*/,
                                                 std::size_t /*count*/, unsigned /*flags*/) {
  return for_stream(site, stream, accept_stream);
}

}  // namespace

STAND_IN_TWINS(cuStreamGetAttribute, _ptsz, context,
               (CUstream stream, unsigned attribute, AttributeValue* value), stream, attribute,
               value)
STAND_IN_TWINS(cuStreamSetAttribute, _ptsz, context,
               (CUstream stream, unsigned attribute, const AttributeValue* value), stream,
               attribute, value)
STAND_IN_TWINS(cuStreamCopyAttributes, _ptsz, context, (CUstream to, CUstream from), to, from)
STAND_IN_TWINS(cuStreamAttachMemAsync, _ptsz, context,
               (CUstream stream, CUdeviceptr at, std::size_t bytes, unsigned flags), stream, at,
               bytes, flags)
STAND_IN_TWINS(cuStreamGetDevice, _ptsz, context, (CUstream stream, CUdevice* device), stream,
               device)
STAND_IN_TWINS(cuStreamUpdateCaptureDependencies, _ptsz, context,
               (CUstream stream, CUgraphNode* nodes, std::size_t count, unsigned flags), stream,
               nodes, count, flags)
STAND_IN_TWINS(cuStreamUpdateCaptureDependencies_v2, _ptsz, context,
               (CUstream stream, CUgraphNode* nodes, const CUgraphEdgeData* edges,
                std::size_t count, unsigned flags),
               stream, nodes, edges, count, flags)

// Captures and the graphs that they make.

using vramlab::streams::CaptureMode;
using vramlab::streams::StreamAt;

namespace {

constexpr std::array modes = {CaptureMode::global, CaptureMode::thread_local_only,
                              CaptureMode::relaxed};

bool is_mode(CUstreamCaptureMode mode) { return static_cast<std::size_t>(mode) < modes.size(); }

/// The graph that a capture is added to, or null, and the nodes that come before.
struct CaptureTarget {
  CUgraph graph = nullptr;
  std::span<const CUgraphNode> after;
};

CUresult begin_capture(const CallSite& site, CUstream stream, CUstreamCaptureMode mode,
                       CaptureTarget target = {}) {
  const auto body = [=](StandInDriver& driver) {
    if (!is_mode(mode)) return CUDA_ERROR_INVALID_VALUE;
    const std::uint64_t graph = value_of(target.graph);
    if (graph != 0 && !driver.graphs().takes_node(graph, target.after))
      return CUDA_ERROR_INVALID_VALUE;
    const auto found = driver.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    const StreamAt at = std::get<StreamAt>(found);
    const CUresult result =
        result_of(driver.timed().begin_capture(at, modes.at(static_cast<std::size_t>(mode))));
    if (result != CUDA_SUCCESS) return result;
    driver.note_capture();
    driver.graphs().capture_into(graph, at, target.after);
    return result;
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
    const CUresult result = driver.graphs().end_capture(std::get<StreamAt>(found), made);
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
    *status = status_at(driver, at);
    return result_of(driver.timed().check_capture_query(at));
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
  if (!capture) return result_of(driver.timed().check_capture_query(at));
  std::vector<CUgraphNode>& nodes = told_nodes();
  nodes.clear();
  for (const auto& node : capture->terminals) nodes.push_back(handle_of<CUgraphNode>(node.value));
  if (answer.id != nullptr) *answer.id = capture->id.value;
  if (answer.graph != nullptr)
    *answer.graph = handle_of<CUgraph>(driver.graphs().graph_of(capture->id));
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
CUresult on_cuStreamBeginCaptureToGraph(const CallSite& site, CUstream stream, CUgraph graph,
                                        const CUgraphNode* nodes, const CUgraphEdgeData* /*edges*/,
                                        std::size_t count, CUstreamCaptureMode mode) {
  if (graph == nullptr || (nodes == nullptr && count > 0)) return CUDA_ERROR_INVALID_VALUE;
  return begin_capture(site, stream, mode, {graph, {nodes, count}});
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
