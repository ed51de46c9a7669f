// AddressEvent: one line of a log that names memory by its address, as profilers and other
// allocators write them.
#pragma once

#include <cstdint>
#include <optional>

#include "allocator/words/ids.h"
#include "traces/values/snapshot_sink.h"

namespace vramlab::traces {

enum class AddressEventKind : std::uint8_t {
  allocate,
  free,
  /// A request that failed; it has no address.
  failure,
};

struct AddressEvent {
  AddressEventKind kind = AddressEventKind::allocate;
  DeviceIndex device;
  allocator::Address address;
  allocator::Bytes bytes;
  allocator::StreamId stream;
  /// Nothing where the log says no time.
  std::optional<std::uint64_t> time_ns;
};

/// Where memory is: addresses of two devices may be equal.
struct MemoryPlace {
  DeviceIndex device;
  allocator::Address address;

  explicit MemoryPlace(const AddressEvent& event) : device(event.device), address(event.address) {}
  friend bool operator==(const MemoryPlace&, const MemoryPlace&) = default;
};

struct MemoryPlaceHash {
  std::size_t operator()(const MemoryPlace& place) const {
    constexpr std::uint64_t odd_factor = 0x9E3779B97F4A7C15U;
    const std::uint64_t device = place.device.value * odd_factor;
    const std::uint64_t mixed = (place.address.value ^ device) * odd_factor;
    return mixed ^ (mixed >> 32U);
  }
};

}  // namespace vramlab::traces
