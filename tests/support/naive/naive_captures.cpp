// NaiveStreams: events, captures and graphs.
#include <algorithm>

#include "tests/support/naive/naive_streams.h"

namespace vramlab::tests {

using namespace streams;
using allocator::EventId;
using allocator::GraphNode;
using allocator::StreamCapture;

// Events.

CudaStatus NaiveStreams::create_event(EventId event, std::uint32_t device, bool has_timing) {
  if (lost_ != CudaStatus::success) return lost_;
  if (events_.contains(event)) return CudaStatus::invalid_value;
  events_[event] = {device, has_timing, std::nullopt, std::nullopt, {}};
  return CudaStatus::success;
}

CudaStatus NaiveStreams::destroy_event(EventId event) {
  if (lost_ != CudaStatus::success) return lost_;
  return events_.erase(event) == 1 ? CudaStatus::success : CudaStatus::invalid_resource_handle;
}

CudaStatus NaiveStreams::record_event(EventId event, StreamAt stream, std::uint64_t tag) {
  if (lost_ != CudaStatus::success) return lost_;
  if (!events_.contains(event) || events_[event].device != stream.device)
    return CudaStatus::invalid_resource_handle;
  if (const CudaStatus status = check_put(stream); status != CudaStatus::success) return status;
  Event& recorded = events_[event];
  if (Capture* capture = capture_with(stream)) {
    recorded.capture = static_cast<std::size_t>(capture - captures_.data());
    recorded.captured_after = capture->members[stream];
    return CudaStatus::success;
  }
  recorded.capture.reset();
  recorded.record = issue(ItemKind::event_record, stream, tag);
  order_behind_others(*recorded.record);
  settle();
  return CudaStatus::success;
}

CudaStatus NaiveStreams::wait_for_event(StreamAt stream, EventId event, std::uint64_t tag) {
  if (lost_ != CudaStatus::success) return lost_;
  if (!events_.contains(event)) return refuse_event(stream);
  if (const CudaStatus status = check_put(stream); status != CudaStatus::success) return status;
  const Event& awaited = events_[event];
  if (awaited.capture) return join(stream, awaited);
  if (!awaited.record) return CudaStatus::success;
  if (Capture* capture = capture_with(stream)) {
    capture->is_invalid = true;
    return CudaStatus::stream_capture_isolation;
  }
  const std::size_t wait = issue(ItemKind::event_wait, stream, tag);
  order_behind_others(wait);
  items_[wait].ends_before.push_back(*awaited.record);
  settle();
  return CudaStatus::success;
}

/// A stream is to wait for an event that does not exist.
CudaStatus NaiveStreams::refuse_event(StreamAt stream) {
  if (Capture* capture = capture_with(stream)) capture->is_invalid = true;
  return CudaStatus::invalid_resource_handle;
}

CudaStatus NaiveStreams::check_ask(EventId event) {
  if (lost_ != CudaStatus::success) return lost_;
  if (!events_.contains(event)) return CudaStatus::invalid_resource_handle;
  if (const auto capture = events_[event].capture) {
    if (!is_valid(captures_[*capture])) return CudaStatus::invalid_value;
    captures_[*capture].is_invalid = true;
    return CudaStatus::captured_event;
  }
  return check_unsafe_call();
}

CudaStatus NaiveStreams::query_event(EventId event) {
  if (const CudaStatus status = check_ask(event); status != CudaStatus::success) return status;
  const auto record = events_[event].record;
  return record && !has_ended(*record) ? CudaStatus::not_ready : CudaStatus::success;
}

CudaStatus NaiveStreams::synchronize_event(EventId event) {
  if (const CudaStatus status = check_ask(event); status != CudaStatus::success) return status;
  if (const auto record = events_[event].record) wait_for({*record});
  return CudaStatus::success;
}

ElapsedTime NaiveStreams::elapsed(EventId from, EventId to) {
  if (lost_ != CudaStatus::success) return {lost_, 0};
  for (const EventId event : {from, to}) {
    if (!events_.contains(event)) return {CudaStatus::invalid_resource_handle, 0};
    const Event& asked = events_[event];
    if (asked.capture)
      return {is_valid(captures_[*asked.capture]) ? CudaStatus::captured_event
                                                  : CudaStatus::invalid_value,
              0};
    if (!asked.has_timing || !asked.record) return {CudaStatus::invalid_resource_handle, 0};
  }
  const Event& first = events_[from];
  const Event& second = events_[to];
  if (first.device != second.device) return {CudaStatus::invalid_resource_handle, 0};
  if (!has_ended(*first.record) || !has_ended(*second.record)) return {CudaStatus::not_ready, 0};
  const std::uint64_t begin = items_[*first.record].end->ns;
  const std::uint64_t end = items_[*second.record].end->ns;
  if (end >= begin) return {CudaStatus::success, static_cast<std::int64_t>(end - begin)};
  return {CudaStatus::success, -static_cast<std::int64_t>(begin - end)};
}

// Calls that captures forbid.

NaiveStreams::Capture* NaiveStreams::capture_with(StreamAt stream) {
  for (Capture& capture : captures_)
    if (takes_part(capture, stream)) return &capture;
  return nullptr;
}

/// True if a blocking stream takes part; then the legacy stream of that device stands still.
bool NaiveStreams::stops_legacy(const Capture& capture, StreamAt legacy) const {
  for (const auto& [member, tips] : capture.members)
    if (capture.is_open && member.device == legacy.device &&
        streams_[*find_stream(member)].is_blocking)
      return true;
  return false;
}

/// False for every other stream, and where no capture stops the legacy one.
bool NaiveStreams::invalidate_for_legacy(StreamAt stream) {
  bool is_refused = false;
  for (Capture& capture : captures_)
    if (stream.stream.value == 0 && stops_legacy(capture, stream))
      capture.is_invalid = is_refused = true;
  return is_refused;
}

/// Putting something on a stream.
CudaStatus NaiveStreams::check_put(StreamAt stream) {
  if (lost_ != CudaStatus::success) return lost_;
  if (stream.stream.value == 0) make_legacy(stream.device);
  if (!find_stream(stream)) return CudaStatus::invalid_resource_handle;
  if (invalidate_for_legacy(stream)) return CudaStatus::stream_capture_implicit;
  const Capture* capture = capture_with(stream);
  return capture != nullptr && capture->is_invalid ? CudaStatus::stream_capture_invalidated
                                                   : CudaStatus::success;
}

/// Asking about a stream, or waiting for it, on the host.
CudaStatus NaiveStreams::check_ask(StreamAt stream) {
  if (const CudaStatus status = check_put(stream); status != CudaStatus::success) return status;
  if (Capture* capture = capture_with(stream)) {
    capture->is_invalid = true;
    return CudaStatus::stream_capture_unsupported;
  }
  return check_unsafe_call();
}

CudaStatus NaiveStreams::check_unsafe_call() {
  if (lost_ != CudaStatus::success) return lost_;
  const CaptureMode own = threads_[caller_].mode;
  bool is_refused = false;
  for (Capture& capture : captures_) {
    if (!capture.is_open || own == CaptureMode::relaxed || capture.mode == CaptureMode::relaxed)
      continue;
    const bool is_own = capture.thread == caller_;
    if (is_own || (own == CaptureMode::global && capture.mode == CaptureMode::global))
      capture.is_invalid = is_refused = true;
  }
  return is_refused ? CudaStatus::stream_capture_unsupported : CudaStatus::success;
}

CaptureMode NaiveStreams::exchange_capture_mode(CaptureMode mode) {
  const CaptureMode before = threads_[caller_].mode;
  threads_[caller_].mode = mode;
  return before;
}

// Captures.

CudaStatus NaiveStreams::begin_capture(StreamAt stream, CaptureMode mode) {
  if (lost_ != CudaStatus::success) return lost_;
  if (capture_with(stream) != nullptr) return CudaStatus::illegal_state;
  if (const CudaStatus status = check_put(stream); status != CudaStatus::success) return status;
  if (stream.stream.value == 0) return CudaStatus::stream_capture_unsupported;
  Capture capture;
  capture.origin = stream;
  capture.mode = mode;
  capture.thread = caller_;
  capture.members[stream] = {};
  captures_.push_back(capture);
  return CudaStatus::success;
}

CudaStatus NaiveStreams::end_capture(StreamAt stream, GraphId graph) {
  if (lost_ != CudaStatus::success) return lost_;
  if (stream.stream.value != 0 && !find_stream(stream)) return CudaStatus::invalid_resource_handle;
  if (invalidate_for_legacy(stream)) return CudaStatus::stream_capture_implicit;
  Capture* capture = capture_with(stream);
  if (capture == nullptr) return CudaStatus::illegal_state;
  if (capture->origin != stream) {
    capture->is_invalid = true;
    return CudaStatus::stream_capture_unmatched;
  }
  capture->is_open = false;
  if (capture->is_invalid) return CudaStatus::stream_capture_invalidated;
  if (capture->mode != CaptureMode::relaxed && capture->thread != caller_)
    return CudaStatus::stream_capture_wrong_thread;
  Places reached = capture->members[stream];
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const std::uint32_t place : Places(reached))
      reached.insert(capture->nodes[place].after.begin(), capture->nodes[place].after.end());
  }
  if (reached.size() < capture->nodes.size()) return CudaStatus::stream_capture_unjoined;
  graphs_[graph] = {capture->nodes, std::nullopt};
  return CudaStatus::success;
}

CudaStatus NaiveStreams::join(StreamAt stream, const Event& event) {
  Capture* own = capture_with(stream);
  Capture& joined = captures_[*event.capture];
  if (!is_valid(joined)) {
    if (own != nullptr) own->is_invalid = true;
    return CudaStatus::invalid_value;
  }
  if (own != nullptr && own != &joined) {
    own->is_invalid = joined.is_invalid = true;
    return CudaStatus::stream_capture_merge;
  }
  if (stream.stream.value == 0) {
    joined.is_invalid = true;
    return CudaStatus::stream_capture_implicit;
  }
  joined.members[stream].insert(event.captured_after.begin(), event.captured_after.end());
  return CudaStatus::success;
}

CudaStatus NaiveStreams::launch_graph(GraphId graph, StreamAt stream, std::uint64_t tag) {
  if (lost_ != CudaStatus::success) return lost_;
  if (Capture* capture = capture_with(stream)) {
    capture->is_invalid = true;
    return CudaStatus::stream_capture_unsupported;
  }
  if (const CudaStatus status = check_put(stream); status != CudaStatus::success) return status;
  if (!graphs_.contains(graph)) return CudaStatus::invalid_value;
  Graph& launched = graphs_[graph];
  const std::size_t begin = issue(ItemKind::graph_begin, stream, tag);
  order_behind_others(begin);
  if (launched.latest_end) items_[begin].ends_before.push_back(*launched.latest_end);
  for (const CapturedNode& node : launched.nodes) {
    NaiveItem& item = items_[issue(ItemKind::graph_node, stream, node.work.tag)];
    give_work(item, node);
    item.ends_before.push_back(begin);
    for (const std::uint32_t place : node.after) item.ends_before.push_back(begin + 1 + place);
  }
  launched.latest_end = issue(ItemKind::graph_end, stream, tag);
  order_behind_others(*launched.latest_end);
  settle();
  return CudaStatus::success;
}

CudaStatus NaiveStreams::destroy_graph(GraphId graph) {
  if (lost_ != CudaStatus::success) return lost_;
  if (!graphs_.contains(graph)) return CudaStatus::invalid_value;
  const CudaStatus status = check_unsafe_call();
  if (status == CudaStatus::success) graphs_.erase(graph);
  return status;
}

// A node's name is made of the number of its capture and its place in it.

CudaStatus NaiveStreams::check_capture_query(StreamAt stream) const {
  if (lost_ != CudaStatus::success) return lost_;
  if (stream.stream.value != 0)
    return find_stream(stream) ? CudaStatus::success : CudaStatus::invalid_resource_handle;
  for (const Capture& capture : captures_)
    if (stops_legacy(capture, stream)) return CudaStatus::stream_capture_implicit;
  return CudaStatus::success;
}

std::optional<StreamCapture> NaiveStreams::capture_of(StreamAt stream) const {
  for (std::size_t i = 0; i < captures_.size(); ++i) {
    if (!takes_part(captures_[i], stream)) continue;
    StreamCapture found{{i + 1}, {}};
    for (const std::uint32_t place : captures_[i].members.at(stream))
      found.terminals.push_back({((i + 1) << 32) + place});
    return found;
  }
  return std::nullopt;
}

std::vector<GraphNode> NaiveStreams::dependencies_of(GraphNode node) const {
  const std::uint64_t capture = node.value >> 32;
  std::vector<GraphNode> before;
  for (const std::uint32_t place : captures_[capture - 1].nodes[node.value & 0xffffffff].after)
    before.push_back({(capture << 32) + place});
  return before;
}

}  // namespace vramlab::tests
