#include "streams/device/counted_streams.h"

#include <algorithm>

#include "allocator/words/check.h"

namespace vramlab::streams {

void CountedStreams::complete(StreamId stream) {
  Counters& counters = streams_[stream];
  counters.done = counters.submitted;
}

void CountedStreams::complete_first(StreamId stream, std::uint64_t pieces) {
  Counters& counters = streams_[stream];
  counters.done = std::max(counters.done, std::min(pieces, counters.submitted));
}

void CountedStreams::complete_all() {
  for (auto& [stream, counters] : streams_) counters.done = counters.submitted;
}

bool CountedStreams::has_pending_work(StreamId stream) const {
  const auto found = streams_.find(stream);
  return found != streams_.end() && found->second.done < found->second.submitted;
}

EventId CountedStreams::record_event(StreamId stream) {
  Counters& counters = streams_[stream];
  if (free_slots_.empty()) {
    free_slots_.push_back(events_.size());
    events_.emplace_back();
  }
  const std::uint64_t slot = free_slots_.back();
  free_slots_.pop_back();
  events_[slot] = {&counters, counters.submitted};
  return {slot};
}

bool CountedStreams::is_complete(EventId event) const {
  const Event& recorded = event_at(event);
  return recorded.stream->done >= recorded.submitted_before;
}

void CountedStreams::wait_for_event(EventId event) {
  const Event& recorded = event_at(event);
  recorded.stream->done = std::max(recorded.stream->done, recorded.submitted_before);
}

void CountedStreams::forget_event(EventId event) {
  event_at(event);
  events_[event.value] = {};
  free_slots_.push_back(event.value);
}

const CountedStreams::Event& CountedStreams::event_at(EventId event) const {
  check(event.value < events_.size() && events_[event.value].stream != nullptr,
        "an event is asked about between its recording and its forgetting");
  return events_[event.value];
}

}  // namespace vramlab::streams
