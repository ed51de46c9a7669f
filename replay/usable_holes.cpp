#include "replay/usable_holes.h"

#include <cmath>
#include <map>

#include "allocator/size_rules.h"
#include "replay/largest_requests.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;
using allocator::SnapshotSegment;

/// Free blocks that can be served from, by size: how many.
std::map<Bytes, std::uint64_t> holes_of(std::span<const SnapshotSegment* const> lane,
                                        const allocator::Settings& settings) {
  std::map<Bytes, std::uint64_t> holes;
  for (const SnapshotSegment* segment : lane) {
    if (segment->is_expandable && !settings.expandable_segments) continue;
    for (const allocator::SnapshotBlock& block : segment->blocks)
      if (block.state == allocator::BlockState::inactive) ++holes[block.size];
  }
  return holes;
}

Bytes usable_by(const std::map<Bytes, std::uint64_t>& holes, Bytes size,
                const allocator::Settings& settings) {
  Bytes usable;
  for (auto hole = holes.lower_bound(size); hole != holes.end(); ++hole) {
    if (!may_serve(hole->first, size, settings)) continue;
    // Blocks from the split limit on are handed out whole.
    const bool is_split = size < settings.max_split_size || settings.expandable_segments;
    usable += size * ((is_split ? hole->first / size : 1) * hole->second);
  }
  return usable;
}

}  // namespace

Bytes usable_bytes(std::span<const SnapshotSegment* const> lane, const FragmentationRules& rules) {
  if (lane.empty()) return {};
  const auto holes = holes_of(lane, rules.settings);
  if (holes.empty()) return {};
  long double weighted = 0;
  long double weights = 0;
  for (const auto& [of, count] : rules.requests->counts()) {
    if (of.stream != lane.front()->stream || pool_kind_of(of.size) != lane.front()->kind) continue;
    const long double weight = static_cast<long double>(of.size.count) * count;
    weights += weight;
    weighted += weight * usable_by(holes, of.size, rules.settings).count;
  }
  if (weights == 0) return {};
  return {static_cast<std::uint64_t>(std::llround(weighted / weights))};
}

}  // namespace vramlab::replay
