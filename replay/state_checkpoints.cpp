#include "replay/state_checkpoints.h"

#include <algorithm>

#include "allocator/check.h"
#include "allocator/size_rules.h"

namespace vramlab::replay {

using allocator::Action;
using allocator::Address;
using allocator::AllocatorEvent;
using allocator::BlockState;
using allocator::Bytes;
using allocator::GivenUse;

namespace {

/// A range can be unmapped that was mapped in pieces, or a part of one that was mapped at once.
void unmap(std::map<Address, MappedRange>& mapped, Address at, Bytes size) {
  const Address end = at + size;
  auto range = mapped.upper_bound(at);
  if (range != mapped.begin()) --range;
  while (range != mapped.end() && range->first < end) {
    const auto [begin, old] = *range;
    const Address old_end = begin + old.size;
    if (old_end <= at) {
      ++range;
      continue;
    }
    range = mapped.erase(range);
    if (begin < at) mapped[begin] = {at - begin, old.life};
    if (old_end > end) mapped[end] = {old_end - end, old.life};
  }
}

BlocksAtMoment blocks_at_start(const PlacementBlocks& placed, const StartingState& start) {
  const auto requested = requested_at_start(start);
  BlocksAtMoment blocks;
  for (const auto& [at, block] : placed.blocks()) {
    if (block.use == GivenUse::unmapped) continue;
    blocks.mapped[at] = {block.size, block.life};
    if (block.use == GivenUse::free) continue;
    blocks.held[at] = {block.size, requested.at(at), block.life, block.use == GivenUse::waiting,
                       std::nullopt};
  }
  return blocks;
}

}  // namespace

/// Learns how large the blocks are and keeps a state now and then.
class StateCheckpoints::Collector : public PlacementWatcher {
 public:
  explicit Collector(StateCheckpoints& checkpoints) : checkpoints_(checkpoints) {}

  void begin(const PlacementBlocks& blocks) override {
    now_ = blocks_at_start(blocks, checkpoints_.explained_.start);
  }
  void event_done(std::size_t event, const PlacementBlocks& blocks) override {
    if (checkpoints_.history_.events[event].action == Action::alloc)
      if (const PlacedBlock* placed = blocks.find(checkpoints_.history_.events[event].address))
        checkpoints_.placed_sizes_[event] =
            static_cast<std::uint32_t>(placed->size / allocator::minimum_block);
    go_on_until(event + 1);
  }
  void go_on_until(std::size_t end) {
    for (; next_ < end; ++next_) {
      if (next_ % checkpoints_.interval_ == 0) checkpoints_.checkpoints_.push_back(now_);
      checkpoints_.apply(next_, now_);
    }
  }

 private:
  StateCheckpoints& checkpoints_;
  BlocksAtMoment now_;
  /// Events have gone by up to here, those without a place too.
  std::size_t next_ = 0;
};

StateCheckpoints::StateCheckpoints(const DeviceHistory& history, const ExplainedHistory& explained,
                                   const allocator::Settings& settings, std::size_t interval)
    : history_(history),
      explained_(explained),
      interval_(interval),
      placed_sizes_(history.events.size()) {
  check(interval > 0, "checkpoints are some events apart");
  Collector collector(*this);
  watch_placements(
      {history, explained.start, explained.calls, settings, explained.placements.reservation},
      collector);
  collector.go_on_until(history.events.size());
}

void StateCheckpoints::apply(std::size_t event, BlocksAtMoment& blocks) const {
  const AllocatorEvent& what = history_.events[event];
  const LifeIndex life = explained_.placements.life_of_event[event];
  switch (what.action) {
    case Action::alloc:
      if (placed_sizes_[event] > 0)
        blocks.held[what.address] = {allocator::minimum_block * placed_sizes_[event], what.size,
                                     life, false, event};
      return;
    case Action::free_requested:
      if (const auto held = blocks.held.find(what.address); held != blocks.held.end())
        held->second.is_waiting = true;
      return;
    case Action::free_completed:
      blocks.held.erase(what.address);
      return;
    case Action::segment_alloc:
    case Action::segment_map:
      if (life != no_life) blocks.mapped[what.address] = {what.size, life};
      return;
    case Action::segment_free:
    case Action::segment_unmap:
      return unmap(blocks.mapped, what.address, what.size);
    case Action::snapshot:
    case Action::oom:
      return;
  }
}

BlocksAtMoment StateCheckpoints::after(std::size_t event) const {
  check(event < history_.events.size(), "a state is asked for after an event of the history");
  const std::size_t checkpoint = event / interval_;
  BlocksAtMoment blocks = checkpoints_[checkpoint];
  for (std::size_t i = checkpoint * interval_; i <= event; ++i) apply(i, blocks);
  return blocks;
}

allocator::Snapshot StateCheckpoints::snapshot_after(std::size_t event) const {
  const BlocksAtMoment blocks = after(event);
  allocator::Snapshot snapshot;
  for (auto range = blocks.mapped.begin(); range != blocks.mapped.end();) {
    const Address begin = range->first;
    MappedRange run{Bytes{}, range->second.life};
    for (; range != blocks.mapped.end() && range->first == begin + run.size &&
           range->second.life == run.life;
         ++range)
      run.size += range->second.size;
    snapshot.segments.push_back(segment_of(blocks, begin, run));
  }
  return snapshot;
}

allocator::SnapshotSegment StateCheckpoints::segment_of(const BlocksAtMoment& blocks, Address begin,
                                                        const MappedRange& run) const {
  const SegmentLife& life = explained_.placements.lives[run.life];
  allocator::SnapshotSegment segment;
  segment.address = begin;
  segment.total_size = run.size;
  segment.stream = life.stream;
  segment.kind = life.kind;
  segment.pool = explained_.pools[run.life];
  segment.is_expandable = life.is_expandable;
  Address at = begin;
  const Address end = begin + run.size;
  const auto add_hole_until = [&](Address next) {
    if (at < next) segment.blocks.push_back({at, next - at, Bytes{}, BlockState::inactive});
  };
  for (auto held = blocks.held.lower_bound(begin); held != blocks.held.end() && held->first < end;
       ++held) {
    const CheckpointBlock& block = held->second;
    add_hole_until(held->first);
    segment.blocks.push_back(
        {held->first, block.size, block.requested,
         block.is_waiting ? BlockState::active_pending_free : BlockState::active_allocated});
    segment.active_size += block.size;
    segment.requested_size += block.requested;
    if (!block.is_waiting) segment.allocated_size += block.size;
    at = held->first + block.size;
  }
  add_hole_until(end);
  return segment;
}

}  // namespace vramlab::replay
