// The states of a replay at a moment, of each device that has it.
#pragma once

#include <string>
#include <vector>

#include "replay/metrics/device_state.h"
#include "replay/recording/recorded_states.h"
#include "replay/replayer/replayer.h"

namespace vramlab::replay {

struct StatesAtMoment {
  std::vector<DeviceState> states;
  /// The whole replay's, not only up to the moment.
  ReplayReport report;
};

/// Replays once more, up to the moment. `report`: of the whole replay. Throws InputError where
/// there is no such moment.
std::vector<DeviceState> states_at(const Replayer& replayer, const ReplayConditions& conditions,
                                   const Moment& moment, const ReplayReport& report);

/// Replays as often as it takes: once to find the moment where it has to be looked for, and once
/// up to it.
StatesAtMoment states_at(const Replayer& replayer, const ReplayConditions& conditions,
                         const Moment& moment, const ReplayWatch& first_watch);

}  // namespace vramlab::replay
