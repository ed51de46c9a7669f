// States of a recording at a moment, as following it shows them: exact where following it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/metrics/device_state.h"
#include "replay/recording/recorded_history.h"
#include "replay/recording/recording.h"
#include "replay/recording/snapshot_values_of.h"

namespace vramlab::replay {

struct RecordedStates {
  std::vector<DeviceState> states;
  /// Sentences: what is not sure.
  std::vector<std::string> doubts;
};

/// What of the history up to the moment comes with a state.
enum class StateHistory : std::uint8_t { all, last_event };

/// For each device that has such a moment. A device whose first event is later has none at a time.
RecordedStates recorded_states(Recording& recording, const Moment& moment,
                               StateHistory kept = StateHistory::all);

}  // namespace vramlab::replay
