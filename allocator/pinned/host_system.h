// HostSystem: all that the allocator of pinned memory asks of the system and the GPU's driver.
//
// Running out of memory is an answer. Any other failure is a DeviceError.
#pragma once

#include <cstdint>
#include <optional>

#include "allocator/types/device.h"
#include "allocator/types/ids.h"
#include "allocator/types/interface.h"

namespace vramlab::allocator {

/// How pinned memory is obtained: in one call of the driver, or as ordinary memory whose pages are
/// touched and then registered. What is not released the same way fails.
enum class PinnedBy : std::uint8_t { allocation, registration };

class HostSystem : public Interface {
 public:
  /// An empty answer where there is no room. Ordinary memory that cannot be registered stays lost.
  virtual std::optional<Address> obtain(Bytes size, PinnedBy way) = 0;
  /// Throws DeviceError where the memory was obtained otherwise.
  virtual void release(Address at, PinnedBy way) = 0;
  /// For the duration of calls.
  virtual std::uint64_t time_us() = 0;

  /// Throws DeviceError where the stream takes none.
  virtual EventId record_event(StreamId stream) = 0;
  virtual bool is_complete(EventId event) = 0;
  /// The event will not be asked about again.
  virtual void forget_event(EventId event) = 0;
  virtual bool is_capturing(StreamId stream) const = 0;
};

}  // namespace vramlab::allocator
