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
  if (const CudaStatus status = check_put(stream); status != CudaStatus::success) return status;
  if (!events_.contains(event) || events_[event].device != stream.device)
    return CudaStatus::invalid_resource_handle;
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
  if (const CudaStatus status = check_put(stream); status != CudaStatus::success) return status;
  if (!events_.contains(event)) return CudaStatus::invalid_resource_handle;
  const Event& awaited = events_[event];
  if (awaited.capture) return join(stream, awaited);
  if (Capture* capture = capture_with(stream)) {
    capture->is_invalid = true;
    return CudaStatus::stream_capture_isolation;
  }
  const std::size_t wait = issue(ItemKind::event_wait, stream, tag);
  order_behind_others(wait);
  if (awaited.record) items_[wait].ends_before.push_back(*awaited.record);
  settle();
  return CudaStatus::success;
}

CudaStatus NaiveStreams::check_ask(EventId event) {
  if (lost_ != CudaStatus::success) return lost_;
  if (!events_.contains(event)) return CudaStatus::invalid_resource_handle;
  if (const auto capture = events_[event].capture) {
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
    if (asked.capture) {
      captures_[*asked.capture].is_invalid = true;
      return {CudaStatus::captured_event, 0};
    }
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

/// Putting something on a stream.
CudaStatus NaiveStreams::check_put(StreamAt stream) {
  if (lost_ != CudaStatus::success) return lost_;
  if (stream.stream.value == 0) make_legacy(stream.device);
  if (!find_stream(stream)) return CudaStatus::invalid_resource_handle;
  bool is_refused = false;
  for (Capture& capture : captures_)
    for (const auto& [member, tips] : capture.members)
      if (stream.stream.value == 0 && capture.is_open && member.device == stream.device &&
          streams_[*find_stream(member)].is_blocking)
        capture.is_invalid = is_refused = true;
  if (is_refused) return CudaStatus::stream_capture_implicit;
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
  if (const CudaStatus status = check_put(stream); status != CudaStatus::success) return status;
  if (stream.stream.value == 0) return CudaStatus::stream_capture_unsupported;
  if (Capture* capture = capture_with(stream)) {
    capture->is_invalid = true;
    return CudaStatus::illegal_state;
  }
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
  Capture* capture = capture_with(stream);
  if (capture == nullptr) return CudaStatus::illegal_state;
  if (capture->origin != stream) {
    capture->is_invalid = true;
    return CudaStatus::stream_capture_unmatched;
  }
  if (capture->mode != CaptureMode::relaxed && capture->thread != caller_) {
    capture->is_invalid = true;
    return CudaStatus::stream_capture_wrong_thread;
  }
  capture->is_open = false;
  if (capture->is_invalid) return CudaStatus::stream_capture_invalidated;
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
  if (!joined.is_open) {
    if (own != nullptr) own->is_invalid = true;
    return CudaStatus::captured_event;
  }
  if (joined.is_invalid) return CudaStatus::stream_capture_invalidated;
  if (own != nullptr && own != &joined) {
    own->is_invalid = joined.is_invalid = true;
    return CudaStatus::stream_capture_merge;
  }
  if (stream.stream.value == 0) {
    joined.is_invalid = true;
    return CudaStatus::stream_capture_unsupported;
  }
  joined.members[stream].insert(event.captured_after.begin(), event.captured_after.end());
  return CudaStatus::success;
}

NaiveStreams::Places NaiveStreams::without_followers(const std::vector<CapturedNode>& nodes) {
  Places places;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const bool is_followed = std::ranges::any_of(nodes, [&](const CapturedNode& other) {
      return std::ranges::find(other.after, i) != other.after.end();
    });
    if (!is_followed) places.insert(i);
  }
  return places;
}

CudaStatus NaiveStreams::launch_graph(GraphId graph, StreamAt stream, std::uint64_t tag) {
  if (const CudaStatus status = check_put(stream); status != CudaStatus::success) return status;
  if (!graphs_.contains(graph)) return CudaStatus::invalid_value;
  Graph& launched = graphs_[graph];
  if (Capture* capture = capture_with(stream)) {
    Places& tips = capture->members[stream];
    const Places before = tips;
    const auto first = static_cast<std::uint32_t>(capture->nodes.size());
    for (CapturedNode node : launched.nodes) {
      for (std::uint32_t& place : node.after) place += first;
      if (node.after.empty()) node.after.assign(before.begin(), before.end());
      capture->nodes.push_back(node);
    }
    if (!launched.nodes.empty()) tips.clear();
    for (const std::uint32_t place : without_followers(launched.nodes)) tips.insert(first + place);
    return CudaStatus::success;
  }
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
  return graphs_.erase(graph) == 1 ? CudaStatus::success : CudaStatus::invalid_value;
}

// A node's name is made of the number of its capture and its place in it.

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
