// What of a segment goes back to the device together or not at all: the whole of a classic segment,
// each unit of an expandable one.
#pragma once

#include <cstddef>
#include <vector>

#include "allocator/types/snapshot.h"

namespace vramlab::replay {

struct ReleasePart {
  Address at;
  Bytes size;
  /// Free, or waiting, which a release waits for.
  Bytes idle;
  /// Live blocks that lie in it, also in part.
  std::uint64_t live_blocks = 0;
  /// The blocks that lie in it, also in part: half-open.
  std::size_t first_block = 0;
  std::size_t end_block = 0;
  /// Less than a unit, as some recordings have it: nothing gives that back.
  bool is_broken_unit = false;

  bool is_releasable() const { return live_blocks == 0 && !is_broken_unit; }
};

/// By ascending address; together they are the segment. The unit is that of an expandable one.
std::vector<ReleasePart> release_parts(const SnapshotSegment& segment, Bytes unit);

}  // namespace vramlab::replay
