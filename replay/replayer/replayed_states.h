// The states of a replay at a moment, of each device that has it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/metrics/device_state.h"
#include "replay/recording/recorded_states.h"
#include "replay/recording/recording.h"
#include "replay/replayer/replay_conditions.h"
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

// The state of pinned host memory at a moment: as recorded, or as a replay of a program's events
// about it shows it.

/// A program is always replayed.
enum class HostStateFrom : std::uint8_t { recording, replay };

struct HostState {
  DeviceState state;
  /// Sentences: what is not sure.
  std::vector<std::string> notes;
};

/// Times count from the first event of a program, and from the first one about pinned memory of a
/// recording; events are those of the program, and entries of `host_traces`. Throws InputError.
HostState host_state_at(Recording& recording, const Moment& moment,
                        const ReplayConditions& conditions, HostStateFrom from);

}  // namespace vramlab::replay
