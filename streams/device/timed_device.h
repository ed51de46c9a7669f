// TimedDevice: a simulated GPU whose streams live in virtual time. Several of them share one
// TimedStreams, as the devices of a process share its host threads. CountedTimedDevice: a counted
// device on such streams.
//
// The allocator works inside a call of the program: its waits end before it goes on, and what its
// thread may do while a capture is under way is not asked, as the reference makes its own calls in
// relaxed mode.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "streams/device/memory_device.h"
#include "streams/stream_model/timed_streams.h"

namespace vramlab::streams {

/// The allocator waits for work that never ends.
class EndlessWait : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

class TimedDevice final : public MemoryDevice {
 public:
  /// The streams must outlive it.
  TimedDevice(MemoryOptions options, TimedStreams& streams, std::uint32_t device)
      : MemoryDevice(std::move(options)), streams_(streams), device_(device) {}

  void forget_event(EventId event) override;
  std::optional<StreamCapture> capture_of(StreamId stream) override;
  std::vector<GraphNode> dependencies_of(GraphNode node) override;

  StreamAt stream_at(StreamId stream) const { return {device_, stream}; }
  std::size_t event_count() const { return marks_.size() - free_marks_.size(); }

 private:
  void wait_for_device() override;
  void wait_until_complete(EventId event) override;
  void wait_until_idle(StreamId stream) override;
  EventId put_event(StreamId stream) override;
  bool has_passed(EventId event) override;
  static void check_goes_on(bool goes_on);
  const StreamMark& mark_of(EventId event) const;

  TimedStreams& streams_;
  std::uint32_t device_;
  std::vector<StreamMark> marks_;
  std::vector<std::uint64_t> free_marks_;
};

/// A device for programs whose work ends when they say so, on streams in virtual time. Each piece
/// of work waits for a flag, which is written when the piece is to be done.
class CountedTimedDevice final : public CountedDevice {
 public:
  explicit CountedTimedDevice(MemoryOptions options);

  void forget_event(EventId event) override;
  std::optional<StreamCapture> capture_of(StreamId stream) override;
  std::vector<GraphNode> dependencies_of(GraphNode node) override;

  void submit_work(StreamId stream) override;
  void complete_work(StreamId stream) override;
  void begin_capture(StreamId stream) override;
  void end_capture(StreamId stream) override;
  void wait_for_other_stream(StreamId stream, StreamId waited) override;
  bool is_capturing(StreamId stream) const override;

 private:
  struct Pieces {
    std::uint64_t submitted = 0;
    std::uint64_t done = 0;
  };
  struct Event {
    StreamMark mark;
    StreamId stream;
    std::uint64_t pieces_before = 0;
  };

  void wait_for_device() override;
  void wait_until_complete(EventId event) override;
  void wait_until_idle(StreamId stream) override;
  EventId put_event(StreamId stream) override;
  bool has_passed(EventId event) override;
  /// The stream by its name in virtual time; it is made if it is new.
  StreamAt known(StreamId stream);
  void let_go(StreamId stream, std::uint64_t pieces);

  StreamWatcher nobody_;
  TimedStreams streams_{{}, nobody_};
  std::map<StreamId, Pieces> pieces_;
  std::map<std::uint64_t, Event> events_;
  std::uint64_t next_event_ = 0;
  std::uint64_t next_graph_ = 0;
};

}  // namespace vramlab::streams
