#include "replay/metrics/largest_requests.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "allocator/options/size_rules.h"
#include "replay/metrics/segment_growth.h"

namespace vramlab::replay {

namespace {

/// The largest request that is rounded to no more. Requires: whole minimum blocks.
Bytes largest_rounded(Bytes size, const Settings& settings) {
  if (size == Bytes{}) return size;
  const std::uint32_t divisions = settings.roundup_divisions[allocator::rounding_slot(size)];
  if (divisions <= 1 || size <= allocator::minimum_block * divisions) return size;
  const Bytes step{std::bit_floor(size.count) / divisions};
  return step * (size / step);
}

/// The same in this half of a pool; 0 where such a request would go to the other one.
Bytes largest_of_kind(Bytes size, PoolKind kind, const Settings& settings) {
  if (kind == PoolKind::small)
    return largest_rounded(std::min(size, allocator::small_limit), settings);
  const Bytes rounded = largest_rounded(size, settings);
  return rounded > allocator::small_limit ? rounded : Bytes{};
}

/// As a classic segment.
Bytes largest_segment(Bytes device_free, PoolKind kind, const Settings& settings) {
  if (kind == PoolKind::small)
    return device_free >= allocator::small_segment ? allocator::small_limit : Bytes{};
  const Bytes step = allocator::large_segment_step;
  const Bytes whole{device_free / step * step.count};
  if (const Bytes large = largest_rounded(whole, settings); large >= allocator::medium_limit)
    return large;
  // Smaller requests ask for more than they need, unless that was set to less.
  const Bytes below = allocator::medium_limit - allocator::minimum_block;
  return device_size_for_miss(below, settings) <= device_free
             ? largest_of_kind(below, kind, settings)
             : Bytes{};
}

}  // namespace

bool may_grow(Bytes rounded, const LaneView& lane) {
  const Settings& settings = lane.rules.settings;
  return settings.expandable_segments &&
         device_size_for_miss(rounded, settings) <= lane.allowed_left;
}

Bytes largest_cached_request(const LaneView& lane) {
  const Settings& settings = lane.rules.settings;
  Bytes largest;
  for (const SnapshotSegment* segment : lane.segments) {
    // Such memory is passed over while the option is off.
    if (segment->is_expandable && !settings.expandable_segments) continue;
    for (const SnapshotBlock& block : segment->blocks) {
      if (block.state != BlockState::inactive) continue;
      const Bytes request = largest_of_kind(block.size, segment->kind, settings);
      if (request <= largest) continue;
      if (!is_oversize_mismatch(block.size, request, settings) ||
          (may_grow(request, lane) && hole_grown_for(lane, request) >= request))
        largest = request;
    }
  }
  return largest;
}

Bytes largest_new_request(const LaneView& lane, const NewMemory& memory) {
  const PoolKind kind = lane.segments.empty() ? PoolKind::large : lane.segments.front()->kind;
  const Settings& settings = lane.rules.settings;
  if (!settings.expandable_segments)
    return largest_segment(std::min(memory.device_free, lane.allowed_left), kind, settings);
  const Bytes grown = largest_of_kind(largest_growth(lane, memory), kind, settings);
  // The limit is asked as if a segment of its own were needed.
  return std::min(grown, largest_segment(lane.allowed_left, kind, settings));
}

namespace {

/// Free blocks that can be served from, by size: how many.
using Holes = std::map<Bytes, std::uint64_t>;

Holes holes_of(std::span<const SnapshotSegment* const> lane, const Settings& settings) {
  Holes holes;
  for (const SnapshotSegment* segment : lane) {
    if (segment->is_expandable && !settings.expandable_segments) continue;
    for (const SnapshotBlock& block : segment->blocks)
      if (block.state == BlockState::inactive) ++holes[block.size];
  }
  return holes;
}

Bytes usable_by(const Holes& holes, Bytes size, const Settings& settings) {
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
  const Settings& settings = lane.rules.settings;
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
