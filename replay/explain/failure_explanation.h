// FailureExplanation: one request that failed: the line that asked, the reason, and changes that
// would have helped, found by replaying.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "replay/explain/ways_out.h"
#include "replay/metrics/out_of_memory_reason.h"
#include "replay/recording/recording.h"
#include "replay/replayer/replayer.h"
#include "replay/settings_search/out_of_memory_tries.h"

namespace vramlab::replay {

struct FailureExplanation {
  /// The state right after it.
  const DeviceState& state;
  OutOfMemoryReason story;
  traces::StackId stack = {};
  /// The line of the program that asked, such as `train.py:12 step`; empty if the file does not
  /// say.
  std::string place = {};
  /// The device's memory in the replay; empty for a recording.
  std::optional<Bytes> memory = {};
  /// Changes with which the request passes, found by replaying.
  std::optional<Bytes> least_memory = {};
  std::vector<TriedOptions> tried = {};
  /// Settings that a wider search replayed; 0 if there was none.
  std::uint64_t settings_searched = 0;
  /// The variable that takes the options.
  std::string_view options_variable = "PYTORCH_CUDA_ALLOC_CONF";
  /// The history tells what was requested after it. A replay always does.
  bool has_later_requests = true;

  /// As requested, or in a recording as rounded.
  Bytes asked() const { return story.refused.request.value_or(story.refused.rounded); }
  /// The memory that the allocator could have in all; empty where it is unknown.
  std::optional<Bytes> capacity() const;
  /// The least memory with which any allocator serves the request: what is live, and the request.
  Bytes least_for_any_setting() const;
  bool can_a_setting_help() const;
  /// The best of those tried; null if none passes.
  const TriedOptions* passing() const;
};

/// Replays that find what would have helped a failed request.
struct HelpSearch {
  const Replayer& replayer;
  /// The conditions of the run that failed.
  ReplayConditions conditions = {};
  SettingsRunner run = {};
  ReplayEffort effort = {};
};

/// The events of requests that failed before an event.
std::set<std::uint64_t> failures_before(const DeviceHistory& history, std::uint64_t event);

/// An explanation for a state of a recording; empty if the state is not at an out-of-memory.
/// Without a search the changes that would have helped are left out.
std::optional<FailureExplanation> explain_recorded(const DeviceState& state, Recording& recording,
                                                   const HelpSearch* search);
/// An explanation for the first request that failed in a replay of a device.
FailureExplanation explain_replayed(const DeviceState& state, const DeviceReport& report,
                                    const traces::SnapshotTables& tables, const HelpSearch* search);

}  // namespace vramlab::replay
