#include "replay/state/usable_holes.h"

#include <cmath>
#include <map>

#include "allocator/options/size_rules.h"
#include "replay/state/segment_growth.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;
using allocator::SnapshotSegment;

/// Free blocks that can be served from, by size: how many.
using Holes = std::map<Bytes, std::uint64_t>;

Holes holes_of(std::span<const SnapshotSegment* const> lane, const allocator::Settings& settings) {
  Holes holes;
  for (const SnapshotSegment* segment : lane) {
    if (segment->is_expandable && !settings.expandable_segments) continue;
    for (const allocator::SnapshotBlock& block : segment->blocks)
      if (block.state == allocator::BlockState::inactive) ++holes[block.size];
  }
  return holes;
}

Bytes usable_by(const Holes& holes, Bytes size, const allocator::Settings& settings) {
  Bytes usable;
  for (auto hole = holes.lower_bound(size); hole != holes.end(); ++hole) {
    if (is_oversize_mismatch(hole->first, size, settings)) continue;
    // Blocks from the split limit on are handed out whole.
    const bool is_split = size < settings.max_split_size || settings.expandable_segments;
    usable += size * ((is_split ? hole->first / size : 1) * hole->second);
  }
  return usable;
}

/// From a hole that the limits of splitting keep, and from which a segment is grown.
Bytes usable_by_growing(const LaneView& lane, Bytes size) {
  const allocator::Settings& settings = lane.rules.settings;
  if (settings.max_split_size == allocator::unlimited || !may_grow(size, lane)) return {};
  const Bytes hole = hole_grown_for(lane, size);
  if (hole < size || !is_oversize_mismatch(hole, size, settings)) return {};
  return size * (hole / size);
}

}  // namespace

Bytes usable_bytes(const LaneView& lane) {
  if (lane.segments.empty()) return {};
  const auto holes = holes_of(lane.segments, lane.rules.settings);
  if (holes.empty()) return {};
  long double weighted = 0;
  long double weights = 0;
  for (const auto& [of, count] : lane.rules.requests->counts()) {
    if (of.stream != lane.segments.front()->stream ||
        pool_kind_of(of.size) != lane.segments.front()->kind)
      continue;
    const long double weight =
        static_cast<long double>(of.size.count) * static_cast<long double>(count);
    weights += weight;
    const Bytes usable =
        usable_by(holes, of.size, lane.rules.settings) + usable_by_growing(lane, of.size);
    weighted += weight * static_cast<long double>(usable.count);
  }
  if (weights == 0) return {};
  return {static_cast<std::uint64_t>(std::llround(weighted / weights))};
}

}  // namespace vramlab::replay
