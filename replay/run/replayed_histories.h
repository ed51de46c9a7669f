// ReplayedHistories: what a replay's allocators did, kept as a recording would have it.
#pragma once

#include <vector>

#include "replay/history/recorded_history.h"
#include "replay/run/replay_conditions.h"

namespace vramlab::replay {

/// A watch that adds each device's history once it is through. Requires: the replay's conditions
/// say that all entries are kept, and `histories` lives as long as the watch.
ReplayWatch watch_keeping(std::vector<DeviceHistory>& histories);

}  // namespace vramlab::replay
