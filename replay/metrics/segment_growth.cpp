#include "replay/metrics/segment_growth.h"

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "replay/metrics/release_parts.h"

namespace vramlab::replay {
namespace {

/// A stretch of an expandable segment: what grows, and what stops it.
struct Stretch {
  enum class Of : std::uint8_t { idle, unmapped, live } of = Of::idle;
  Bytes size;
  /// The unit that is mapped into it; all of a segment have the same.
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

/// Behind the last run, and in a new segment, are more addresses than a device has memory.
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
    add(stretches_, {Stretch::Of::unmapped, endless, expandable_unit(kind, rules.settings)});
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

  /// A wall of nothing live keeps the segments apart.
  void end_segment() {
    if (last_ == nullptr) return;
    if (stretches_.size() == begin_ + 1 && stretches_.back().of == Stretch::Of::unmapped) {
      // No part of it is left, so it is released too.
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
  /// The beginning of the last segment among them.
  std::size_t begin_ = 0;
};

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
  return growth;
}

bool begins_before(const std::vector<Stretch>& stretches, std::size_t unmapped) {
  return unmapped > 0 && stretches[unmapped - 1].of == Stretch::Of::idle;
}

}  // namespace

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

}  // namespace vramlab::replay
