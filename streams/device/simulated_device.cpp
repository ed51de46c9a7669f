#include "streams/device/simulated_device.h"

#include <algorithm>

#include "allocator/types/check.h"

namespace vramlab::streams {

void SimulatedDevice::submit_work(StreamId stream) {
  if (OpenCaptures::Member* member = captures_.find({0, stream}))
    OpenCaptures::add_node(*member, {});
  else
    streams_.submit_work(stream);
}

void SimulatedDevice::begin_capture(StreamId stream) {
  captures_.begin({0, stream}, /*is_blocking=*/false, CaptureMode::relaxed, {});
}

void SimulatedDevice::end_capture(StreamId stream) {
  const OpenCaptures::Member* member = captures_.find({0, stream});
  check(member != nullptr, "only a capture that is under way ends");
  captures_.end(member->capture->id);
}

void SimulatedDevice::wait_for_other_stream(StreamId stream, StreamId waited) {
  const OpenCaptures::Member* other = captures_.find({0, waited});
  if (other == nullptr) return;
  OpenCaptures::Member* own = captures_.find({0, stream});
  if (own == nullptr)
    captures_.join({0, stream}, /*is_blocking=*/false, *other->capture, other->tips);
  else if (own->capture == other->capture)
    OpenCaptures::add_tips(*own, other->tips);
}

void CountedStreams::complete(StreamId stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  ++completions_;
  found->second.done = found->second.submitted;
  if (found->second.is_idle()) streams_.erase(found);
}

void CountedStreams::complete_all() {
  ++completions_;
  for (auto& [stream, counters] : streams_) counters.done = counters.submitted;
  std::erase_if(streams_, [](const auto& stream) { return stream.second.is_idle(); });
}

bool CountedStreams::has_pending_work(StreamId stream) const {
  const auto found = streams_.find(stream);
  return found != streams_.end() && found->second.done < found->second.submitted;
}

EventId CountedStreams::record_event(StreamId stream) {
  const auto [of_stream, is_new] = streams_.try_emplace(stream);
  if (free_slots_.empty()) {
    free_slots_.push_back(events_.size());
    events_.emplace_back();
  }
  const std::uint64_t slot = free_slots_.back();
  free_slots_.pop_back();
  ++of_stream->second.events;
  events_[as_index(slot)] = {&*of_stream, of_stream->second.submitted};
  return {slot};
}

void CountedStreams::wait_for_event(EventId event) {
  const Event& recorded = event_at(event);
  ++completions_;
  recorded.stream->second.done = std::max(recorded.stream->second.done, recorded.submitted_before);
}

void CountedStreams::forget_event(EventId event) {
  const Streams::pointer stream = event_at(event).stream;
  events_[as_index(event.value)] = {};
  free_slots_.push_back(event.value);
  --stream->second.events;
  if (stream->second.is_idle()) streams_.erase(stream->first);
}

}  // namespace vramlab::streams
