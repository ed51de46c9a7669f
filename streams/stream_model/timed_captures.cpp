// TimedStreams: captures, what they forbid, and graphs. Whatever is refused because of a capture
// invalidates that capture.
#include <utility>

#include "streams/stream_model/timed_streams.h"

namespace vramlab::streams {

CudaStatus TimedStreams::invalidate(Capture& capture, CudaStatus why) {
  capture.is_invalidated = true;
  return why;
}

/// Putting something on a stream.
CudaStatus TimedStreams::check_use(StreamAt stream) {
  if (lost_ != CudaStatus::success) return lost_;
  if (stream.stream.value == 0) device_at(stream.device);
  if (find_stream(stream) == nullptr) return CudaStatus::invalid_resource_handle;
  if (captures_.is_empty()) return CudaStatus::success;
  if (const CudaStatus status = check_legacy(stream); status != CudaStatus::success) return status;
  const OpenCaptures::Member* member = captures_.find(stream);
  return member != nullptr && member->capture->is_invalidated
             ? CudaStatus::stream_capture_invalidated
             : CudaStatus::success;
}

/// Asking about a stream, or waiting for it, on the host.
CudaStatus TimedStreams::check_outside_use(StreamAt stream) {
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  if (captures_.is_empty()) return CudaStatus::success;
  if (const OpenCaptures::Member* member = captures_.find(stream))
    return invalidate(*member->capture, CudaStatus::stream_capture_unsupported);
  return check_unsafe_call();
}

/// The legacy stream would wait for blocking streams that are captured.
CudaStatus TimedStreams::check_legacy(StreamAt stream) {
  if (!find_stream(stream)->is_legacy) return CudaStatus::success;
  CudaStatus status = CudaStatus::success;
  for (const auto& [name, member] : captures_.members())
    if (member.is_blocking && name.device == stream.device)
      status = invalidate(*member.capture, CudaStatus::stream_capture_implicit);
  return status;
}

CudaStatus TimedStreams::check_unsafe_call() {
  if (lost_ != CudaStatus::success) return lost_;
  const auto found = thread_modes_.find(caller_);
  const CaptureMode own = found == thread_modes_.end() ? CaptureMode::global : found->second;
  if (own == CaptureMode::relaxed) return CudaStatus::success;
  CudaStatus status = CudaStatus::success;
  for (auto& [id, capture] : captures_.captures()) {
    const bool is_own = capture.thread == caller_ && capture.mode != CaptureMode::relaxed;
    const bool is_global = own == CaptureMode::global && capture.mode == CaptureMode::global;
    if (is_own || is_global) status = invalidate(capture, CudaStatus::stream_capture_unsupported);
  }
  return status;
}

CaptureMode TimedStreams::exchange_capture_mode(CaptureMode mode) {
  const auto [found, is_new] = thread_modes_.try_emplace(caller_, CaptureMode::global);
  return std::exchange(found->second, mode);
}

CudaStatus TimedStreams::begin_capture(StreamAt stream, CaptureMode mode) {
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  const Stream& origin = *find_stream(stream);
  if (origin.is_legacy) return CudaStatus::stream_capture_unsupported;
  if (const OpenCaptures::Member* member = captures_.find(stream))
    return invalidate(*member->capture, CudaStatus::illegal_state);
  captures_.begin(stream, origin.is_blocking, mode, caller_);
  return CudaStatus::success;
}

CudaStatus TimedStreams::end_capture(StreamAt stream, GraphId graph) {
  if (lost_ != CudaStatus::success) return lost_;
  if (!has_stream(stream)) return CudaStatus::invalid_resource_handle;
  const OpenCaptures::Member* member = captures_.find(stream);
  if (member == nullptr) return CudaStatus::illegal_state;
  Capture& capture = *member->capture;
  if (capture.origin != stream) return invalidate(capture, CudaStatus::stream_capture_unmatched);
  if (capture.mode != CaptureMode::relaxed && capture.thread != caller_)
    return invalidate(capture, CudaStatus::stream_capture_wrong_thread);
  const bool is_joined = OpenCaptures::is_joined(*member);
  const bool is_invalidated = capture.is_invalidated;
  CapturedGraph captured = captures_.end(capture.id);
  if (is_invalidated) return CudaStatus::stream_capture_invalidated;
  if (!is_joined) return CudaStatus::stream_capture_unjoined;
  define_graph(graph, std::move(captured));
  return CudaStatus::success;
}

/// A stream that waits for a captured event takes part in the capture from then on.
CudaStatus TimedStreams::join_capture(StreamAt stream, const Event& event) {
  Capture* capture = captures_.find(*event.capture);
  OpenCaptures::Member* member = captures_.find(stream);
  if (capture == nullptr) {
    if (member != nullptr) member->capture->is_invalidated = true;
    return CudaStatus::captured_event;
  }
  if (capture->is_invalidated) return CudaStatus::stream_capture_invalidated;
  if (member == nullptr) {
    const Stream& joining = *find_stream(stream);
    if (joining.is_legacy) return invalidate(*capture, CudaStatus::stream_capture_unsupported);
    captures_.join(stream, joining.is_blocking, *capture, event.captured_after);
    return CudaStatus::success;
  }
  if (member->capture != capture) {
    member->capture->is_invalidated = true;
    return invalidate(*capture, CudaStatus::stream_capture_merge);
  }
  OpenCaptures::add_tips(*member, event.captured_after);
  return CudaStatus::success;
}

CudaStatus TimedStreams::launch_graph(GraphId graph, StreamAt stream, std::uint64_t tag) {
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  const auto found = graphs_.find(graph);
  if (found == graphs_.end()) return CudaStatus::invalid_value;
  Graph& launched = found->second;
  if (OpenCaptures::Member* member = captures_.find(stream)) {
    OpenCaptures::add_graph(*member, launched.graph);
    return CudaStatus::success;
  }
  const std::uint32_t place = stream_places_.find(stream);
  const WorkRef begin = put_mark(place, ItemKind::graph_begin, graph.value, tag);
  // A graph that still runs is waited for.
  engine_.follow(begin, launched.last_launch);
  watcher_.graph_launched(launched.graph, graph, stream);
  const std::vector<WorkRef> nodes = add_nodes(launched, place, begin);
  const WorkRef end = put_mark(place, ItemKind::graph_end, graph.value, tag);
  for (const std::uint32_t terminal : launched.terminals) engine_.follow(end, nodes[terminal]);
  launched.last_launch = end;
  // The begin comes last: what the graph consists of competes as one.
  for (const WorkRef node : nodes) engine_.submit(node);
  engine_.submit(end);
  engine_.submit(begin);
  return CudaStatus::success;
}

std::vector<WorkRef> TimedStreams::add_nodes(const Graph& graph, std::uint32_t stream,
                                             WorkRef begin) {
  std::vector<WorkRef> nodes;
  nodes.reserve(graph.graph.nodes.size());
  for (const CapturedNode& node : graph.graph.nodes) {
    const WorkRef item = add_on_place(ItemKind::graph_node, stream,
                                      {node.work, device_at(node.stream.device), node.priority});
    watcher_.issued({item.number, ItemKind::graph_node, streams_[stream].name, caller_,
                     engine_.now(), node.work.tag, &node.work});
    if (node.after.empty()) engine_.follow(item, begin);
    for (const std::uint32_t before : node.after) engine_.follow(item, nodes[before]);
    nodes.push_back(item);
  }
  return nodes;
}

void TimedStreams::define_graph(GraphId graph, CapturedGraph nodes) {
  NodePlaces terminals = terminals_of(nodes);
  if (graphs_.contains(graph)) watcher_.graph_destroyed(graph);
  graphs_[graph] = {std::move(nodes), std::move(terminals), {}};
}

const CapturedGraph* TimedStreams::find_graph(GraphId graph) const {
  const auto found = graphs_.find(graph);
  return found == graphs_.end() ? nullptr : &found->second.graph;
}

CudaStatus TimedStreams::destroy_graph(GraphId graph) {
  if (lost_ != CudaStatus::success) return lost_;
  if (graphs_.erase(graph) == 0) return CudaStatus::invalid_value;
  watcher_.graph_destroyed(graph);
  return CudaStatus::success;
}

std::optional<StreamCapture> TimedStreams::capture_of(StreamAt stream) const {
  return captures_.capture_of(stream);
}

}  // namespace vramlab::streams
