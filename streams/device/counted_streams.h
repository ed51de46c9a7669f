// CountedStreams: streams as two counters each, pieces of work submitted and done, and events on
// them. An event remembers the submitted count and is complete once the done count has reached it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "allocator/words/ids.h"

namespace vramlab::streams {

class CountedStreams {
 public:
  void submit_work(StreamId stream) { ++streams_[stream].submitted; }
  /// All work submitted to the stream so far is done.
  void complete(StreamId stream);
  /// The first so many pieces of it are done.
  void complete_first(StreamId stream, std::uint64_t pieces);
  void complete_all();
  bool has_pending_work(StreamId stream) const;

  EventId record_event(StreamId stream);
  bool is_complete(EventId event) const;
  /// Brings the stream's done count up to the event's.
  void wait_for_event(EventId event);
  void forget_event(EventId event);
  /// Recorded and not yet forgotten.
  std::size_t event_count() const { return events_.size() - free_slots_.size(); }

 private:
  struct Counters {
    std::uint64_t submitted = 0;
    std::uint64_t done = 0;
  };
  struct Event {
    /// Null in a slot that holds no event.
    Counters* stream = nullptr;
    std::uint64_t submitted_before = 0;
  };
  const Event& event_at(EventId event) const;

  std::map<StreamId, Counters> streams_;
  std::vector<Event> events_;
  std::vector<std::uint64_t> free_slots_;
};

}  // namespace vramlab::streams
