#include "replay/largest_requests.h"

#include <algorithm>

#include "allocator/size_rules.h"
#include "replay/release_parts.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;
using allocator::PoolKind;
using allocator::Settings;
using allocator::SnapshotBlock;
using allocator::SnapshotSegment;

Bytes largest_of(const SnapshotBlock& block, PoolKind kind, const Settings& settings) {
  if (kind == PoolKind::large) return block.size > allocator::small_limit ? block.size : Bytes{};
  const Bytes request = std::min(block.size, allocator::small_limit);
  return may_serve(block.size, request, settings) ? request : Bytes{};
}

/// As a classic segment.
Bytes largest_segment(Bytes device_free, PoolKind kind, const Settings& settings) {
  if (kind == PoolKind::small)
    return device_free >= allocator::small_segment ? allocator::small_limit : Bytes{};
  const Bytes step = allocator::large_segment_step;
  const Bytes whole{device_free / step * step.count};
  if (whole >= allocator::medium_limit) return whole;
  // Smaller requests ask for more than they need, unless that was set to less.
  const Bytes below = allocator::medium_limit - allocator::minimum_block;
  return device_size_for_miss(below, settings) <= device_free ? below : Bytes{};
}

/// A stretch of an expandable segment: what grows, and what stops it.
struct Stretch {
  enum class Of : std::uint8_t { idle, unmapped, live } of = Of::idle;
  Bytes size;
};

void add(std::vector<Stretch>& stretches, Stretch::Of of, Bytes size) {
  if (size == Bytes{}) return;
  if (!stretches.empty() && stretches.back().of == of)
    stretches.back().size += size;
  else
    stretches.push_back({of, size});
}

/// Of a run of mapped blocks when what can be unmapped was.
void add_run(const SnapshotSegment& run, const FragmentationRules& rules,
             std::vector<Stretch>& stretches) {
  const bool is_released = is_taken_by_release(run.pool, rules);
  for (const ReleasePart& part : release_parts(run, rules.settings)) {
    if (is_released && part.is_releasable()) {
      add(stretches, Stretch::Of::unmapped, part.size);
      continue;
    }
    for (std::size_t i = part.first_block; i < part.end_block; ++i) {
      const SnapshotBlock& block = run.blocks[i];
      const auto from = std::max(block.address, part.at);
      const auto to = std::min(block.address + block.size, part.at + part.size);
      const bool is_live = block.state == allocator::BlockState::active_allocated ||
                           (!is_released && block.state != allocator::BlockState::inactive);
      add(stretches, is_live ? Stretch::Of::live : Stretch::Of::idle, to - from);
    }
  }
}

std::vector<Stretch> stretches_of(std::span<const SnapshotSegment* const> lane,
                                  const FragmentationRules& rules) {
  std::vector<Stretch> stretches;
  std::optional<allocator::Address> end;
  for (const SnapshotSegment* run : lane) {
    if (!run->is_expandable) continue;
    if (end) add(stretches, Stretch::Of::unmapped, run->address - *end);
    add_run(*run, rules, stretches);
    end = run->address + run->total_size;
  }
  return stretches;
}

/// Behind the last run, and in a new segment, are more addresses than a device has memory.
constexpr Bytes endless{1ULL << 62};

struct Growth {
  /// How far it could grow with all the memory it wants, and with what there is.
  Bytes room;
  Bytes reach;
};

Growth growth_from(const std::vector<Stretch>& stretches, std::size_t first, Bytes to_map) {
  Growth growth;
  for (std::size_t i = first; i < stretches.size(); ++i) {
    const Stretch& stretch = stretches[i];
    if (stretch.of == Stretch::Of::live) return growth;
    const bool reaches = growth.reach == growth.room;
    growth.room += stretch.size;
    if (!reaches) continue;
    if (stretch.of == Stretch::Of::idle) {
      growth.reach += stretch.size;
      continue;
    }
    const Bytes mapped = std::min(stretch.size, to_map);
    to_map -= mapped;
    growth.reach += mapped;
  }
  growth.room = endless;
  growth.reach += to_map;
  return growth;
}

/// The first stretch that has room enough is grown, whether or not there is memory to fill it.
Bytes largest_growth(std::vector<Stretch> stretches, Bytes to_map) {
  stretches.push_back({Stretch::Of::unmapped, endless});
  Bytes largest;
  Bytes room_before;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (stretches[i].of != Stretch::Of::unmapped) continue;
    const bool has_free_before = i > 0 && stretches[i - 1].of == Stretch::Of::idle;
    const Growth growth = growth_from(stretches, has_free_before ? i - 1 : i, to_map);
    if (growth.reach > room_before) largest = std::max(largest, growth.reach);
    room_before = std::max(room_before, growth.room);
  }
  return largest;
}

}  // namespace

bool may_serve(Bytes block, Bytes rounded, const Settings& settings) {
  if (rounded < settings.max_split_size) return block < settings.max_split_size;
  return block < rounded + settings.max_non_split_rounding;
}

Bytes largest_cached_request(std::span<const SnapshotSegment* const> lane,
                             const Settings& settings) {
  Bytes largest;
  for (const SnapshotSegment* segment : lane) {
    // Such memory is passed over while the option is off.
    if (segment->is_expandable && !settings.expandable_segments) continue;
    for (const SnapshotBlock& block : segment->blocks)
      if (block.state == allocator::BlockState::inactive)
        largest = std::max(largest, largest_of(block, segment->kind, settings));
  }
  return largest;
}

Bytes largest_new_request(std::span<const SnapshotSegment* const> lane,
                          const FragmentationRules& rules, Bytes device_free) {
  const PoolKind kind = lane.empty() ? PoolKind::large : lane.front()->kind;
  if (!rules.settings.expandable_segments)
    return largest_segment(device_free, kind, rules.settings);
  const Bytes unit = expandable_unit(kind, rules.settings);
  const Bytes to_map{device_free / unit * unit.count};
  const Bytes largest = largest_growth(stretches_of(lane, rules), to_map);
  if (kind == PoolKind::small) return std::min(largest, allocator::small_limit);
  return largest > allocator::small_limit ? largest : Bytes{};
}

}  // namespace vramlab::replay
