// ExplainedHistory: a recorded history with every event placed and followed by the engine, under
// the rules and settings that it was made under, and how faithful that was. explain() makes it;
// guess_conditions() finds rules and settings where the file does not say them. walk_history() does
// without the engine. VerifyRun (verify_run.h) follows the calls.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "allocator/types/snapshot.h"
#include "replay/recording/fidelity.h"
#include "replay/recording/placement_walk.h"
#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

/// The rules and settings that a recording was made under.
struct VerifyConditions {
  const ReferenceVersion& version;
  bool version_is_guessed = true;
  SettingsInForce settings;
  /// The settings are the last ones that a file holds; the program may have changed them before.
  bool settings_may_have_changed = false;
};

/// An event at which everything cached was released.
struct EmptiedCache {
  /// The first release.
  std::size_t event = 0;
  /// A refused request may have released it just as well.
  bool may_be_of_request = false;
};

/// Findings of following a history's calls.
struct FollowedCalls {
  std::vector<EmptiedCache> emptied;
  /// For each event of a failed request: the pool that explains what it released.
  std::map<std::size_t, PoolId> failed_pools;
  /// Private pools that ended, by the first entry of their releases.
  std::map<std::size_t, PoolId> ended_pools;
  /// The first event of each call that collected garbage and released nothing else.
  std::set<std::size_t> garbage_calls;
  /// An amount of memory that the device did not have, for each call whose request was refused and
  /// released memory, by the call's first event.
  std::map<std::size_t, Bytes> refusals;
  /// The first event of each call whose request released everything that was cached.
  std::set<std::size_t> retried;
  /// Completed frees, by their entries, for which a refused request waited: it had looked for a
  /// block before.
  std::set<std::size_t> awaited;
  /// Requests that failed and left cached memory alone, as during a capture.
  std::set<std::size_t> captured_failures;
  /// Noted calls, by their numbers, that emptied nothing although something was cached.
  std::set<std::size_t> held_back;
};

/// A device's history, explained: where every block is, when each event was, which calls the events
/// belong to, and which pool every segment is of. The segments of its start have their pools.
struct ExplainedHistory : PlacedHistory, FollowedCalls {
  DeviceFidelity fidelity;
  /// The sign of a capture in the version whose rules were followed.
  allocator::CaptureSign capture_sign{};
  /// The settings at the first call and where they change, with strings that set each over the one
  /// before and the first over the recorded ones; empty if those hold all the time.
  std::vector<SettingsInTime::Change> settings_changes;
  /// The pool of each life.
  std::vector<PoolId> pools;
  /// First events of calls before which the program emptied a cache that held nothing: found by the
  /// rhythm in which it does so.
  std::set<std::size_t> emptied_in_vain;
  /// By event, never going back; empty unless find_times() was asked.
  traces::LongSequence<std::uint64_t> times_us;
  /// Sentences: reasons why the placements may not be the real ones.
  std::vector<std::string> doubts;

  /// Places are known: the history is one that an allocator can have made.
  bool is_placed() const { return !phases.empty(); }
  /// There are calls that an allocator can have made; otherwise the fidelity says why not.
  bool can_be_replayed() const;
};

/// The histories that guessing the version explained on the way, by device: a first step of
/// explain().
using FirstTries = std::vector<std::optional<ExplainedHistory>>;

struct GuessedConditions {
  VerifyConditions conditions;
  FirstTries tries;
};
/// `version`: null to guess it.
GuessedConditions guess_conditions(const RecordedHistory& history, const traces::TextTable& texts,
                                   const ReferenceVersion* version);

/// Explains a history; if no allocator can have made it, only the fidelity is filled in. A history
/// without events is only placed; so is one of whole blocks, whose allocator has other rules.
ExplainedHistory explain(const DeviceHistory& history, const VerifyConditions& conditions,
                         std::optional<ExplainedHistory> first_try = {});

/// The recorded times, which may not go back; where none is recorded, the events are a microsecond
/// apart.
void find_times(const DeviceHistory& history, ExplainedHistory& explained);

/// The history as a walk begins with it, under the recorded settings; null where following it may
/// show that others were in force before, under which blocks are cut otherwise. Requires: the
/// history has no impossible part (impossible_part).
std::unique_ptr<StartedHistory> start_by_rules(const DeviceHistory& history,
                                               const VerifyConditions& conditions);

/// Places and times alone, where the history says every pool and its settings hold all the time:
/// the engine is not asked. Requires: the history has no impossible part.
std::optional<ExplainedHistory> walk_by_told_pools(const DeviceHistory& history,
                                                   const VerifyConditions& conditions);
/// The same of any history; pools that it does not say are found by explaining it.
ExplainedHistory walk_history(const DeviceHistory& history, const VerifyConditions& conditions);

/// The state after the call that the last of the first `event_count` events belongs to; for 0, the
/// state before the first call.
Snapshot state_after(const DeviceHistory& history, const ExplainedHistory& explained,
                     const VerifyConditions& conditions, std::size_t event_count);

/// The pool of each life, with pools told apart that one name stood for. A private pool whose
/// memory was released has lost its users and takes no more requests. If the pools that were found
/// out say otherwise, two pools were taken for one: later requests belong to another pool.
std::vector<PoolId> pools_by_generation(const DeviceHistory& history,
                                        const ExplainedHistory& explained);

}  // namespace vramlab::replay
