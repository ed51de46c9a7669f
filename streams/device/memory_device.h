// MemoryDevice: the half of a simulated device that is memory; the devices made of it add work and
// waiting. DrivenDevice: the program's side of a device whose work ends when the program says so.
// The allocator's side is `Device`; a simulated device and a real GPU have both.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "allocator/types/device.h"
#include "streams/device/device_costs.h"
#include "streams/memory/simulated_memory.h"

namespace vramlab::streams {

/// The number of device calls that succeeded, by the calls that they are on a real device.
struct DeviceCallCounts {
  /// cudaMalloc
  std::uint64_t allocations = 0;
  /// cudaFree
  std::uint64_t releases = 0;
  /// cuMemCreate; also units given back because a later one of the same call did not fit.
  std::uint64_t units_created = 0;
  /// cudaEventSynchronize; also waits for events that were complete already.
  std::uint64_t event_waits = 0;
  friend bool operator==(const DeviceCallCounts&, const DeviceCallCounts&) = default;
  /// The calls that came after `before`.
  DeviceCallCounts since(const DeviceCallCounts& before) const {
    return {allocations - before.allocations, releases - before.releases,
            units_created - before.units_created, event_waits - before.event_waits};
  }
};

class DrivenDevice : public Interface {
 public:
  /// One more piece of work; a node of the graph where the stream captures.
  virtual void submit_work(StreamId stream) = 0;
  /// All work submitted to the stream so far is done.
  virtual void complete_work(StreamId stream) = 0;
  virtual void begin_capture(StreamId stream) = 0;
  virtual void end_capture(StreamId stream) = 0;
  /// `stream` waits for all work of `waited` so far. It matters to captures only.
  virtual void wait_for_other_stream(StreamId stream, StreamId waited) = 0;
  virtual bool is_capturing(StreamId stream) const = 0;
  /// From now on other users of the device hold so much.
  virtual void set_external_memory(Bytes size) = 0;
  virtual const DeviceCallCounts& call_counts() const = 0;
};

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
  explicit MemoryDevice(MemoryOptions options)
      : release_waits_(options.release_waits), memory_(std::move(options)) {}

 private:
  /// A number that rises whenever an event may have become complete; empty where it is not known.
  virtual std::optional<std::uint64_t> completions() const { return std::nullopt; }
  /// Waits until all work on the device has ended.
  virtual void wait_for_device() = 0;
  virtual void wait_until_complete(EventId event) = 0;
  virtual void wait_until_idle(StreamId stream) = 0;
  virtual EventId put_event(StreamId stream) = 0;
  virtual bool has_passed(EventId event) = 0;

  bool release_waits_;
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
