#include "replay/follow/pool_generations.h"

#include <algorithm>
#include <set>

#include "replay/follow/release_cost.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::PoolId;

/// Of each life; 0 where there is none.
std::vector<std::size_t> last_requests(const DeviceHistory& history, const Placements& placements) {
  std::vector<std::size_t> last(placements.lives.size());
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const LifeIndex life = placements.life_of_event[i];
    if (life != no_life && history.events[i].action == Action::alloc) last[life] = i;
  }
  return last;
}

std::set<PoolId> released_pools(const DeviceHistory& history, const ExplainedHistory& explained,
                                const std::vector<PoolId>& pools, std::size_t first) {
  const std::optional<RecordedCall> call = call_of(explained.calls, first);
  std::set<PoolId> released;
  for (std::size_t i = first; call && i < call->end; ++i) {
    const LifeIndex life = explained.placements.life_of_event[i];
    if (life != no_life && is_release(history.events[i].action)) released.insert(pools[life]);
  }
  released.erase(allocator::default_pool);
  return released;
}

}  // namespace

std::vector<PoolId> pools_by_generation(const DeviceHistory& history,
                                        const ExplainedHistory& explained) {
  std::vector<PoolId> pools = explained.pools;
  const std::vector<std::size_t> last = last_requests(history, explained.placements);
  std::uint64_t next_name = first_unnamed_pool * 2;
  for (const EmptiedCache& cache : explained.emptied)
    for (const PoolId pool : released_pools(history, explained, pools, cache.event)) {
      const PoolId later{0, next_name++};
      for (LifeIndex life = 0; life < pools.size(); ++life)
        if (pools[life] == pool && last[life] > cache.event) pools[life] = later;
    }
  return pools;
}

}  // namespace vramlab::replay
