#include "replay/release_cost.h"

#include <algorithm>
#include <tuple>

namespace vramlab::replay {

using allocator::PoolId;
using allocator::PoolKind;

/// One release, with what decides its place in the order.
struct ReleaseCost::Step {
  PoolId pool;
  PoolKind kind;
  bool is_unmap;
  allocator::StreamId stream;
  allocator::Bytes size;
  allocator::Address address;

  bool is_same_half(const Step& other) const { return pool == other.pool && kind == other.kind; }
  /// Unmapping goes by the size of the block, which the range does not show.
  bool comes_after(const Step& other) const {
    if (is_unmap || other.is_unmap) return is_unmap >= other.is_unmap;
    return std::tuple(stream, size, address) > std::tuple(other.stream, other.size, other.address);
  }
  /// Whether this half of a pool may follow that one directly.
  bool may_follow_half(const Step& before) const {
    if (pool == before.pool)
      return pool == allocator::default_pool ? kind == PoolKind::small : kind == PoolKind::large;
    if (pool == allocator::default_pool) return false;
    return before.pool == allocator::default_pool || is_unnamed(pool) || is_unnamed(before.pool) ||
           pool > before.pool;
  }
};

ReleaseCost::ReleaseCost(const Placements& placements, ReleasePrelude prelude)
    : placements_(placements), prelude_(prelude) {}

auto ReleaseCost::step_of(const ReleaseRun::Released& released, const Pools& pools) const -> Step {
  const SegmentLife& life = placements_.lives[released.life];
  return {pools[released.life], life.kind,     released.is_unmap,
          life.stream,          released.size, released.address};
}

std::uint64_t ReleaseCost::order_misfits(const ReleaseRun& run, std::size_t first,
                                         const Pools& pools) const {
  std::uint64_t misfits = 0;
  std::vector<std::pair<PoolId, PoolKind>> halves;
  for (std::size_t i = first; i < run.released.size(); ++i) {
    const Step step = step_of(run.released[i], pools);
    if (i > first) {
      const Step before = step_of(run.released[i - 1], pools);
      if (step.is_same_half(before)) {
        if (!step.comes_after(before)) ++misfits;
        continue;
      }
      if (!step.may_follow_half(before)) ++misfits;
    }
    const std::pair half{step.pool, step.kind};
    if (std::ranges::find(halves, half) != halves.end()) ++misfits;
    halves.push_back(half);
  }
  return misfits;
}

std::uint64_t ReleaseCost::left_misfits(const ReleaseRun& run, const std::vector<PoolId>& released,
                                        const Pools& pools) const {
  std::uint64_t misfits = 0;
  for (const LifeIndex life : run.left)
    if (pools[life] == allocator::default_pool ||
        std::ranges::find(released, pools[life]) != released.end())
      ++misfits;
  return misfits;
}

std::uint64_t ReleaseCost::everything_from(const ReleaseRun& run, std::size_t first,
                                           const Pools& pools) const {
  std::vector<PoolId> released;
  for (std::size_t i = first; i < run.released.size(); ++i) {
    const PoolId pool = pools[run.released[i].life];
    if (std::ranges::find(released, pool) == released.end()) released.push_back(pool);
  }
  return order_misfits(run, first, pools) + left_misfits(run, released, pools);
}

std::uint64_t ReleaseCost::of(const ReleaseRun& run, const Pools& pools) const {
  std::uint64_t least = everything_from(run, 0, pools);
  if (!prelude_.garbage && !prelude_.oversize) return least;
  std::uint64_t outside = 0;
  for (std::size_t first = 1; first <= run.released.size() && least > 0; ++first) {
    const ReleaseRun::Released& one = run.released[first - 1];
    if (one.is_unmap || placements_.lives[one.life].kind == PoolKind::small) break;
    if (!prelude_.oversize && pools[one.life] != allocator::default_pool) ++outside;
    const bool is_all = first == run.released.size();
    const std::uint64_t rest = is_all ? 0 : everything_from(run, first, pools);
    least = std::min(least, outside + rest);
  }
  return least;
}

}  // namespace vramlab::replay
