#include "replay/recording/release_rules.h"

#include <algorithm>

namespace vramlab::replay {
namespace {

using allocator::PlannedRelease;
using allocator::ReplayView;

bool begins_with(std::span<const PooledRelease> recorded, const std::vector<PlannedRelease>& plan) {
  return plan.size() <= recorded.size() &&
         std::equal(plan.begin(), plan.end(), recorded.begin(),
                    [](const PlannedRelease& planned, const PooledRelease& one) {
                      return planned == one.release;
                    });
}

/// Private pools in the order in which they appear.
std::vector<PoolId> private_pools_of(std::span<const PooledRelease> recorded) {
  std::vector<PoolId> pools;
  for (const PooledRelease& one : recorded)
    if (one.pool != default_pool && std::ranges::find(pools, one.pool) == pools.end())
      pools.push_back(one.pool);
  return pools;
}

void append(std::vector<PlannedRelease>& plan, const std::vector<PlannedRelease>& more) {
  plan.insert(plan.end(), more.begin(), more.end());
}

}  // namespace

auto ReleaseRules::plan_everything(std::span<const PoolId> pools) const -> Plan {
  Plan plan = ReplayView(engine_).plan_pool(default_pool, PoolKind::large);
  append(plan, ReplayView(engine_).plan_pool(default_pool, PoolKind::small));
  for (const PoolId pool : pools) {
    append(plan, ReplayView(engine_).plan_pool(pool, PoolKind::small));
    append(plan, ReplayView(engine_).plan_pool(pool, PoolKind::large));
  }
  return plan;
}

std::optional<std::vector<PoolId>> ReleaseRules::everything(
    std::span<const PooledRelease> recorded) const {
  std::vector<PoolId> pools = private_pools_of(recorded);
  const Plan plan = plan_everything(pools);
  if (plan.size() != recorded.size() || !begins_with(recorded, plan)) return std::nullopt;
  return pools;
}

std::optional<std::vector<PoolId>> ReleaseRules::everything_first(
    std::span<const PooledRelease> recorded) const {
  for (std::size_t count = recorded.size(); count > 0; --count)
    if (auto pools = everything(recorded.first(count))) return pools;
  return std::nullopt;
}

std::size_t ReleaseRules::ended_pool(std::span<const PooledRelease> recorded) const {
  const PoolId pool = recorded.front().pool;
  if (pool == default_pool) return 0;
  Plan plan = ReplayView(engine_).plan_pool(pool, PoolKind::small);
  append(plan, ReplayView(engine_).plan_pool(pool, PoolKind::large));
  return begins_with(recorded, plan) ? plan.size() : 0;
}

std::optional<LadderPlan> ReleaseRules::ladder(const allocator::Search& search,
                                               std::span<const PooledRelease> recorded,
                                               Ending ending) const {
  const bool collects = engine_.settings().garbage_collection_threshold > 0;
  if (collects && ending.prefers_garbage && !ending.is_refused)
    if (const auto plan = garbage_alone(recorded)) return plan;
  std::size_t last_size = 0;
  for (unsigned passes = 0; passes == 0 || collects; ++passes) {
    const Plan garbage = ReplayView(engine_).plan_garbage(passes);
    if (passes > 0 && garbage.size() == last_size) break;
    last_size = garbage.size();
    if (!begins_with(recorded, garbage)) break;
    if (auto plan = after_garbage(search, recorded.subspan(garbage.size()), garbage, ending)) {
      plan->garbage_passes = passes;
      return plan;
    }
  }
  return std::nullopt;
}

std::optional<LadderPlan> ReleaseRules::garbage_alone(
    std::span<const PooledRelease> recorded) const {
  std::size_t last_size = 0;
  for (unsigned passes = 1;; ++passes) {
    const Plan garbage = ReplayView(engine_).plan_garbage(passes);
    if (garbage.size() == last_size || !begins_with(recorded, garbage)) return std::nullopt;
    last_size = garbage.size();
    if (last_size == recorded.size()) return LadderPlan{passes, false};
  }
}

std::optional<LadderPlan> ReleaseRules::after_garbage(const allocator::Search& search,
                                                      std::span<const PooledRelease> rest,
                                                      const Plan& garbage, Ending ending) const {
  LadderPlan plan;
  if (rest.empty() && !ending.is_refused) return plan;
  if (ending.had_room) return std::nullopt;
  Plan gone = garbage;
  bool is_enough = false;
  Plan oversize = ReplayView(engine_).plan_oversize(search, garbage, is_enough);
  if (!begins_with(rest, oversize)) return std::nullopt;
  plan.has_oversize = !oversize.empty();
  rest = rest.subspan(oversize.size());
  if (rest.empty() && (is_enough || ending.is_refused)) return plan;
  if (ending.completes_after)
    return garbage.size() + oversize.size() == *ending.completes_after ? std::optional(plan)
                                                                       : std::nullopt;
  append(gone, oversize);
  const std::vector<PoolId> pools = private_pools_of(rest);
  Plan all = plan_everything(pools);
  std::erase_if(
      all, [&](const PlannedRelease& one) { return std::ranges::find(gone, one) != gone.end(); });
  if (all.size() != rest.size() || !begins_with(rest, all)) return std::nullopt;
  return plan;
}

std::size_t ReleaseRules::garbage_shape(const allocator::Search& search,
                                        std::span<const PooledRelease> recorded,
                                        Ending ending) const {
  if (engine_.settings().garbage_collection_threshold <= 0) return 0;
  const Plan candidates = ReplayView(engine_).plan_pool(default_pool, PoolKind::large);
  Plan collected;
  for (const PooledRelease& one : recorded) {
    const bool is_candidate =
        !one.release.is_unmap && std::ranges::find(candidates, one.release) != candidates.end();
    if (!is_candidate) return 0;
    collected.push_back(one.release);
    if (after_garbage(search, recorded.subspan(collected.size()), collected, ending))
      return collected.size();
  }
  return 0;
}

}  // namespace vramlab::replay
