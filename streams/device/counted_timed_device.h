// CountedTimedDevice: a counted device on streams in virtual time. Each piece of work waits for a
// flag, which is written when the piece is to be done.
#pragma once

#include <map>
#include <vector>

#include "streams/device/memory_device.h"
#include "streams/time/timed_streams.h"

namespace vramlab::streams {

class CountedTimedDevice final : public CountedDevice {
 public:
  explicit CountedTimedDevice(MemoryOptions options);

  void forget_event(allocator::EventId event) override;
  std::optional<allocator::StreamCapture> capture_of(allocator::StreamId stream) override;
  std::vector<allocator::GraphNode> dependencies_of(allocator::GraphNode node) override;

  void submit_work(allocator::StreamId stream) override;
  void complete_work(allocator::StreamId stream) override;
  void begin_capture(allocator::StreamId stream) override;
  void end_capture(allocator::StreamId stream) override;
  void wait_for_other_stream(allocator::StreamId stream, allocator::StreamId waited) override;
  bool is_capturing(allocator::StreamId stream) const override;

 private:
  struct Pieces {
    std::uint64_t submitted = 0;
    std::uint64_t done = 0;
  };
  struct Event {
    StreamMark mark;
    allocator::StreamId stream;
    std::uint64_t pieces_before = 0;
  };

  void wait_for_device() override;
  void wait_until_complete(allocator::EventId event) override;
  void wait_until_idle(allocator::StreamId stream) override;
  allocator::EventId put_event(allocator::StreamId stream) override;
  bool has_passed(allocator::EventId event) override;
  /// The stream by the name that it has in virtual time, where it is made when it is new.
  StreamAt known(allocator::StreamId stream);
  void let_go(allocator::StreamId stream, std::uint64_t pieces);

  StreamWatcher nobody_;
  TimedStreams streams_{{}, nobody_};
  std::map<allocator::StreamId, Pieces> pieces_;
  std::map<std::uint64_t, Event> events_;
  std::uint64_t next_event_ = 0;
  std::uint64_t next_graph_ = 0;
};

}  // namespace vramlab::streams
