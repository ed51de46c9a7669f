// RecordedCourse: where a recording's allocator got memory, did not get it, and gave it back. A
// replay under the recorded conditions follows it where the amount of memory that explains the
// recording would lead elsewhere: the limits of a real run may change at any time, and no file
// tells them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {

struct RecordedCourse {
  /// Events are entries of the device's trace.
  struct Release {
    std::uint64_t event = 0;
    Address address;
    bool is_unmap = false;
    /// A request waited for all frees right before this release.
    bool waits = false;
  };
  /// A request that got new memory, or failed.
  struct Request {
    std::uint64_t event = 0;
    PoolId pool;
    bool fails = false;
    /// Everything cached was released for it.
    bool retries = false;
    /// It waited for all frees.
    bool waits = false;
    /// At a failure, where the file tells it.
    std::optional<Bytes> device_free;
  };
  /// Both in order.
  std::vector<Release> releases;
  std::vector<Request> requests;
};

/// Counts of a recording's own entries.
struct RecordedCounts {
  std::uint64_t device_allocs = 0;
  std::uint64_t device_frees = 0;
  std::uint64_t failures = 0;
  /// Got from the device and given back, classic segments and units.
  Bytes got;
  Bytes released;
  friend bool operator==(const RecordedCounts&, const RecordedCounts&) = default;
};

}  // namespace vramlab::replay
