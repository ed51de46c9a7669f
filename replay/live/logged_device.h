// LoggedDevice: passes everything on to a device and notes what was done with its memory, in order.
// Two devices that were asked the same and answered the same have equal logs.
#pragma once

#include <string>
#include <vector>

#include "replay/devices/device_sides.h"

namespace vramlab::replay {

struct DeviceAction {
  enum class Kind : std::uint8_t { allocate, release, reserve, release_reservation, map, unmap };
  Kind kind = Kind::allocate;
  /// False where the device had no room.
  bool was_granted = true;
  /// Of what was not granted: nothing.
  allocator::Address at;
  /// Of units: of all of them.
  allocator::Bytes size;
  friend bool operator==(const DeviceAction&, const DeviceAction&) = default;
};

/// Such as `map 20.00 MiB at 0x7f0000000000`.
std::string action_text(const DeviceAction& action);

class LoggedDevice final : public allocator::Device {
 public:
  /// Both must outlive this.
  LoggedDevice(allocator::Device& device, std::vector<DeviceAction>& log)
      : device_(device), log_(log) {}

  allocator::MemoryInfo memory_info() override { return device_.memory_info(); }
  std::optional<allocator::Address> allocate(allocator::Bytes size,
                                             allocator::StreamId stream) override;
  void release(allocator::Address at) override;
  std::optional<allocator::Address> reserve(allocator::Bytes size,
                                            allocator::StreamId stream) override;
  void release_reservation(allocator::Address at, allocator::Bytes size) override;
  [[nodiscard]] bool map(const allocator::UnitRange& range) override;
  void unmap(const allocator::UnitRange& range) override;
  void wait_for_stream(allocator::StreamId stream) override { device_.wait_for_stream(stream); }
  allocator::EventId record_event(allocator::StreamId stream) override {
    return device_.record_event(stream);
  }
  bool is_complete(allocator::EventId event) override { return device_.is_complete(event); }
  void wait_for_event(allocator::EventId event) override { device_.wait_for_event(event); }
  void forget_event(allocator::EventId event) override { device_.forget_event(event); }
  std::optional<allocator::StreamCapture> capture_of(allocator::StreamId stream) override {
    return device_.capture_of(stream);
  }
  std::vector<allocator::GraphNode> dependencies_of(allocator::GraphNode node) override {
    return device_.dependencies_of(node);
  }

 private:
  using Kind = DeviceAction::Kind;

  allocator::Device& device_;
  std::vector<DeviceAction>& log_;
};

/// The same device, with what is done noted in the log, which must outlive it.
DeviceSides logged(DeviceSides device, std::vector<DeviceAction>& log);

}  // namespace vramlab::replay
