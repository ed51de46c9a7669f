#include "replay/metrics/release_parts.h"

#include <algorithm>

namespace vramlab::replay {
namespace {

Address end_of(const SnapshotBlock& block) { return block.address + block.size; }

void count_blocks(const SnapshotSegment& segment, ReleasePart& part) {
  const Address end = part.at + part.size;
  part.end_block = part.first_block;
  for (; part.end_block < segment.blocks.size(); ++part.end_block) {
    const SnapshotBlock& block = segment.blocks[part.end_block];
    if (block.address >= end) break;
    if (block.state == BlockState::active_allocated) {
      ++part.live_blocks;
      continue;
    }
    part.idle += std::min(end, end_of(block)) - std::max(part.at, block.address);
  }
}

}  // namespace

std::vector<ReleasePart> release_parts(const SnapshotSegment& segment, Bytes unit) {
  if (!segment.is_expandable) unit = segment.total_size;
  const Address end = segment.address + segment.total_size;
  std::vector<ReleasePart> parts;
  std::size_t first = 0;
  for (Address at = segment.address; at < end; at = parts.back().at + parts.back().size) {
    while (first < segment.blocks.size() && end_of(segment.blocks[first]) <= at) ++first;
    ReleasePart part;
    part.at = at;
    part.size = std::min(unit, end - at);
    part.first_block = first;
    part.is_broken_unit = part.size < unit;
    count_blocks(segment, part);
    parts.push_back(part);
  }
  return parts;
}

}  // namespace vramlab::replay
