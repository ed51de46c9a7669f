#include "replay/metrics/pinners.h"

#include <algorithm>

#include "replay/metrics/release_parts.h"

namespace vramlab::replay {
namespace {

/// What does not divide goes to the first ones.
void share_out(const SnapshotSegment& segment, const ReleasePart& part,
               std::vector<Pinner>& by_block) {
  const Bytes share{part.idle.count / part.live_blocks};
  std::uint64_t rest = part.idle.count % part.live_blocks;
  for (std::size_t i = part.first_block; i < part.end_block; ++i) {
    if (segment.blocks[i].state != BlockState::active_allocated) continue;
    Pinner& pinner = by_block[i];
    pinner.strands += share;
    if (rest > 0) {
      pinner.strands += Bytes{1};
      --rest;
    }
    pinner.beside = std::max(pinner.beside, part.live_blocks - 1);
    if (part.live_blocks == 1 && !part.is_broken_unit) pinner.released_alone += part.size;
  }
}

void describe(const SnapshotSegment& segment, const SnapshotBlock& block, Pinner& pinner) {
  pinner.lane = {segment.pool, segment.kind, segment.stream};
  pinner.is_expandable = segment.is_expandable;
  pinner.segment = segment.address;
  pinner.segment_size = segment.total_size;
  pinner.at = block.address;
  pinner.size = block.size;
  pinner.requested = block.requested;
}

void add_pinners(const SnapshotSegment& segment, const FragmentationRules& rules,
                 std::vector<Pinner>& found) {
  std::vector<Pinner> by_block(segment.blocks.size());
  for (const ReleasePart& part : release_parts(segment, unit_of(segment, rules)))
    if (part.live_blocks > 0) share_out(segment, part, by_block);
  for (std::size_t i = 0; i < by_block.size(); ++i) {
    if (by_block[i].strands == Bytes{}) continue;
    describe(segment, segment.blocks[i], by_block[i]);
    if (!is_taken_by_release(segment.pool, rules)) by_block[i].released_alone = {};
    found.push_back(by_block[i]);
  }
}

bool strands_more(const Pinner& a, const Pinner& b) {
  return a.strands != b.strands ? a.strands > b.strands : a.at < b.at;
}

}  // namespace

std::vector<Pinner> find_pinners(const Snapshot& snapshot, const FragmentationRules& rules,
                                 std::size_t limit) {
  std::vector<Pinner> found;
  for (const SnapshotSegment& segment : snapshot.segments) add_pinners(segment, rules, found);
  const std::size_t shown = std::min(limit, found.size());
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(shown),
                            strands_more);
  found.resize(shown);
  return found;
}

}  // namespace vramlab::replay
