// RecordedLimits: how much memory others must have held for a device to grant and refuse what a
// recording shows. A request that released memory before it got some was refused first.
#pragma once

#include <optional>
#include <set>

#include "replay/follow/verify.h"

namespace vramlab::replay {

class RecordedLimits {
 public:
  /// `memory`: of the device that it is replayed on.
  RecordedLimits(const DeviceHistory& history, const StartingState& start, allocator::Bytes memory);

  /// What others hold from this call on, where it changes. Calls come in order. `emptied`: the
  /// releases with which the program emptied the cache.
  std::optional<allocator::Bytes> follow(const RecordedCall& call,
                                         const std::set<std::size_t>& emptied);

 private:
  struct Sums {
    allocator::Bytes released;
    allocator::Bytes got;
    bool was_emptied = false;
  };
  Sums sums_of(const RecordedCall& call, const std::set<std::size_t>& emptied) const;

  const DeviceHistory& history_;
  allocator::Bytes memory_;
  allocator::Bytes reserved_;
  /// What the program may hold.
  allocator::Bytes limit_;
  bool maps_memory_;
};

/// Mapped, and in classic segments.
allocator::Bytes reserved_at(const StartingState& start);

}  // namespace vramlab::replay
