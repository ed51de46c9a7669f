#include "replay/follow/verify.h"

#include <algorithm>
#include <set>

#include "replay/follow/pool_inference.h"
#include "replay/follow/release_cost.h"
#include "replay/follow/verify_run.h"
#include "replay/history/history_checks.h"
#include "replay/history/recorded_calls.h"

namespace vramlab::replay {

namespace {

using allocator::PoolId;

/// The better of two: fewer wrong things first, then fewer taken from the recording.
bool is_better(const DeviceFidelity& a, const DeviceFidelity& b) {
  const auto badness = [](const DeviceFidelity& one) {
    return std::tuple(one.allocs.total - one.allocs.exact,
                      one.final_blocks.total - one.final_blocks.exact, one.segment_calls.wrong,
                      one.segment_calls.taken, one.first_difference.has_value());
  };
  return badness(a) < badness(b);
}

void judge(ExplainedHistory& explained, const DeviceHistory& history,
           const SettingsInForce& settings) {
  DeviceFidelity& fidelity = explained.fidelity;
  if (!settings.doubt.empty()) fidelity.reasons.push_back(settings.doubt);
  const std::string& contradiction = explained.start.contradiction.empty()
                                         ? explained.placements.contradiction
                                         : explained.start.contradiction;
  if (!contradiction.empty()) fidelity.reasons.push_back(contradiction);
  if (history.traits.unknown_event_count > 0)
    fidelity.reasons.push_back(std::to_string(history.traits.unknown_event_count) +
                               " events of kinds that a replay does not know");
  const bool agrees = fidelity.allocs.is_full() && fidelity.final_blocks.is_full() &&
                      fidelity.segment_calls.wrong == 0 && !fidelity.first_difference;
  if (fidelity.inferred.mode_changes > 0)
    fidelity.reasons.emplace_back("settings changed: expandable_segments was on and off");
  const bool is_sound = contradiction.empty() && fidelity.inferred.mode_changes == 0;
  if (agrees)
    fidelity.label = FidelityLabel::exact;
  else
    fidelity.label = is_sound ? FidelityLabel::different : FidelityLabel::approximate;
}

/// Mere markers are none.
bool has_history(const DeviceHistory& history) {
  return std::ranges::any_of(history.events, [](const allocator::AllocatorEvent& event) {
    return event.action != allocator::Action::snapshot;
  });
}

/// Why nothing can be replayed; nothing where it can.
std::optional<DeviceFidelity> without_replay(const DeviceHistory& history) {
  DeviceFidelity fidelity;
  fidelity.device = history.device;
  if (!has_history(history)) {
    fidelity.label = FidelityLabel::final_state_only;
    fidelity.reasons.emplace_back("the file has no history of this device");
    return fidelity;
  }
  if (std::string reason = impossible_part(history); !reason.empty()) {
    fidelity.label = FidelityLabel::approximate;
    fidelity.reasons.push_back(std::move(reason) + "; nothing was replayed");
    return fidelity;
  }
  return std::nullopt;
}

}  // namespace

VerifyConditions verify_conditions(const RecordedHistory& history, const traces::TextTable& texts,
                                   const allocator::ReferenceVersion* version) {
  const bool is_guessed = version == nullptr;
  if (is_guessed) version = &guess_reference(history);
  return {*version, is_guessed, recorded_settings(history, texts, *version)};
}

ExplainedHistory explain(const DeviceHistory& history, const VerifyConditions& conditions) {
  ExplainedHistory explained;
  if (auto fidelity = without_replay(history)) {
    explained.fidelity = *std::move(fidelity);
    return explained;
  }
  const allocator::Settings& settings = conditions.settings.settings;
  static_cast<PlacedHistory&>(explained) = place_history(history, settings);
  PoolInference inference(history, explained.placements, settings);
  std::optional<DeviceFidelity> best;
  std::vector<PoolId> best_pools;
  for (unsigned round = 1; round <= most_pool_rounds; ++round) {
    explained.pools = inference.solve();
    VerifyRun run(history, explained, conditions);
    DeviceFidelity fidelity = run.run();
    fidelity.inferred.pool_rounds = round;
    inference.count(fidelity.inferred);
    const bool is_done = !fidelity.first_difference && run.unexplained_calls().empty();
    if (!best || is_better(fidelity, *best)) {
      best = std::move(fidelity);
      best_pools = explained.pools;
      explained.emptied = run.emptied();
      explained.failed_pools = run.failed_pools();
      explained.ended_pools = run.ended_pools();
      explained.captured_failures = run.captured_failures();
      explained.garbage_calls = run.garbage_calls();
    }
    if (is_done || !inference.learn(run.unexplained_calls())) break;
  }
  explained.pools = std::move(best_pools);
  for (std::size_t i = 0; i < explained.start.segments.size(); ++i)
    explained.start.segments[i].pool = explained.pools[i];
  explained.fidelity = *std::move(best);
  judge(explained, history, conditions.settings);
  return explained;
}

allocator::Snapshot state_after(const DeviceHistory& history, const ExplainedHistory& explained,
                                const VerifyConditions& conditions, std::size_t event_count) {
  VerifyRun run(history, explained, conditions);
  return run.state_after(event_count);
}

Fidelity verify(const RecordedHistory& history, const VerifyConditions& conditions) {
  Fidelity fidelity;
  fidelity.reference = conditions.version.name;
  fidelity.reference_is_guessed = conditions.version_is_guessed;
  fidelity.options = conditions.settings.settings.text;
  for (const DeviceHistory& device : history.devices)
    fidelity.devices.push_back(explain(device, conditions).fidelity);
  return fidelity;
}

namespace {

using allocator::Action;

/// By life; 0 if there is none.
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
  const auto end_generation = [&](PoolId pool, std::size_t event) {
    const PoolId later{0, next_name++};
    for (LifeIndex life = 0; life < pools.size(); ++life)
      if (pools[life] == pool && last[life] > event) pools[life] = later;
  };
  for (const EmptiedCache& cache : explained.emptied)
    for (const PoolId pool : released_pools(history, explained, pools, cache.event))
      end_generation(pool, cache.event);
  for (const auto& [event, pool] : explained.ended_pools)
    end_generation(pools[explained.placements.life_of_event[event]], event);
  return pools;
}

}  // namespace vramlab::replay
