// How badly a choice of pools fits one run of releases, taken as a release of everything: what such
// a release would have taken too, and in what order it goes.
#pragma once

#include <cstdint>
#include <functional>

#include "replay/recording/placement_walk.h"

namespace vramlab::replay {

/// What may come before everything is released.
struct ReleasePrelude {
  /// Garbage collection is on: large segments of the device's own pool may go first.
  bool garbage = false;
  /// From this size on segments of the pool that asks may go one by one.
  Bytes oversize = allocator::unlimited;
  friend bool operator==(const ReleasePrelude&, const ReleasePrelude&) = default;
};

class ReleaseCost {
 public:
  explicit ReleaseCost(const Placements& placements) : placements_(placements) {}

  /// Number of misfits; 0 where the pools explain the run. `pools` by life.
  std::uint64_t of(const ReleaseRun& run, const ReleasePrelude& prelude,
                   const std::vector<PoolId>& pools) const;

 private:
  using Pools = std::vector<PoolId>;
  struct Step;

  Step step_of(const ReleaseRun::Released& released, const Pools& pools) const;
  std::uint64_t everything_from(const ReleaseRun& run, std::size_t first, const Pools& pools) const;
  std::uint64_t order_misfits(const ReleaseRun& run, std::size_t first, const Pools& pools) const;
  std::uint64_t left_misfits(const ReleaseRun& run, const std::vector<PoolId>& released,
                             const Pools& pools) const;

  std::uint64_t ended_first(const ReleaseRun& run, const Pools& pools) const;
  /// How many releases from there on can be just enough oversize ones.
  std::size_t longest_oversize(const ReleaseRun& run, std::size_t first, Bytes limit,
                               const Pools& pools) const;

  const Placements& placements_;
};

/// Pools found out that no file names: private ones, numbered from here.
inline constexpr std::uint64_t first_unnamed_pool = std::uint64_t{1} << 32;
constexpr bool is_unnamed(PoolId pool) { return pool.user >= first_unnamed_pool; }

}  // namespace vramlab::replay
