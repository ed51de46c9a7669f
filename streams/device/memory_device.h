// MemoryDevice: the half of a simulated device that is memory. Which work there is, and how long it
// is waited for, is for the devices made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "allocator/types/device.h"
#include "streams/device/device_calls.h"
#include "streams/device/driven_device.h"
#include "streams/memory/simulated_memory.h"

namespace vramlab::streams {

class MemoryDevice : public allocator::Device {
 public:
  allocator::MemoryInfo memory_info() override { return memory_.info(); }
  std::optional<Address> allocate(Bytes size, StreamId stream) override;
  void release(Address at) override;
  std::optional<Address> reserve(Bytes size, StreamId stream) override;
  void release_reservation(Address at, Bytes size) override;
  [[nodiscard]] bool map(const UnitRange& range) override;
  void unmap(const UnitRange& range) override;
  void wait_for_stream(StreamId stream) final;
  EventId record_event(StreamId stream) final;
  bool is_complete(EventId event) final;
  bool none_complete_since(allocator::CompletionMark& mark, std::size_t pending) final;
  void wait_for_event(EventId event) final;

  void set_external_memory(Bytes size) { memory_.set_external(size); }
  const SameAnswers& same_answers() const { return memory_.same_answers(); }
  const std::shared_ptr<PlacedRanges>& placed_ranges() const { return memory_.placed_ranges(); }
  Bytes used_memory() const { return memory_.used(); }
  const DeviceCallCounts& call_counts() const { return call_counts_; }
  /// The same calls and more of them, by size.
  const DeviceCallTally& call_tally() const { return tally_; }

 protected:
  explicit MemoryDevice(MemoryOptions options) : memory_(std::move(options)) {}

 private:
  /// Rises whenever an event may have become complete; nothing where that is not known.
  virtual std::optional<std::uint64_t> completions() const { return std::nullopt; }
  /// All work on the device ends first.
  virtual void wait_for_device() = 0;
  virtual void wait_until_complete(EventId event) = 0;
  virtual void wait_until_idle(StreamId stream) = 0;
  virtual EventId put_event(StreamId stream) = 0;
  virtual bool has_passed(EventId event) = 0;

  SimulatedMemory memory_;
  DeviceCallCounts call_counts_;
  DeviceCallTally tally_;
};

/// A simulated GPU whose streams all stand for themselves, stream 0 too, and whose work has no
/// duration: it ends when the program says so, or when something waits for it. Recorded cases run
/// on it.
class CountedDevice : public MemoryDevice, public DrivenDevice {
 public:
  void set_external_memory(Bytes size) final { MemoryDevice::set_external_memory(size); }
  const DeviceCallCounts& call_counts() const final { return MemoryDevice::call_counts(); }

 protected:
  using MemoryDevice::MemoryDevice;
};

}  // namespace vramlab::streams
