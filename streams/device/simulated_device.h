// SimulatedDevice: a GPU as small as it can be and still exact: bytes, addresses, and streams as
// counters of work. One side is the allocator's Device, the other the program's: work, other users
// of the memory, captures.
#pragma once

#include <cstdint>

#include "streams/device/counted_streams.h"
#include "streams/device/memory_device.h"
#include "streams/stream_model/open_captures.h"

namespace vramlab::streams {

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

  // What can be seen from outside.
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
