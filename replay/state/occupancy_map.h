// A segment's bytes as a row of letters: `#` in use, `~` waiting to be free, `.` free.
#pragma once

#include <string>

#include "allocator/words/snapshot.h"

namespace vramlab::replay {

/// Each letter stands for an equal part of the segment, and for what most of that part is.
std::string occupancy_map(const allocator::SnapshotSegment& segment, std::size_t letters);

}  // namespace vramlab::replay
