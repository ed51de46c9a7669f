// States of a recording at a moment, as following it shows them: exact where following it is exact.
// A state, with its history, also goes to a writer as a memory snapshot: the result of a replay
// becomes a file that PyTorch's own viewers open.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "replay/metrics/device_state.h"
#include "replay/recording/recording.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::replay {

struct RecordedStates {
  std::vector<DeviceState> states;
  /// Sentences about all that is not sure.
  std::vector<std::string> doubts;
};

/// The part of the history up to the moment that comes with a state.
enum class StateHistory : std::uint8_t { all, last_event };

/// One state for each device that has the moment. At a time, a device whose first event is later
/// has none.
RecordedStates recorded_states(Recording& recording, const Moment& moment,
                               StateHistory kept = StateHistory::all);

/// The settings of a snapshot that has nothing but an option string.
traces::GenericPointer settings_value(const std::string& options, traces::TextTable& texts);

/// Writes segments, histories and settings, as a snapshot has them. Null: no settings.
void write_states(std::span<const DeviceState> states, const traces::GenericPointer& settings,
                  traces::SnapshotSink& sink);

}  // namespace vramlab::replay
