// HostSystem: all that the allocator of pinned memory asks of the system and the GPU's driver.
// Running out of memory is an answer; any other failure is a DeviceError. HostMemory: memory from
// that system, and the reserve segment that pieces are carved from; it books how long the system
// took.
#pragma once

#include <cstdint>
#include <optional>

#include "allocator/options/settings.h"
#include "allocator/pinned/host_records.h"
#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "allocator/types/device.h"
#include "allocator/types/reference_version.h"

namespace vramlab::allocator {

/// How pinned memory is obtained: in one call of the driver, or as ordinary memory whose pages are
/// touched and then registered. A release in the other way fails.
enum class PinnedBy : std::uint8_t { allocation, registration };

class HostSystem : public Interface {
 public:
  /// An empty answer where there is no room. Ordinary memory that cannot be registered stays lost.
  virtual std::optional<Address> obtain(Bytes size, PinnedBy way) = 0;
  /// Throws DeviceError where the memory was obtained otherwise.
  virtual void release(Address at, PinnedBy way) = 0;
  /// The time of day for the durations of calls, in microseconds.
  virtual std::uint64_t time_us() = 0;

  /// Throws DeviceError where the stream takes no event.
  virtual EventId record_event(StreamId stream) = 0;
  virtual bool is_complete(EventId event) = 0;
  /// The event will not be asked about again.
  virtual void forget_event(EventId event) = 0;
  virtual bool is_capturing(StreamId stream) const = 0;
};

struct ObtainedHostMemory {
  Address address;
  PinnedBy way = PinnedBy::allocation;
};

class HostMemory {
 public:
  HostMemory(HostSystem& system, HostRelease rule, HostStatistics& statistics)
      : system_(system), rule_(rule), statistics_(statistics) {}

  /// An empty answer where the system has no room.
  std::optional<ObtainedHostMemory> obtain(Bytes size, const Settings& settings);
  /// A piece of the reserve segment is lost. Throws DeviceError where the release fails.
  void release(const ObtainedHostMemory& memory, const Settings& settings);

 private:
  struct Reserve {
    Address begin;
    Address end;
    /// Memory below it has been given out.
    Address mark;
  };
  std::optional<ObtainedHostMemory> obtain_from_system(Bytes size, const Settings& settings);
  /// Decides once whether there is a reserve segment. False where it could not be obtained.
  bool settle_reserve(const Settings& settings);
  std::optional<ObtainedHostMemory> carve(Bytes size);

  HostSystem& system_;
  HostRelease rule_;
  HostStatistics& statistics_;
  bool is_settled_ = false;
  std::optional<Reserve> reserve_;
};

}  // namespace vramlab::allocator
