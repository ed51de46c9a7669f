#include "replay/recording/explained_history.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "replay/recording/history_checks.h"
#include "replay/recording/pool_inference.h"
#include "replay/recording/recorded_calls.h"
#include "replay/recording/settings_by_sizes.h"
#include "replay/recording/verify_run.h"

namespace vramlab::replay {
namespace {

/// Limits of the search for phases: how often a history is followed (a long one less often), and
/// how many places of a change are tried for each phase.
constexpr std::size_t most_runs = 40;
constexpr std::size_t fewest_runs = 4;
constexpr std::size_t most_followed_events = 1'000'000;
constexpr std::size_t most_places = 16;
/// The same of the search among usual values, of which there are many. It is made where all of them
/// can be tried at so many places.
constexpr std::size_t most_usual_runs = 2'000;
constexpr std::size_t most_usual_events = 200'000;
constexpr std::size_t fewest_rounds = 8;
/// The search for the pool of a segment takes as long as following so many events.
constexpr std::size_t events_of_an_assumed_pool = 200;
/// A change that leads so many events further is taken at once.
constexpr std::size_t far_enough = 24;

/// Whether `a` is better: fewer wrong things first, then fewer taken from the recording.
bool is_better(const DeviceFidelity& a, const DeviceFidelity& b) {
  const auto badness = [](const DeviceFidelity& one) {
    return std::tuple(one.allocs.total - one.allocs.exact,
                      one.final_blocks.total - one.final_blocks.exact, one.segment_calls.wrong,
                      one.segment_calls.taken, one.first_difference.has_value());
  };
  return badness(a) < badness(b);
}

/// A sentence for each change of options that the file does not hold.
std::vector<std::string> changes_of_settings(const ExplainedHistory& explained,
                                             const allocator::Settings& recorded) {
  std::vector<std::string> texts;
  const SettingsPhases& phases = explained.phases;
  for (std::size_t i = 1; i < phases.size(); ++i)
    texts.push_back("settings changed (guessed): " + option_string(phases[i].settings) +
                    " holds from event " + std::to_string(phases[i].first_event) + " on, " +
                    option_string(phases[i - 1].settings) + " before it");
  if (const std::string last = option_string(phases.back().settings);
      last != option_string(recorded))
    texts.push_back("settings changed (guessed): " + last +
                    " holds up to the last event, and the recorded options were set after it");
  if (explained.fidelity.inferred.mode_changes > 0)
    texts.emplace_back(explained.fidelity.first_difference
                           ? "settings changed: expandable_segments was on and off, and other "
                             "options seem to have changed"
                           : "settings changed: expandable_segments was on and off");
  return texts;
}

/// A sentence where other options lead far beyond the first difference under the recorded ones, and
/// none lead to the end. `furthest`: the first event that none explained.
std::optional<std::string> unknown_settings(const DeviceFidelity& fidelity, std::size_t furthest) {
  const auto& difference = fidelity.first_difference;
  if (!difference || furthest <= difference->event + far_enough) return std::nullopt;
  const std::string unexplained = furthest < fidelity.event_count
                                      ? "event " + std::to_string(furthest)
                                      : std::string("the final state");
  return "settings seem to have changed: others than the recorded ones explain events " +
         std::to_string(difference->event) + " to " + std::to_string(furthest - 1) +
         ", and none that were tried explain " + unexplained;
}

void judge(ExplainedHistory& explained, const DeviceHistory& history,
           const SettingsInForce& settings, std::size_t furthest) {
  DeviceFidelity& fidelity = explained.fidelity;
  if (!settings.doubt.empty()) fidelity.reasons.push_back(settings.doubt);
  const std::string& contradiction = explained.start.contradiction.empty()
                                         ? explained.placements.contradiction
                                         : explained.start.contradiction;
  if (!contradiction.empty()) fidelity.reasons.push_back(contradiction);
  if (history.traits.unknown_event_count > 0)
    fidelity.reasons.push_back(std::to_string(history.traits.unknown_event_count) +
                               " events of kinds that a replay does not know");
  fidelity.requests_at_addresses = history.traits.requests_at_addresses;
  fidelity.restored_requests = history.traits.restored_requests;
  const bool agrees = fidelity.allocs.is_full() && fidelity.final_blocks.is_full() &&
                      fidelity.segment_calls.wrong == 0 && !fidelity.first_difference;
  if (!history.knows_calls)
    fidelity.settings_changes = changes_of_settings(explained, settings.settings);
  const std::optional<std::string> unknown = unknown_settings(fidelity, furthest);
  if (unknown) fidelity.settings_changes.push_back(*unknown);
  fidelity.reasons.insert(fidelity.reasons.end(), fidelity.settings_changes.begin(),
                          fidelity.settings_changes.end());
  if (const std::string placed = placed_requests_text(fidelity); !agrees && !placed.empty())
    fidelity.reasons.push_back(placed);
  const bool is_sound = contradiction.empty() && fidelity.inferred.mode_changes == 0 && !unknown;
  if (agrees)
    fidelity.label = FidelityLabel::exact;
  else
    fidelity.label = is_sound ? FidelityLabel::different : FidelityLabel::approximate;
}

/// Whether there are events other than mere markers.
bool has_history(const DeviceHistory& history) {
  return std::ranges::any_of(
      history.events, [](const AllocatorEvent& event) { return event.action != Action::snapshot; });
}

/// The fidelity of a history of which nothing can be replayed; empty if it can be replayed.
std::optional<DeviceFidelity> without_replay(const DeviceHistory& history) {
  DeviceFidelity fidelity;
  fidelity.device = history.device;
  if (!has_history(history)) {
    fidelity.label = FidelityLabel::final_state_only;
    fidelity.reasons.emplace_back("the file has no history of this device");
    return fidelity;
  }
  if (std::string reason = impossible_part(history); !reason.empty()) {
    fidelity.label = FidelityLabel::not_replayed;
    fidelity.reasons.push_back(std::move(reason) + "; nothing was replayed");
    return fidelity;
  }
  return std::nullopt;
}

std::set<std::size_t> emptied_in_vain(const DeviceHistory& history,
                                      const ExplainedHistory& explained,
                                      const VerifyConditions& conditions) {
  if (history.knows_calls) return {};
  std::vector<std::size_t> emptied;
  for (const EmptiedCache& cache : explained.emptied)
    if (!cache.may_be_of_request) emptied.push_back(cache.event);
  const std::vector<std::size_t> missing = missing_in_rhythm(explained.calls, emptied);
  if (missing.empty()) return {};
  VerifyRun run(history, explained, conditions);
  if (!run.caches_nothing_before(missing)) return {};
  return {missing.begin(), missing.end()};
}

/// Places and follows a history in these phases, without a verdict.
ExplainedHistory explain_under(const DeviceHistory& history, const VerifyConditions& conditions,
                               SettingsPhases phases) {
  ExplainedHistory explained;
  static_cast<PlacedHistory&>(explained) =
      place_history(history, std::move(phases), conditions.version);
  PoolInference inference(history, explained.placements, conditions.settings.settings);
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
      static_cast<FollowedCalls&>(explained) = run.take_found();
    }
    if (is_done || !inference.learn(run.unexplained_calls())) break;
  }
  explained.pools = std::move(best_pools);
  for (std::size_t i = 0; i < explained.start.segments.size(); ++i)
    explained.start.segments[i].pool = explained.pools[i];
  explained.fidelity = *std::move(best);
  return explained;
}

/// How far the history was followed before the first difference.
std::size_t followed(const ExplainedHistory& explained) {
  const auto& difference = explained.fidelity.first_difference;
  return difference ? difference->event : ~std::size_t{0};
}

/// The phases before any are sought.
SettingsPhases phases_at_first(const DeviceHistory& history, const VerifyConditions& conditions) {
  return noted_phases(history, conditions.settings.settings, conditions.version);
}

/// Whether others may have been in force than the file says.
bool settings_are_doubtful(const DeviceHistory& history, const VerifyConditions& conditions) {
  return conditions.settings_may_have_changed && !history.knows_calls;
}

/// The same settings up to the change.
SettingsPhases with_change(const SettingsPhases& phases, SettingsPhase change) {
  SettingsPhases changed = phases;
  while (!changed.empty() && changed.back().first_event >= change.first_event) changed.pop_back();
  if (changed.empty()) change.first_event = 0;
  changed.push_back(std::move(change));
  return changed;
}

enum class PhaseChoices : std::uint8_t { recorded_options, usual_values };

/// Finds the phases of a program that set other options in mid-run, of which the file holds the
/// last ones only. Each phase goes as far as some settings explain the history.
class PhaseSearch {
 public:
  PhaseSearch(const DeviceHistory& history, const VerifyConditions& conditions,
              const ExplainedHistory& as_recorded, PhaseChoices kind)
      : history_(history), conditions_(conditions), best_(as_recorded) {
    if (kind == PhaseChoices::recorded_options)
      choose_recorded_options();
    else
      choose_usual_values();
  }

  /// Empty unless the phases explain all of the history.
  std::optional<ExplainedHistory> find() {
    if (choices_.empty()) return std::nullopt;
    try_change(0);
    for (bool went_further = true; went_further;) {
      if (!best_.fidelity.first_difference) return std::move(best_);
      const std::size_t reached = followed(best_);
      for (const std::size_t event : places_of_change()) {
        try_change(event);
        if (takes_any_place_ && followed(best_) > reached + far_enough) break;
      }
      went_further = followed(best_) > reached || choose_by_sizes();
    }
    return std::nullopt;
  }

  /// The first event that no phases explained.
  std::size_t furthest() const { return followed(best_); }

 private:
  void choose_recorded_options() {
    runs_left_ =
        std::clamp(most_followed_events / (history_.events.size() + 1), fewest_runs, most_runs);
    choices_ = weaker_settings(conditions_.settings.settings);
    if (!choices_.empty()) choices_.push_back(conditions_.settings.settings);
  }

  void choose_usual_values() {
    // Pools that are found out cost most.
    const Inferences& inferred = best_.fidelity.inferred;
    const std::uint64_t steps = (history_.events.size() + 1) * inferred.pool_rounds +
                                inferred.pool_assumed_segments * events_of_an_assumed_pool;
    runs_left_ = static_cast<std::size_t>(std::min<std::uint64_t>(
        most_usual_events / std::max<std::uint64_t>(steps, 1), most_usual_runs));
    std::vector<allocator::Settings> possible = possible_settings(conditions_.settings.settings);
    if (runs_left_ < possible.size() * fewest_rounds) return;
    takes_any_place_ = true;
    choices_ = in_both_modes(std::move(possible));
  }

  /// The same and values that the sizes in the history speak for, where usual ones lead no further.
  bool choose_by_sizes() {
    if (!takes_any_place_ || has_sizes_) return false;
    has_sizes_ = true;
    std::ranges::move(in_both_modes(settings_by_sizes(conditions_.settings.settings, history_,
                                                      conditions_.version)),
                      std::back_inserter(choices_));
    return true;
  }

  std::vector<allocator::Settings> in_both_modes(std::vector<allocator::Settings> choices) const {
    if (!uses_both_modes()) return choices;
    for (std::size_t i = 0, count = choices.size(); i < count; ++i) {
      choices.push_back(choices[i]);
      choices.back().expandable_segments = !choices[i].expandable_segments;
    }
    return choices;
  }

  bool uses_both_modes() const {
    return has_rare_event(history_, Action::segment_map) &&
           has_rare_event(history_, Action::segment_alloc);
  }

  void try_change(std::size_t event) {
    const SettingsPhases phases = best_.phases;
    for (const allocator::Settings& choice : choices_) {
      if (runs_left_ == 0 || !best_.fidelity.first_difference) return;
      --runs_left_;
      ExplainedHistory tried = explain_under(
          history_, conditions_, with_change(phases, {event, choice, takes_any_place_}));
      if (followed(tried) > followed(best_)) best_ = std::move(tried);
    }
  }

  /// The call of the first difference, and large requests before it, or any ones, the last one
  /// first: a size or a split that only one of two settings makes may show much later. Last comes
  /// the phase as a whole.
  std::vector<std::size_t> places_of_change() const {
    std::vector<std::size_t> places;
    const std::size_t first = best_.phases.back().first_event;
    const auto last = call_of(best_.calls, followed(best_));
    if (last) places.push_back(last->first);
    for (std::size_t i = followed(best_); i > first + 1 && places.size() < most_places;) {
      const AllocatorEvent& event = history_.events[--i];
      const bool is_large = event.size >= conditions_.settings.settings.max_split_size;
      if (event.action == Action::alloc && (takes_any_place_ || is_large))
        places.push_back(call_of(best_.calls, i)->first);
    }
    if (takes_any_place_) places.push_back(first);
    return places;
  }

  const DeviceHistory& history_;
  const VerifyConditions& conditions_;
  std::vector<allocator::Settings> choices_;
  ExplainedHistory best_;
  std::size_t runs_left_ = 0;
  /// Any request, and not only a large one, may be where a change shows first.
  bool takes_any_place_ = false;
  bool has_sizes_ = false;
};

void note_settings_changes(ExplainedHistory& explained, const allocator::Settings& recorded) {
  const SettingsInTime& in_time = explained.in_time;
  const bool is_as_recorded = in_time.changes().size() == 1 && in_time.at(0) == recorded;
  if (is_as_recorded) return;
  explained.settings_changes = in_time.changes();
  allocator::Settings in_force = recorded;
  for (auto& [first_call, settings] : explained.settings_changes) {
    settings.text = option_string(settings, in_force);
    in_force = settings;
  }
}

/// A version and how far it follows the history.
struct TriedVersion {
  const ReferenceVersion* version = nullptr;
  /// How many events are left behind the first difference, of all devices.
  std::size_t left = 0;
  FirstTries tries;
};

TriedVersion try_version(const ReferenceVersion& version, const RecordedHistory& history,
                         const traces::TextTable& texts) {
  const VerifyConditions conditions{version, true, recorded_settings(history, texts, version)};
  TriedVersion tried{&version, 0, {}};
  for (const DeviceHistory& device : history.devices) {
    std::optional<ExplainedHistory>& explained = tried.tries.emplace_back();
    // Pinned memory is not that allocator's, whose smallest block is larger.
    if (device.traits.has_whole_blocks || without_replay(device)) continue;
    explained = explain_under(device, conditions, phases_at_first(device, conditions));
    tried.left += device.events.size() - std::min(followed(*explained), device.events.size());
  }
  return tried;
}

/// The version; if several write the same keys, the first that follows the history furthest.
TriedVersion guess_reference(const RecordedHistory& history, const traces::TextTable& texts) {
  const auto possible = possible_references(history, texts);
  if (possible.size() == 1) return {possible.front(), 0, {}};
  TriedVersion best = try_version(*possible.front(), history, texts);
  for (const ReferenceVersion* version : std::span(possible).subspan(1)) {
    if (best.left == 0) break;
    TriedVersion tried = try_version(*version, history, texts);
    if (tried.left < best.left) best = std::move(tried);
  }
  return best;
}

void note_doubts(const DeviceHistory& history, ExplainedHistory& explained) {
  std::vector<std::string>& doubts = explained.doubts;
  if (!explained.start.contradiction.empty()) doubts.push_back(explained.start.contradiction);
  if (!explained.placements.contradiction.empty())
    doubts.push_back(explained.placements.contradiction);
  if (explained.start.assumed_extent_count > 0)
    doubts.push_back(std::to_string(explained.start.assumed_extent_count) +
                     " blocks are older than the first event: their sizes are guessed from the "
                     "room around them");
  std::uint64_t inferred = 0;
  for (LifeIndex life = 0; life < explained.pools.size(); ++life)
    if (!explained.placements.lives[life].pool && explained.pools[life] != default_pool) ++inferred;
  if (inferred > 0)
    doubts.push_back("the private pool of " + std::to_string(inferred) +
                     " segments is inferred from placements");
  if (history.traits.unknown_event_count > 0)
    doubts.push_back(std::to_string(history.traits.unknown_event_count) +
                     " events are of unknown kinds and left out");
}

/// Places a history, with the pools that the file says.
ExplainedHistory placed_alone(const DeviceHistory& history, const VerifyConditions& conditions) {
  ExplainedHistory placed;
  static_cast<PlacedHistory&>(placed) =
      place_history(history, phases_at_first(history, conditions), conditions.version);
  for (const SegmentLife& life : placed.placements.lives)
    placed.pools.push_back(life.pool.value_or(default_pool));
  return placed;
}

/// Explains a history by the engine. Requires: the history has calls of an allocator.
ExplainedHistory follow(const DeviceHistory& history, const VerifyConditions& conditions,
                        std::optional<ExplainedHistory> first_try) {
  ExplainedHistory explained =
      first_try ? *std::move(first_try)
                : explain_under(history, conditions, phases_at_first(history, conditions));
  std::size_t furthest = 0;
  for (const PhaseChoices choices : {PhaseChoices::recorded_options, PhaseChoices::usual_values}) {
    if (!explained.fidelity.first_difference || !settings_are_doubtful(history, conditions)) break;
    PhaseSearch search(history, conditions, explained, choices);
    if (auto in_phases = search.find())
      explained = *std::move(in_phases);
    else
      furthest = std::max(furthest, search.furthest());
  }
  explained.capture_sign = conditions.version.capture_sign;
  if (!history.knows_calls) note_settings_changes(explained, conditions.settings.settings);
  explained.emptied_in_vain = emptied_in_vain(history, explained, conditions);
  judge(explained, history, conditions.settings, furthest);
  return explained;
}

}  // namespace

GuessedConditions guess_conditions(const RecordedHistory& history, const traces::TextTable& texts,
                                   const ReferenceVersion* version) {
  TriedVersion tried =
      version == nullptr ? guess_reference(history, texts) : TriedVersion{version, 0, {}};
  const bool is_guessed =
      version == nullptr && allocator::reference_version_of_release(history.torch) == nullptr;
  return {{*tried.version, is_guessed, recorded_settings(history, texts, *tried.version), true},
          std::move(tried.tries)};
}

bool ExplainedHistory::can_be_replayed() const {
  return fidelity.label != FidelityLabel::final_state_only && !placements.life_of_event.empty();
}

ExplainedHistory explain(const DeviceHistory& history, const VerifyConditions& conditions,
                         std::optional<ExplainedHistory> first_try) {
  std::optional<DeviceFidelity> obstacle = without_replay(history);
  ExplainedHistory explained;
  if (!obstacle && !history.traits.has_whole_blocks) {
    explained = follow(history, conditions, std::move(first_try));
  } else {
    if (!obstacle || impossible_part(history).empty())
      explained = placed_alone(history, conditions);
    if (obstacle) explained.fidelity = *std::move(obstacle);
  }
  if (explained.is_placed()) note_doubts(history, explained);
  return explained;
}

void find_times(const DeviceHistory& history, ExplainedHistory& explained) {
  explained.times_us = traces::LongSequence<std::uint64_t>(history.events.place());
  const bool has_times = std::ranges::any_of(
      history.events, [](const AllocatorEvent& event) { return event.time_us > 0; });
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < history.events.size(); ++i)
    explained.times_us.push_back(last = has_times ? std::max(last, history.events[i].time_us) : i);
  if (has_times || explained.times_us.empty()) return;
  explained.doubts.emplace(explained.doubts.begin(),
                           "the events have no times: they are shown one microsecond apart");
}

namespace {

/// Whether settings may have been in force that only following the history finds (PhaseSearch).
bool may_have_phases(const DeviceHistory& history, const VerifyConditions& conditions) {
  return settings_are_doubtful(history, conditions) && !history.traits.has_whole_blocks &&
         !weaker_settings(conditions.settings.settings).empty();
}

}  // namespace

std::unique_ptr<StartedHistory> start_by_rules(const DeviceHistory& history,
                                               const VerifyConditions& conditions) {
  if (may_have_phases(history, conditions)) return nullptr;
  return std::make_unique<StartedHistory>(
      start_history(history, phases_at_first(history, conditions), conditions.version));
}

std::optional<ExplainedHistory> walk_by_told_pools(const DeviceHistory& history,
                                                   const VerifyConditions& conditions) {
  if (may_have_phases(history, conditions)) return std::nullopt;
  ExplainedHistory placed = placed_alone(history, conditions);
  const bool says_every_pool = std::ranges::all_of(
      placed.placements.lives, [](const SegmentLife& life) { return life.pool.has_value(); });
  if (!says_every_pool && !history.traits.has_whole_blocks) return std::nullopt;
  note_doubts(history, placed);
  find_times(history, placed);
  return placed;
}

ExplainedHistory walk_history(const DeviceHistory& history, const VerifyConditions& conditions) {
  if (auto walk = walk_by_told_pools(history, conditions)) return *std::move(walk);
  ExplainedHistory explained = explain(history, conditions);
  find_times(history, explained);
  return explained;
}

Snapshot state_after(const DeviceHistory& history, const ExplainedHistory& explained,
                     const VerifyConditions& conditions, std::size_t event_count) {
  VerifyRun run(history, explained, conditions);
  return run.state_after(event_count);
}

namespace {

std::set<PoolId> released_pools(const DeviceHistory& history, const ExplainedHistory& explained,
                                const std::vector<PoolId>& pools, std::size_t first) {
  const std::optional<RecordedCall> call = call_of(explained.calls, first);
  std::set<PoolId> released;
  for (std::size_t i = first; call && i < call->end; ++i) {
    const LifeIndex life = explained.placements.life_of_event[i];
    if (life != no_life && is_release(history.events[i].action)) released.insert(pools[life]);
  }
  released.erase(default_pool);
  return released;
}

}  // namespace

std::vector<PoolId> pools_by_generation(const DeviceHistory& history,
                                        const ExplainedHistory& explained) {
  std::vector<PoolId> pools = explained.pools;
  const std::vector<SegmentLife>& seen = explained.placements.lives;
  std::uint64_t next_name = first_unnamed_pool * 2;
  std::map<PoolId, std::vector<LifeIndex>> lives;
  for (LifeIndex life = 0; life < pools.size(); ++life) lives[pools[life]].push_back(life);
  const auto end_generation = [&](PoolId pool, std::size_t event) {
    const PoolId later{0, next_name++};
    const auto is_later = [&](LifeIndex life) { return seen[life].last_request > event; };
    std::vector<LifeIndex>& of_pool = lives[pool];
    std::ranges::copy_if(of_pool, std::back_inserter(lives[later]), is_later);
    std::erase_if(of_pool, is_later);
    for (const LifeIndex life : lives[later]) pools[life] = later;
  };
  for (const EmptiedCache& cache : explained.emptied)
    for (const PoolId pool : released_pools(history, explained, pools, cache.event))
      end_generation(pool, cache.event);
  return pools;
}

}  // namespace vramlab::replay
