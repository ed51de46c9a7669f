// Holes: the free blocks of a state by size, in classes that double.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allocator/types/snapshot.h"

namespace vramlab::replay {

struct HoleClass {
  PoolKind kind = PoolKind::small;
  /// Sizes from here, a power of two, up to twice as much.
  Bytes from;
  std::uint64_t count = 0;
  Bytes bytes;
  friend bool operator==(const HoleClass&, const HoleClass&) = default;
};

/// The small half first, then by size; classes without holes are left out.
std::vector<HoleClass> holes_by_size(const Snapshot& snapshot);

// A segment's bytes as a row of letters: `#` in use, `~` waiting to be free, `.` free.

/// Each letter stands for an equal part of the segment, and for what most of that part is.
std::string occupancy_map(const SnapshotSegment& segment, std::size_t letters);

}  // namespace vramlab::replay
