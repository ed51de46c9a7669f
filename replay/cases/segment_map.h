// A snapshot as text, near one address: the segment that holds it, its neighbours, and the blocks
// around it.
#pragma once

#include <string>

#include "allocator/words/snapshot.h"

namespace vramlab::replay {

/// Several lines, each with a line break; the block that holds the address is marked.
std::string segment_map(const Snapshot& snapshot, Address around);

}  // namespace vramlab::replay
