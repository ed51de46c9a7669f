#include "replay/recording/release_cost.h"

#include <algorithm>
#include <tuple>

namespace vramlab::replay {

/// One release, with what decides its place in the order.
struct ReleaseCost::Step {
  PoolId pool;
  PoolKind kind;
  bool is_unmap;
  StreamId stream;
  Bytes size;
  Address address;

  bool is_same_half(const Step& other) const { return pool == other.pool && kind == other.kind; }
  /// Unmapping goes by the size of the block, which the range does not show.
  bool comes_after(const Step& other) const {
    if (is_unmap || other.is_unmap) return is_unmap >= other.is_unmap;
    return std::tuple(stream, size, address) > std::tuple(other.stream, other.size, other.address);
  }
  /// Whether this half of a pool may follow that one directly.
  bool may_follow_half(const Step& before) const {
    if (pool == before.pool)
      return pool == default_pool ? kind == PoolKind::small : kind == PoolKind::large;
    if (pool == default_pool) return false;
    return before.pool == default_pool || is_unnamed(pool) || is_unnamed(before.pool) ||
           pool > before.pool;
  }
};

auto ReleaseCost::step_of(const ReleaseRun::Released& released, const Pools& pools) const -> Step {
  const SegmentLife& life = placements_.lives[released.life];
  return {pools[released.life], life.kind,     released.is_unmap,
          life.stream,          released.size, released.address};
}

std::uint64_t ReleaseCost::order_misfits(const ReleaseRun& run, std::size_t first,
                                         const Pools& pools) const {
  std::uint64_t misfits = 0;
  std::vector<PoolId> passed;
  for (std::size_t i = first; i < run.released.size(); ++i) {
    const Step step = step_of(run.released[i], pools);
    if (i > first) {
      const Step before = step_of(run.released[i - 1], pools);
      if (step.is_same_half(before)) {
        if (!step.comes_after(before)) ++misfits;
        continue;
      }
      if (!step.may_follow_half(before)) ++misfits;
      if (step.pool == before.pool) continue;
      passed.push_back(before.pool);
    }
    if (std::ranges::find(passed, step.pool) != passed.end()) ++misfits;
  }
  return misfits;
}

std::uint64_t ReleaseCost::left_misfits(const ReleaseRun& run, const std::vector<PoolId>& released,
                                        const Pools& pools) const {
  std::uint64_t misfits = 0;
  for (const LifeIndex life : run.left)
    if (pools[life] == default_pool || std::ranges::find(released, pools[life]) != released.end())
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

/// They are of one stream in one pool, the largest first.
std::size_t ReleaseCost::longest_oversize(const ReleaseRun& run, std::size_t first, Bytes limit,
                                          const Pools& pools) const {
  std::size_t end = first;
  for (; end < run.released.size(); ++end) {
    const Step step = step_of(run.released[end], pools);
    if (step.is_unmap || step.size < limit) break;
    if (end == first) continue;
    const Step before = step_of(run.released[end - 1], pools);
    if (!step.is_same_half(before) || step.stream != before.stream || step.comes_after(before))
      break;
  }
  return end - first;
}

/// Pools that ended one after another, and then perhaps a release of everything.
std::uint64_t ReleaseCost::ended_first(const ReleaseRun& run, const Pools& pools) const {
  std::uint64_t misfits = 0;
  std::size_t first = 0;
  while (first < run.released.size()) {
    const PoolId ended = pools[run.released[first].life];
    if (ended == default_pool) break;
    ReleaseRun of_pool;
    for (; first < run.released.size() && pools[run.released[first].life] == ended; ++first)
      of_pool.released.push_back(run.released[first]);
    misfits += order_misfits(of_pool, 0, pools);
    const auto is_of_pool = [&](LifeIndex life) { return pools[life] == ended; };
    misfits += static_cast<std::uint64_t>(std::ranges::count_if(run.left, is_of_pool));
    for (std::size_t later = first; later < run.released.size(); ++later)
      if (is_of_pool(run.released[later].life)) ++misfits;
  }
  return misfits + (first == run.released.size() ? 0 : everything_from(run, first, pools));
}

std::uint64_t ReleaseCost::of(const ReleaseRun& run, const ReleasePrelude& prelude,
                              const Pools& pools) const {
  const std::size_t count = run.released.size();
  std::uint64_t least = everything_from(run, 0, pools);
  if (run.is_own_call) least = std::min(least, ended_first(run, pools));
  std::uint64_t outside = 0;
  for (std::size_t collected = 0; collected <= count && least > 0; ++collected) {
    if (collected > 0) {
      const Step step = step_of(run.released[collected - 1], pools);
      if (!prelude.garbage || step.is_unmap || step.kind == PoolKind::small) break;
      if (step.pool != default_pool) ++outside;
    }
    const std::size_t oversize = longest_oversize(run, collected, prelude.oversize, pools);
    for (std::size_t first = collected; first <= collected + oversize; ++first)
      least = std::min(least, outside + (first == count ? 0 : everything_from(run, first, pools)));
  }
  return least;
}

}  // namespace vramlab::replay
