#include "replay/metrics/largest_requests.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "allocator/options/size_rules.h"

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

/// The largest request of this half of a pool; 0 where such a request would go to the other half.
Bytes largest_of_kind(Bytes size, PoolKind kind, const Settings& settings) {
  if (kind == PoolKind::small)
    return largest_rounded(std::min(size, allocator::small_limit), settings);
  const Bytes rounded = largest_rounded(size, settings);
  return rounded > allocator::small_limit ? rounded : Bytes{};
}

/// The largest request that a classic segment of its own can serve.
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

// Places where expandable segments grow: the first unmapped addresses with room enough behind them
// are chosen, with the free memory right before them, whether or not the device can fill them.

/// A stretch of an expandable segment, which grows or stops growth.
struct Stretch {
  enum class Of : std::uint8_t { idle, unmapped, live } of = Of::idle;
  Bytes size;
  /// The unit that is mapped into it; all stretches of a segment have the same.
  Bytes unit;
};

void add(std::vector<Stretch>& stretches, const Stretch& added) {
  if (added.size == Bytes{}) return;
  if (!stretches.empty() && stretches.back().of == added.of)
    stretches.back().size += added.size;
  else
    stretches.push_back(added);
}

/// Adds a run of mapped blocks.
void add_run(const SnapshotSegment& run, const FragmentationRules& rules, Cached cached,
             std::vector<Stretch>& stretches) {
  const bool is_released = cached == Cached::released && is_taken_by_release(run.pool, rules);
  const Bytes unit = unit_of(run, rules);
  for (const ReleasePart& part : release_parts(run, unit)) {
    if (is_released && part.is_releasable()) {
      add(stretches, {Stretch::Of::unmapped, part.size, unit});
      continue;
    }
    for (std::size_t i = part.first_block; i < part.end_block; ++i) {
      const SnapshotBlock& block = run.blocks[i];
      const auto from = std::max(block.address, part.at);
      const auto to = std::min(block.address + block.size, part.at + part.size);
      const bool is_live = block.state == BlockState::active_allocated ||
                           (!is_released && block.state != BlockState::inactive);
      add(stretches, {is_live ? Stretch::Of::live : Stretch::Of::idle, to - from, unit});
    }
  }
}

/// A size for the addresses behind the last run and in a new segment: more than any device has.
constexpr Bytes endless{1ULL << 62};

/// The expandable segments of a lane as stretches; nothing grows from one into the next.
class StretchesOfLane {
 public:
  StretchesOfLane(std::span<const SnapshotSegment* const> lane, const FragmentationRules& rules,
                  Cached cached)
      : rules_(rules), cached_(cached) {
    for (const SnapshotSegment* run : lane)
      if (run->is_expandable) add_after_last(*run);
    end_segment();
    const PoolKind kind = lane.empty() ? PoolKind::large : lane.front()->kind;
    const Bytes unit = expandable_unit(kind, rules.settings);
    add(stretches_,
        {Stretch::Of::unmapped,
         rules.new_reservation ? round_up(*rules.new_reservation, unit) : endless, unit});
  }
  std::vector<Stretch> take() { return std::move(stretches_); }

 private:
  void add_after_last(const SnapshotSegment& run) {
    const auto* reservation = reservation_of(run, rules_);
    if (last_ == nullptr || reservation != reservation_) {
      end_segment();
      reservation_ = reservation;
      begin_ = stretches_.size();
      if (reservation != nullptr) add_unmapped(run, run.address - reservation->first);
    } else {
      add_unmapped(run, run.address - end_of_last());
    }
    add_run(run, rules_, cached_, stretches_);
    last_ = &run;
  }

  /// An empty stretch that counts as live keeps the segments apart.
  void end_segment() {
    if (last_ == nullptr) return;
    if (stretches_.size() == begin_ + 1 && stretches_.back().of == Stretch::Of::unmapped) {
      // A segment without mapped memory is released too.
      stretches_.pop_back();
      return;
    }
    const Bytes behind = reservation_ != nullptr
                             ? reservation_->first + reservation_->second.size - end_of_last()
                             : endless;
    add_unmapped(*last_, behind);
    stretches_.push_back({Stretch::Of::live, Bytes{}, Bytes{}});
  }

  void add_unmapped(const SnapshotSegment& run, Bytes size) {
    add(stretches_, {Stretch::Of::unmapped, size, unit_of(run, rules_)});
  }

  Address end_of_last() const { return last_->address + last_->total_size; }

  const FragmentationRules& rules_;
  Cached cached_;
  const SnapshotSegment* last_ = nullptr;
  const std::pair<const Address, Reservation>* reservation_ = nullptr;
  std::vector<Stretch> stretches_;
  /// The index of the first stretch of the last segment.
  std::size_t begin_ = 0;
};

struct Growth {
  /// How far the segment could grow with unlimited memory, and with the memory left.
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
  return growth;
}

bool begins_before(const std::vector<Stretch>& stretches, std::size_t unmapped) {
  return unmapped > 0 && stretches[unmapped - 1].of == Stretch::Of::idle;
}

/// The largest request for which the device has memory to map.
Bytes largest_growth(const LaneView& lane, const NewMemory& memory) {
  const auto stretches = StretchesOfLane(lane.segments, lane.rules, memory.cached).take();
  Bytes largest;
  Bytes room_before;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (stretches[i].of != Stretch::Of::unmapped) continue;
    const Bytes unit = stretches[i].unit;
    const Bytes to_map{memory.device_free / unit * unit.count};
    const Growth growth = growth_from(stretches, begins_before(stretches, i) ? i - 1 : i, to_map);
    if (growth.reach > room_before) largest = std::max(largest, growth.reach);
    room_before = std::max(room_before, growth.room);
  }
  return largest;
}

/// The hole that is grown for a request of this size: where the hole is large enough already,
/// nothing is mapped and the request gets a part of it, whatever the limits of splitting say.
Bytes hole_grown_for(const LaneView& lane, Bytes size) {
  const auto stretches = StretchesOfLane(lane.segments, lane.rules, Cached::kept).take();
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (stretches[i].of != Stretch::Of::unmapped) continue;
    const bool is_hole_before = begins_before(stretches, i);
    if (growth_from(stretches, is_hole_before ? i - 1 : i, Bytes{}).room < size) continue;
    return is_hole_before ? stretches[i - 1].size : Bytes{};
  }
  return {};
}

/// Whether an expandable segment is grown for a request that nothing cached serves, by the limits.
bool may_grow(Bytes rounded, const LaneView& lane) {
  const Settings& settings = lane.rules.settings;
  return settings.expandable_segments &&
         device_size_for_miss(rounded, settings) <= lane.allowed_left;
}

/// The number of free blocks that can serve requests, by size.
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

/// Memory usable from a hole that the limits of splitting keep, but from which a segment is grown.
Bytes usable_by_growing(const LaneView& lane, Bytes size) {
  const Settings& settings = lane.rules.settings;
  if (settings.max_split_size == allocator::unlimited || !may_grow(size, lane)) return {};
  const Bytes hole = hole_grown_for(lane, size);
  if (hole < size || !is_oversize_mismatch(hole, size, settings)) return {};
  return size * (hole / size);
}

}  // namespace

Bytes largest_cached_request(const LaneView& lane) {
  const Settings& settings = lane.rules.settings;
  Bytes largest;
  for (const SnapshotSegment* segment : lane.segments) {
    // Expandable memory is passed over while the option is off.
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
