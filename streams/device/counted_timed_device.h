// CountedTimedDevice: a counted device on streams in virtual time. Each piece of work waits for a
// flag, which is written when the piece is to be done.
#pragma once

#include <map>
#include <vector>

#include "streams/device/memory_device.h"
#include "streams/stream_model/timed_streams.h"

namespace vramlab::streams {

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
  /// The stream by the name that it has in virtual time, where it is made when it is new.
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
