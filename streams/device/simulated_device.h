// SimulatedDevice: a GPU as small as it can be and still exact: bytes, addresses, and streams as
// counters of work (CountedStreams). One side is the allocator's Device, the other the program's:
// work, other users of the memory, captures.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "streams/device/memory_device.h"
#include "streams/stream_model/open_captures.h"

namespace vramlab::streams {

/// Streams as two counters each, pieces of work submitted and done, and events on them. An event
/// remembers the submitted count and is complete once the done count has reached it. A stream
/// without pending work and events is forgotten: a replayed recording has a stream for each free
/// that waited.
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
  /// Events that are recorded and not yet forgotten.
  std::size_t event_count() const { return events_.size() - free_slots_.size(); }
  /// A number that rises whenever an event that was not complete may be so.
  std::uint64_t completions() const { return completions_; }
  /// Streams with pending work or events.
  std::size_t stream_count() const { return streams_.size(); }

 private:
  struct Counters {
    std::uint64_t submitted = 0;
    std::uint64_t done = 0;
    /// Events that are recorded on it and not yet forgotten.
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

class SimulatedDevice final : public CountedDevice {
 public:
  explicit SimulatedDevice(MemoryOptions options) : CountedDevice(std::move(options)) {}
  explicit SimulatedDevice(Bytes total) : SimulatedDevice(MemoryOptions{.total = total}) {}

  // The allocator's side.
  void forget_event(EventId event) override { streams_.forget_event(event); }
  std::optional<StreamCapture> capture_of(StreamId stream) override {
    return captures_.capture_of({0, stream});
  }
  std::vector<GraphNode> dependencies_of(GraphNode node) override {
    return captures_.dependencies_of(node);
  }

  // The program's side.
  void submit_work(StreamId stream) override;
  void complete_work(StreamId stream) override { streams_.complete(stream); }
  /// A new graph without nodes. Requires: the stream does not capture.
  void begin_capture(StreamId stream) override;
  /// The capture ends for every stream in it. Requires: the stream captures.
  void end_capture(StreamId stream) override;
  /// `stream` joins the capture of `waited`, or adds its terminal nodes to its own. Nothing happens
  /// where `waited` does not capture, or where both capture different graphs.
  void wait_for_other_stream(StreamId stream, StreamId waited) override;
  bool is_capturing(StreamId stream) const override {
    return captures_.find({0, stream}) != nullptr;
  }

  // For tests.
  bool has_pending_work(StreamId stream) const { return streams_.has_pending_work(stream); }
  std::size_t event_count() const { return streams_.event_count(); }

 private:
  std::optional<std::uint64_t> completions() const override { return streams_.completions(); }
  void wait_for_device() override { streams_.complete_all(); }
  void wait_until_complete(EventId event) override { streams_.wait_for_event(event); }
  void wait_until_idle(StreamId stream) override { streams_.complete(stream); }
  EventId put_event(StreamId stream) override { return streams_.record_event(stream); }
  bool has_passed(EventId event) override { return streams_.is_complete(event); }

  CountedStreams streams_;
  OpenCaptures captures_;
};

}  // namespace vramlab::streams
