// The history of a device's arenas as the list of a snapshot's `device_traces`.
#pragma once

#include <string>
#include <vector>

#include "allocator/words/allocator_event.h"

namespace vramlab::shim {

using ArenaHistory = std::vector<allocator::AllocatorEvent>;

/// Those of several arenas in the order of their times: their memory is not the same.
std::string history_json(const std::vector<const ArenaHistory*>& arenas);

}  // namespace vramlab::shim
