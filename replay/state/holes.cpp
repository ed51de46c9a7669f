#include "replay/state/holes.h"

#include <bit>
#include <map>

namespace vramlab::replay {

std::vector<HoleClass> holes_by_size(const allocator::Snapshot& snapshot) {
  std::map<std::pair<allocator::PoolKind, allocator::Bytes>, HoleClass> classes;
  for (const allocator::SnapshotSegment& segment : snapshot.segments)
    for (const allocator::SnapshotBlock& block : segment.blocks) {
      if (block.state != allocator::BlockState::inactive) continue;
      const allocator::Bytes from{std::bit_floor(block.size.count)};
      HoleClass& hole_class = classes[{segment.kind, from}];
      hole_class.kind = segment.kind;
      hole_class.from = from;
      ++hole_class.count;
      hole_class.bytes += block.size;
    }
  std::vector<HoleClass> found;
  for (const auto& [key, hole_class] : classes) found.push_back(hole_class);
  return found;
}

}  // namespace vramlab::replay
