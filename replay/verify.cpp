#include "replay/verify.h"

#include <algorithm>

#include "replay/history_checks.h"
#include "replay/pool_inference.h"
#include "replay/verify_run.h"

namespace vramlab::replay {
namespace {

using allocator::PoolId;

struct Prepared {
  std::vector<RecordedCall> calls;
  StartingState start;
  Placements placements;
};

/// Twice where reservations have a known size: it bounds how far they reach.
Prepared prepare(const DeviceHistory& history, const allocator::Settings& settings) {
  Prepared prepared;
  prepared.calls = cut_into_calls(history);
  allocator::Bytes reservation = unknown_reservation;
  for (int round = 0; round < 2; ++round) {
    prepared.start = find_starting_state(history, settings, reservation);
    prepared.placements =
        walk_placements(history, prepared.start, prepared.calls, settings, reservation);
    if (prepared.placements.reservation == reservation) break;
    reservation = prepared.placements.reservation;
  }
  return prepared;
}

/// The better of two: fewer wrong things first, then fewer taken from the recording.
bool is_better(const DeviceFidelity& a, const DeviceFidelity& b) {
  const auto badness = [](const DeviceFidelity& one) {
    return std::tuple(one.allocs.total - one.allocs.exact,
                      one.final_blocks.total - one.final_blocks.exact, one.segment_calls.wrong,
                      one.segment_calls.taken, one.first_difference.has_value());
  };
  return badness(a) < badness(b);
}

void judge(DeviceFidelity& fidelity, const DeviceHistory& history, const Prepared& prepared,
           const SettingsInForce& settings) {
  if (!settings.doubt.empty()) fidelity.reasons.push_back(settings.doubt);
  const std::string& contradiction = prepared.start.contradiction.empty()
                                         ? prepared.placements.contradiction
                                         : prepared.start.contradiction;
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

DeviceFidelity verify_device(const DeviceHistory& history, const VerifyConditions& conditions) {
  if (!has_history(history)) {
    DeviceFidelity fidelity;
    fidelity.device = history.device;
    fidelity.label = FidelityLabel::final_state_only;
    fidelity.reasons.emplace_back("the file has no history of this device");
    return fidelity;
  }
  if (std::string reason = impossible_part(history); !reason.empty()) {
    DeviceFidelity fidelity;
    fidelity.device = history.device;
    fidelity.label = FidelityLabel::approximate;
    fidelity.reasons.push_back(std::move(reason) + "; nothing was replayed");
    return fidelity;
  }
  const allocator::Settings& settings = conditions.settings.settings;
  const Prepared prepared = prepare(history, settings);
  PoolInference inference(history, prepared.placements, settings);
  std::optional<DeviceFidelity> best;
  for (unsigned round = 1; round <= most_pool_rounds; ++round) {
    const std::vector<PoolId>& pools = inference.solve();
    VerifyRun run({history, settings, conditions.version, prepared.calls, prepared.start,
                   prepared.placements, pools});
    DeviceFidelity fidelity = run.run();
    fidelity.inferred.pool_rounds = round;
    inference.count(fidelity.inferred);
    const bool is_done = !fidelity.first_difference && run.unexplained_calls().empty();
    if (!best || is_better(fidelity, *best)) best = std::move(fidelity);
    if (is_done || !inference.learn(run.unexplained_calls())) break;
  }
  judge(*best, history, prepared, conditions.settings);
  return std::move(*best);
}

}  // namespace

Fidelity verify(const RecordedHistory& history, const VerifyConditions& conditions) {
  Fidelity fidelity;
  fidelity.reference = conditions.version.name;
  fidelity.reference_is_guessed = conditions.version_is_guessed;
  fidelity.options = conditions.settings.settings.text;
  for (const DeviceHistory& device : history.devices)
    fidelity.devices.push_back(verify_device(device, conditions));
  return fidelity;
}

}  // namespace vramlab::replay
