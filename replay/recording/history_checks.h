// Whether a history can be that of an allocator at all: sizes and addresses in the ranges that one
// gives. What fails here is not replayed.
#pragma once

#include <string>

#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

/// The first thing that cannot be, as a sentence; empty where there is none.
std::string impossible_part(const DeviceHistory& history);

}  // namespace vramlab::replay
