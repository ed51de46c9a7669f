#include "streams/device/counted_streams.h"

#include <algorithm>

namespace vramlab::streams {

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
