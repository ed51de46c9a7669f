// DeviceSides: a device from both of its sides, the allocator's and the program's. A simulated
// device stands behind it, or a real GPU.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "allocator/types/directed.h"
#include "replay/replayer/history_program.h"
#include "replay/replayer/stream_program.h"
#include "streams/device/memory_device.h"

namespace vramlab::replay {

struct DeviceSides {
  /// Keeps the device.
  std::shared_ptr<void> owner;
  allocator::Device* device = nullptr;
  /// Null on streams in virtual time, which do what the program says by themselves.
  streams::DrivenDevice* driven = nullptr;
  /// Null on a real GPU.
  streams::MemoryDevice* simulated = nullptr;
};

template <class Both>
DeviceSides both_sides(std::shared_ptr<Both> device) {
  DeviceSides sides{device, device.get()};
  if constexpr (std::is_base_of_v<streams::DrivenDevice, Both>) sides.driven = device.get();
  if constexpr (std::is_base_of_v<streams::MemoryDevice, Both>) sides.simulated = device.get();
  return sides;
}

/// Makes a device with this memory.
using MakeDevice = std::function<DeviceSides(const streams::MemoryOptions& memory)>;

// ReplayDevice: the device and its streams under an allocator that replays, as a program's events
// drive them, and how an allocator takes over what was there at the start: every range then goes
// where it is in that state. Either streams are counters whose work ends when the program says so,
// or they live in virtual time.

struct DeviceConditions;

class ReplayDevice {
 public:
  /// The conditions must outlive it.
  ReplayDevice(const DeviceConditions& conditions, traces::DeviceIndex device);

  allocator::Device& device() { return *sides_.device; }
  /// Facts that only a simulated device knows; null on another one.
  const streams::MemoryDevice* simulated() const { return sides_.simulated; }

  /// Work, streams and captures of the event; other kinds change nothing. Requires of
  /// streams in virtual time: begin() was called for the event.
  void apply(const traces::ProgramEvent& event);
  bool is_capturing(StreamId stream) const;

  /// The program says what others hold; where the conditions say it, that holds.
  void set_external(Bytes size);

  /// Memory that is asked for from here on is for the request of this entry.
  void begin_request(std::uint64_t number) { request_ = number; }

  /// The device's side of a segment that is there at the start, and where it begins now. Throws
  /// DeviceError where it does not fit.
  Address adopt(GivenSegment segment);
  /// Calls so far were for what was there at the start: they count no more.
  void start_is_there();

  /// Since then.
  streams::DeviceCallCounts call_counts() const { return counts_so_far().since(counts_at_start_); }
  /// Since then. Requires: the device is a simulated one.
  streams::DeviceCallTally call_tally() const;

 private:
  streams::MemoryOptions memory_options();
  DeviceSides make_sides();
  const streams::DeviceCallCounts& counts_so_far() const;
  void hold_elsewhere(Bytes size);
  Address lay_out(const GivenSegment& segment);
  void map_blocks_of(const GivenSegment& segment);

  /// The place of the next range while a starting state is taken over.
  std::optional<Address> forced_;
  std::uint64_t request_ = 0;
  const DeviceConditions& conditions_;
  std::uint32_t index_;
  /// Null where streams are counters.
  StreamProgram* virtual_streams_;
  DeviceSides sides_;
  streams::DeviceCallCounts counts_at_start_;
  streams::DeviceCallTally tally_at_start_;
};

}  // namespace vramlab::replay
