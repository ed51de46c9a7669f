// TimedStreams: events, and the marks that the allocator asks for.
#include <utility>

#include "allocator/types/device.h"
#include "streams/stream_model/timed_streams.h"

namespace vramlab::streams {

CudaStatus TimedStreams::create_event(EventId event, std::uint32_t device, bool has_timing) {
  if (lost_ != CudaStatus::success) return lost_;
  const auto [made, is_new] =
      events_.try_emplace(event.value, Event{.device = device, .has_timing = has_timing});
  return is_new ? CudaStatus::success : CudaStatus::invalid_value;
}

CudaStatus TimedStreams::destroy_event(EventId event) {
  if (lost_ != CudaStatus::success) return lost_;
  if (events_.erase(event.value) == 0) return CudaStatus::invalid_resource_handle;
  watcher_.event_destroyed(event);
  return CudaStatus::success;
}

CudaStatus TimedStreams::record_event(EventId event, StreamAt stream, std::uint64_t tag) {
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  const auto found = events_.find(event.value);
  if (found == events_.end() || found->second.device != stream.device)
    return CudaStatus::invalid_resource_handle;
  Event& recorded = found->second;
  if (const OpenCaptures::Member* member = captures_.find(stream)) {
    recorded.capture = member->capture->id;
    recorded.captured_after = member->tips;
    return CudaStatus::success;
  }
  recorded.capture.reset();
  recorded.at.reset();
  recorded.is_recorded = true;
  const std::uint32_t place = stream_places_.find(stream);
  recorded.record = put_mark(place, ItemKind::event_record, event.value, tag);
  // Submitted, it may end at once: everything else is said before.
  watcher_.event_recorded(event, stream);
  engine_.submit(recorded.record);
  return CudaStatus::success;
}

/// Recorded on a stream that is nobody's, behind the latest of every other.
CudaStatus TimedStreams::record_device_event(EventId event, std::uint32_t device,
                                             std::uint64_t tag) {
  if (lost_ != CudaStatus::success) return lost_;
  const auto found = events_.find(event.value);
  if (found == events_.end() || found->second.device != device)
    return CudaStatus::invalid_resource_handle;
  if (const CudaStatus status = refuse_captures_on(device); status != CudaStatus::success)
    return status;
  const StreamAt all{device, all_streams};
  Device& of = device_at(device);
  if (find_stream(all) == nullptr) add_stream(of, {.name = all, .is_blocking = false});
  const std::uint32_t place = stream_places_.find(all);
  const WorkRef item = put_mark(place, ItemKind::event_wait, event.value, tag);
  for (const std::uint32_t other : of.streams) {
    if (other == place) continue;
    engine_.follow(item, streams_[other].last);
    watcher_.stream_follows(all, name_in_orders(streams_[other]));
  }
  engine_.submit(item);
  return record_event(event, all, tag);
}

CudaStatus TimedStreams::wait_for_event(StreamAt stream, EventId event, std::uint64_t tag) {
  if (const CudaStatus status = check_use(stream); status != CudaStatus::success) return status;
  const auto found = events_.find(event.value);
  if (found == events_.end()) return CudaStatus::invalid_resource_handle;
  const Event& awaited = found->second;
  if (awaited.capture) return join_capture(stream, awaited);
  if (const OpenCaptures::Member* member = captures_.find(stream))
    return invalidate(*member->capture, CudaStatus::stream_capture_isolation);
  const std::uint32_t place = stream_places_.find(stream);
  const WorkRef item = put_mark(place, ItemKind::event_wait, event.value, tag);
  if (awaited.is_recorded) {
    engine_.follow(item, awaited.record);
    watcher_.stream_follows_event(stream, event);
  }
  engine_.submit(item);
  return CudaStatus::success;
}

CudaStatus TimedStreams::query_event(EventId event) {
  if (const CudaStatus status = check_event_use(event); status != CudaStatus::success)
    return status;
  const Event& asked = events_.at(event.value);
  if (!engine_.has_ended(asked.record)) return CudaStatus::not_ready;
  if (asked.is_recorded) watcher_.thread_follows_event(caller_, event);
  return CudaStatus::success;
}

CudaStatus TimedStreams::synchronize_event(EventId event) {
  if (const CudaStatus status = check_event_use(event); status != CudaStatus::success)
    return status;
  const Event& awaited = events_.at(event.value);
  if (!awaited.is_recorded) return CudaStatus::success;
  wait_here({awaited.record});
  watcher_.thread_follows_event(caller_, event);
  return CudaStatus::success;
}

/// Asking about an event, or waiting for it, on the host.
CudaStatus TimedStreams::check_event_use(EventId event) {
  if (lost_ != CudaStatus::success) return lost_;
  const auto found = events_.find(event.value);
  if (found == events_.end()) return CudaStatus::invalid_resource_handle;
  return found->second.capture ? refuse_captured(found->second) : check_unsafe_call();
}

CudaStatus TimedStreams::refuse_captured(const Event& event) {
  if (Capture* capture = captures_.find(*event.capture)) capture->is_invalidated = true;
  return CudaStatus::captured_event;
}

ElapsedTime TimedStreams::elapsed(EventId from, EventId to) {
  if (lost_ != CudaStatus::success) return {lost_, 0};
  for (const EventId event : {from, to}) {
    const auto found = events_.find(event.value);
    if (found == events_.end()) return {CudaStatus::invalid_resource_handle, 0};
    if (found->second.capture) return {refuse_captured(found->second), 0};
    if (!found->second.has_timing || !found->second.is_recorded)
      return {CudaStatus::invalid_resource_handle, 0};
  }
  const Event& first = events_.at(from.value);
  const Event& second = events_.at(to.value);
  if (first.device != second.device) return {CudaStatus::invalid_resource_handle, 0};
  if (!first.at || !second.at) return {CudaStatus::not_ready, 0};
  return {CudaStatus::success, static_cast<std::int64_t>(second.at->ns - first.at->ns)};
}

StreamMark TimedStreams::put_mark(StreamAt stream) {
  Device& device = device_at(stream.device);
  if (!has_stream(stream)) add_stream(device, {.name = stream, .is_blocking = false});
  if (captures_.find(stream) != nullptr)
    throw DeviceError("an event was recorded for a block's free on stream " +
                      std::to_string(stream.stream.value) + ", which captures");
  const std::uint32_t place = stream_places_.find(stream);
  const WorkRef item = put_mark(place, ItemKind::mark, 0, 0);
  engine_.submit(item);
  return {item};
}

bool TimedStreams::wait_for_stream(StreamAt stream) {
  const Stream* found = find_stream(stream);
  if (found == nullptr) return true;
  watcher_.thread_follows_stream(caller_, stream);
  return wait_inside({found->last});
}

bool TimedStreams::wait_for_device(std::uint32_t device) {
  return wait_inside(ends_of_device(device));
}

/// The call that is being made goes on behind them.
bool TimedStreams::wait_inside(const std::vector<WorkRef>& awaited) {
  tell_wait(awaited);
  for (const WorkRef work : awaited)
    if (!engine_.run_until_ended(work) && lost_ == CudaStatus::success) return false;
  clocks_.wait_until(caller_, engine_.now());
  engine_.advance(clocks_.begin_call(caller_, std::nullopt));
  return true;
}

CudaStatus wait_for_other_stream(TimedStreams& streams, StreamAt stream, StreamAt waited,
                                 EventId between, std::uint64_t tag) {
  streams.create_event(between, waited.device, /*has_timing=*/false);
  CudaStatus status = streams.record_event(between, waited, tag);
  if (status == CudaStatus::success) status = streams.wait_for_event(stream, between, tag);
  streams.destroy_event(between);
  return status;
}

}  // namespace vramlab::streams
