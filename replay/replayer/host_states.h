// The state of pinned host memory at a moment: as recorded, or as a replay of a program's events
// about it shows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/metrics/device_state.h"
#include "replay/metrics/device_state.h"
#include "replay/recording/recording.h"
#include "replay/replayer/replay_conditions.h"

namespace vramlab::replay {

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
