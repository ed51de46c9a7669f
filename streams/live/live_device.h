// LiveDevice: a real GPU behind the allocator's Device seam, through the CUDA driver. It keeps the
// GPU's primary context, which PyTorch and CUDA's runtime use too, and gives back what it still
// holds when it goes.
//
// Any thread may call, one at a time. No driver's call is hidden: a failure that is not about
// memory is a DeviceError with the driver's own name of it.
#pragma once

#include "streams/live/live_memory.h"
#include "streams/live/live_streams.h"

namespace vramlab::streams {

struct LiveOptions {
  int device = 0;
  /// Empty: what the driver gives.
  std::optional<Bytes> memory_limit = {};
  StreamNames streams = StreamNames::made;
  CallTiming timing = {};
};

class LiveDevice : public allocator::Device {
 public:
  /// Requires: find_gpu() found the device; the driver outlives this.
  LiveDevice(const CudaDriver& driver, LiveOptions options);
  ~LiveDevice() override;

  allocator::MemoryInfo memory_info() override {
    const auto scope = session_.enter();
    return memory_.info();
  }
  std::optional<Address> allocate(Bytes size, StreamId) override {
    const auto scope = session_.enter();
    return memory_.allocate(size);
  }
  void release(Address at) override;
  std::optional<Address> reserve(Bytes size, StreamId) override {
    const auto scope = session_.enter();
    return memory_.reserve(size);
  }
  void release_reservation(Address at, Bytes size) override {
    const auto scope = session_.enter();
    memory_.release_reservation(at, size);
  }
  [[nodiscard]] bool map(const UnitRange& range) override {
    const auto scope = session_.enter();
    return memory_.map(range);
  }
  void unmap(const UnitRange& range) override {
    const auto scope = session_.enter();
    memory_.unmap(range);
  }
  void wait_for_stream(StreamId stream) override;
  EventId record_event(StreamId stream) override {
    const auto scope = session_.enter();
    return events_.record(streams_.handle_of(stream));
  }
  bool is_complete(EventId event) override {
    const auto scope = session_.enter();
    return events_.is_complete(event);
  }
  void wait_for_event(EventId event) override {
    const auto scope = session_.enter();
    events_.wait(event);
  }
  void forget_event(EventId event) override { events_.forget(event); }
  std::optional<StreamCapture> capture_of(StreamId stream) override { return capture_now(stream); }
  std::vector<GraphNode> dependencies_of(GraphNode node) override;

  /// What the driver says, whatever the limit.
  allocator::MemoryInfo driver_memory() const {
    const auto scope = session_.enter();
    return memory_.driver_info();
  }
  void set_external_memory(Bytes size) { memory_.set_external(size); }
  Bytes used_memory() const { return memory_.used(); }
  bool is_allocated(Address at) const { return memory_.is_allocated(at); }
  CUstream handle_of(StreamId stream) const {
    const auto scope = session_.enter();
    return streams_.handle_of(stream);
  }
  /// Requires: recorded and not yet forgotten.
  CUevent event_handle(EventId event) const { return events_.handle_of(event); }
  const DriverSession& session() const { return session_; }
  std::size_t event_count() const { return events_.count(); }

 protected:
  std::optional<StreamCapture> capture_now(StreamId stream) const;

 private:
  DriverSession session_;
  LiveMemory memory_;
  /// A stream is made when it is first asked about, which changes nothing else.
  mutable LiveStreams streams_;
  LiveEvents events_;
};

}  // namespace vramlab::streams
