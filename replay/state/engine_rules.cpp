#include "replay/state/engine_rules.h"

namespace vramlab::replay {

FragmentationRules rules_of(const allocator::RecordingAllocator& engine, Bytes device_free) {
  const auto& core = engine.core();
  FragmentationRules rules{engine.settings(), device_free};
  rules.allowed = core.allowed;
  for (const auto& [base, index] : core.segments.by_address())
    if (core.segments[index].is_expandable)
      rules.reservations[base] = {core.segments[index].size, core.segments[index].unit};
  for (const auto& [id, pool] : core.private_pools)
    if (pool->is_freeable()) rules.freeable_pools.insert(id);
  return rules;
}

}  // namespace vramlab::replay
