// The events that a report page lists: all of a short history; of a longer one every call to the
// device, every failure and snapshot, and of requests and frees the largest.
#pragma once

#include <cstddef>
#include <vector>

#include "replay/history/recorded_history.h"

namespace vramlab::replay {

/// Indices of so many events at most, in order. Where even the calls to the device are more, the
/// first of them.
std::vector<std::size_t> choose_events(const DeviceHistory& history, std::size_t most);

}  // namespace vramlab::replay
