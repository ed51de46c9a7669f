// Explanations of a failed request: the reason, and changes that would have helped.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "replay/metrics/out_of_memory_reason.h"
#include "replay/recording/recording.h"
#include "replay/settings_search/out_of_memory_tries.h"
#include "tools/cli/kit/arguments.h"

namespace vramlab::tools {

struct OutOfMemoryExplanation {
  /// The state right after it.
  const replay::DeviceState& state;
  replay::OutOfMemoryReason story;
  /// The device's memory in the replay; empty for a recording.
  std::optional<Bytes> memory;
  /// Changes with which the request passes, found by replaying.
  std::optional<Bytes> least_memory = {};
  std::vector<replay::TriedOptions> tried = {};
};

/// Replays the recording under changed conditions, up to the first request that fails. The
/// recording must outlive the tries.
replay::ReplayTry tries_of(replay::Recording& recording, const ReplayArguments& arguments);

/// An explanation for a state of a recording; empty if the state is not at an out-of-memory.
/// Without tries the changes that would have helped are left out.
std::optional<OutOfMemoryExplanation> explain_recorded(const replay::DeviceState& state,
                                                       const replay::ReplayTry& tries);
/// An explanation for the first request that failed in a replay of a device.
OutOfMemoryExplanation explain_replayed(const replay::DeviceState& state,
                                        const replay::DeviceReport& report,
                                        const replay::ReplayTry& tries);

std::string out_of_memory_text(const OutOfMemoryExplanation& explained,
                               const traces::SnapshotTables& tables);
nlohmann::ordered_json out_of_memory_json(const OutOfMemoryExplanation& explained,
                                          const traces::SnapshotTables& tables);

}  // namespace vramlab::tools
