// HostMemory: memory from the system, and the reserve segment that pieces are carved from. It books
// how long the system took.
#pragma once

#include <optional>

#include "allocator/pinned/host_block.h"
#include "allocator/pinned/host_statistics.h"
#include "allocator/types/reference_version.h"

namespace vramlab::allocator {

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
    /// What lies below it has been given out.
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
