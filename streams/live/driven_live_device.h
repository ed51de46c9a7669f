// DrivenLiveDevice: a real GPU for programs whose work ends when they say so. Memory, events and
// captures are the GPU's own; the work itself is only counted, so that the GPU alone never decides
// when a free that waits completes: an event is complete when the GPU and the program have both
// said so. (Work that really waited on the GPU could stop calls of the driver that wait silently.)
#pragma once

#include <map>

#include "streams/device/memory_device.h"
#include "streams/device/simulated_device.h"
#include "streams/live/live_device.h"

namespace vramlab::streams {

class DrivenLiveDevice final : public LiveDevice, public DrivenDevice {
 public:
  /// The streams' names are this device's own, whatever the options say.
  DrivenLiveDevice(const CudaDriver& driver, LiveOptions options);
  ~DrivenLiveDevice() override;

  // The allocator's side, where it differs from the GPU's own.
  std::optional<Address> allocate(Bytes size, StreamId stream) override;
  void release(Address at) override;
  [[nodiscard]] bool map(const UnitRange& range) override;
  void wait_for_stream(StreamId stream) override;
  EventId record_event(StreamId stream) override;
  bool is_complete(EventId event) override;
  void wait_for_event(EventId event) override;
  void forget_event(EventId event) override;

  // The program's side.
  void submit_work(StreamId stream) override;
  void complete_work(StreamId stream) override { counted_.complete(stream); }
  void begin_capture(StreamId stream) override;
  void end_capture(StreamId stream) override;
  void wait_for_other_stream(StreamId stream, StreamId waited) override;
  bool is_capturing(StreamId stream) const override { return capture_now(stream).has_value(); }
  void set_external_memory(Bytes size) override { LiveDevice::set_external_memory(size); }
  const DeviceCallCounts& call_counts() const override { return calls_; }

  /// The least free memory that the driver told of after memory was taken.
  Bytes least_free() const { return least_free_; }

 private:
  const CudaDriver& driver() const { return session().driver(); }
  void note_free_memory();
  void add_node(CUstream stream);
  /// Throws DeviceError.
  void require(std::string_view call, CUresult result) const;

  DeviceCallCounts calls_;
  CountedStreams counted_;
  /// The GPU's events by the events that the program knows.
  std::map<EventId, EventId> gpu_events_;
  /// The stream that began each capture, which it alone can end.
  std::map<CaptureId, StreamId> origins_;
  Bytes least_free_;
  /// A word of memory that nodes of captures are about; 0 until it is needed.
  CUdeviceptr scratch_ = 0;
};

}  // namespace vramlab::streams
