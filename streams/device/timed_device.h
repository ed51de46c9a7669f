// TimedDevice: a simulated GPU whose streams live in virtual time. Several of them share one
// TimedStreams, as the devices of a process share its host threads.
//
// The allocator works inside a call of the program: its waits end before it goes on, and what its
// thread may do while a capture is under way is not asked, as the reference makes its own calls in
// relaxed mode.
#pragma once

#include <cstdint>
#include <vector>

#include "streams/device/memory_device.h"
#include "streams/stream_model/timed_streams.h"

namespace vramlab::streams {

/// Something that the allocator waits for never ends.
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

}  // namespace vramlab::streams
