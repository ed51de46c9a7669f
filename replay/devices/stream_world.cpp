#include "replay/devices/stream_world.h"

#include <utility>

#include "allocator/words/allocator_error.h"
#include "streams/device/timed_device.h"

namespace vramlab::replay {
namespace {

using Kind = traces::ProgramEventKind;

class CountedWorld final : public StreamWorld {
 public:
  explicit CountedWorld(SteeredDevice device)
      : steered_(std::move(device)), device_(*steered_.world) {}

  allocator::Device& device() override { return *steered_.device; }
  const streams::DeviceCallCounts& call_counts() const override { return device_.call_counts(); }
  const streams::MemoryDevice* simulated() const override { return steered_.simulated; }
  void set_external_memory(allocator::Bytes size) override { device_.set_external_memory(size); }
  bool is_capturing(allocator::StreamId stream) const override {
    return device_.is_capturing(stream);
  }

  void apply(const traces::ProgramEvent& event) override {
    switch (event.kind) {
      case Kind::work:
      case Kind::copy:
      case Kind::memset:
      case Kind::host_function:
        return device_.submit_work(event.stream);
      case Kind::stream_done:
      case Kind::stream_sync:
        return device_.complete_work(event.stream);
      case Kind::stream_wait:
        return device_.wait_for_other_stream(event.stream, event.for_stream);
      case Kind::capture_begin:
      case Kind::capture_end:
        return capture(event);
      default:
        // What needs time, or that knows of events, is not counted.
        return;
    }
  }

 private:
  void capture(const traces::ProgramEvent& event) {
    const bool begins = event.kind == Kind::capture_begin;
    if (device_.is_capturing(event.stream) == begins)
      throw allocator::AllocatorError("stream " + std::to_string(event.stream.value) +
                                      (begins ? " takes part in a capture already"
                                              : " takes part in no capture that could end"));
    if (begins)
      device_.begin_capture(event.stream);
    else
      device_.end_capture(event.stream);
  }

  SteeredDevice steered_;
  streams::DeviceWorld& device_;
};

class TimedWorld final : public StreamWorld {
 public:
  TimedWorld(streams::MemoryOptions memory, StreamProgram& program, traces::DeviceIndex device)
      : program_(program), device_(std::move(memory), program.streams(), device.value) {}

  allocator::Device& device() override { return device_; }
  const streams::DeviceCallCounts& call_counts() const override { return device_.call_counts(); }
  const streams::MemoryDevice* simulated() const override { return &device_; }
  void set_external_memory(allocator::Bytes size) override { device_.set_external_memory(size); }
  bool is_capturing(allocator::StreamId stream) const override {
    return program_.streams().capture_of(device_.stream_at(stream)).has_value();
  }
  void apply(const traces::ProgramEvent& event) override { program_.apply(event); }

 private:
  StreamProgram& program_;
  streams::TimedDevice device_;
};

}  // namespace

std::unique_ptr<StreamWorld> make_counted_world(SteeredDevice device) {
  return std::make_unique<CountedWorld>(std::move(device));
}

std::unique_ptr<StreamWorld> make_timed_world(streams::MemoryOptions memory, StreamProgram& program,
                                              traces::DeviceIndex device) {
  return std::make_unique<TimedWorld>(std::move(memory), program, device);
}

}  // namespace vramlab::replay
