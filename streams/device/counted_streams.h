// CountedStreams: streams as two counters each, pieces of work submitted and done, and events on
// them. An event remembers the submitted count and is complete once the done count has reached it.
// A stream without pending work and events is forgotten: a replayed recording has a stream for each
// free that waited.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"

namespace vramlab::streams {

class CountedStreams {
 public:
  void submit_work(StreamId stream) { ++streams_[stream].submitted; }
  /// All work submitted to the stream so far is done.
  void complete(StreamId stream);
  void complete_all();
  bool has_pending_work(StreamId stream) const;

  EventId record_event(StreamId stream);
  bool is_complete(EventId event) const {
    const Event& recorded = event_at(event);
    return recorded.stream->second.done >= recorded.submitted_before;
  }
  /// Brings the stream's done count up to the event's.
  void wait_for_event(EventId event);
  void forget_event(EventId event);
  /// Recorded and not yet forgotten.
  std::size_t event_count() const { return events_.size() - free_slots_.size(); }
  /// Rises whenever an event that was not complete may be so.
  std::uint64_t completions() const { return completions_; }
  /// Streams with pending work or events.
  std::size_t stream_count() const { return streams_.size(); }

 private:
  struct Counters {
    std::uint64_t submitted = 0;
    std::uint64_t done = 0;
    /// Recorded on it and not yet forgotten.
    std::uint64_t events = 0;
    bool is_idle() const { return done == submitted && events == 0; }
  };
  using Streams = std::map<StreamId, Counters>;
  struct Event {
    /// Null in a slot that holds no event.
    Streams::pointer stream = nullptr;
    std::uint64_t submitted_before = 0;
  };
  const Event& event_at(EventId event) const {
    check(event.value < events_.size() && events_[as_index(event.value)].stream != nullptr,
          "an event is asked about between its recording and its forgetting");
    return events_[as_index(event.value)];
  }

  Streams streams_;
  std::vector<Event> events_;
  std::vector<std::uint64_t> free_slots_;
  std::uint64_t completions_ = 0;
};

}  // namespace vramlab::streams
