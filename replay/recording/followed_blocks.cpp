#include "replay/recording/followed_blocks.h"

#include <algorithm>

#include "replay/recording/placed_events.h"

namespace vramlab::replay {

namespace {

BlockState state_of(GivenUse use) {
  if (use == GivenUse::live) return BlockState::active_allocated;
  return use == GivenUse::waiting ? BlockState::active_pending_free : BlockState::inactive;
}

void add_block(SnapshotSegment& segment, Address at, const PlacedBlock& block, Bytes requested) {
  segment.blocks.push_back({at, block.size, requested, state_of(block.use)});
  segment.total_size += block.size;
  if (block.use == GivenUse::free) return;
  segment.active_size += block.size;
  segment.requested_size += requested;
  if (block.use == GivenUse::live) segment.allocated_size += block.size;
}

}  // namespace

void FollowedBlocks::begin(const PlacementBlocks& blocks) {
  if (!walk_.times_us.empty()) now_.time_us = walk_.times_us.front();
  for (const auto& [at, block] : blocks.blocks())
    if (block.use != GivenUse::unmapped) grow(block.life, block.size);
  for (const LiveBlock& block : blocks_from_before(history_, walk_, blocks)) add_earlier(block);
  pass(blocks);
}

void FollowedBlocks::event_done(std::size_t event, const PlacementBlocks& blocks) {
  now_.step = event + 1;
  if (!walk_.times_us.empty()) now_.time_us = walk_.times_us[event];
  MemoryEvent told = memory_event(history_, event);
  if (const PlacedBlock* placed = blocks.find({told.block.key})) {
    told.block.bytes = placed->size;
    told.block.life = placed->life;
  }
  apply(told);
  change_segments(event);
  pass(blocks);
}

void FollowedBlocks::pass(const PlacementBlocks& blocks) {
  now_.largest_free = blocks.largest_free();
  moment_passed(now_, blocks);
}

void FollowedBlocks::grow(LifeIndex life, Bytes size) {
  now_.reserved += size;
  segment_grew(life, size);
}

void FollowedBlocks::shrink(LifeIndex life, Bytes size) {
  take(now_.reserved, size);
  segment_shrank(life, size);
}

void FollowedBlocks::change_segments(std::size_t event) {
  const AllocatorEvent what = history_.events[event];
  const auto life = [&] { return walk_.placements.life_of_event[event]; };
  switch (what.action) {
    case Action::segment_alloc:
    case Action::segment_map:
      ++now_.device_gets;
      return grow(life(), what.size);
    case Action::segment_free:
    case Action::segment_unmap:
      ++now_.device_releases;
      return shrink(life(), what.size);
    default:
      return;
  }
}

void FollowedBlocks::block_allocated(const LiveBlock& block) {
  now_.allocated += block.bytes;
  now_.active += block.bytes;
  now_.requested += block.requested;
  block_changed(Change::handed_out, block);
}

void FollowedBlocks::block_was_there(const LiveBlock& block) {
  if (!block.freed) return block_allocated(block);
  now_.active += block.bytes;
  now_.requested += block.requested;
}

void FollowedBlocks::block_freed(const LiveBlock& block) {
  take(now_.allocated, block.bytes);
  block_changed(Change::given_back, block);
}

void FollowedBlocks::block_completed(const LiveBlock& block) {
  take(now_.active, block.bytes);
  take(now_.requested, block.requested);
  block_changed(Change::completed, block);
}

Snapshot snapshot_of(const PlacementBlocks& blocks, const LiveBlocks& in_use,
                     const std::vector<PoolId>& pools) {
  Snapshot snapshot;
  Address end;
  LifeIndex life_before = no_life;
  for (const auto& [at, block] : blocks.blocks()) {
    if (block.use == GivenUse::unmapped) continue;
    if (block.life != life_before || at != end) {
      const SegmentLife& life = blocks.lives()[block.life];
      SnapshotSegment& segment = snapshot.segments.emplace_back();
      segment.address = at;
      segment.stream = life.stream;
      segment.kind = life.kind;
      segment.pool = block.life < pools.size() ? pools[block.life] : default_pool;
      segment.is_expandable = life.is_expandable;
    }
    const LiveBlock* held = in_use.find(at.value);
    add_block(snapshot.segments.back(), at, block, held == nullptr ? Bytes{} : held->requested);
    life_before = block.life;
    end = at + block.size;
  }
  return snapshot;
}

}  // namespace vramlab::replay
