// Snapshots: the blocks as values.
#pragma once

#include "allocator/caching_allocator.h"

namespace vramlab::allocator {

inline BlockState block_state_of(const Block& block) {
  switch (block.use()) {
    case BlockUse::live:
      return BlockState::active_allocated;
    case BlockUse::waiting:
      return BlockState::active_pending_free;
    case BlockUse::free:
      return BlockState::inactive;
    case BlockUse::unmapped:
    case BlockUse::being_mapped:
    case BlockUse::unused:
      break;
  }
  check_failed("only mapped blocks are part of a snapshot", __FILE__, __LINE__);
}

/// The run of mapped blocks that begins at `at`; moves `at` behind it.
template <class L>
SnapshotSegment CachingAllocator<L>::snapshot_run(const Segment& segment, BlockIndex& at) const {
  const Lane& lane = core_[segment.lane];
  SnapshotSegment run;
  run.address = core_.blocks[at].address;
  run.stream = lane.stream;
  run.kind = lane.kind;
  run.pool = lane.pool->id;
  run.is_expandable = segment.is_expandable;
  for (; at != BlockIndex::none && core_.blocks[at].is_mapped(); at = core_.blocks[at].next) {
    const Block& block = core_.blocks[at];
    const BlockState state = block_state_of(block);
    run.blocks.push_back({block.address, block.size(), block.requested, state});
    run.total_size += block.size();
    if (state == BlockState::inactive) continue;
    run.active_size += block.size();
    run.requested_size += block.requested;
    if (state == BlockState::active_allocated) run.allocated_size += block.size();
  }
  return run;
}

template <class L>
Snapshot CachingAllocator<L>::take_snapshot() {
  Snapshot snapshot;
  Bytes active;
  for (const auto& [base, index] : core_.segments.by_address()) {
    const Segment& segment = core_.segments[index];
    for (BlockIndex at = segment.first; at != BlockIndex::none;) {
      if (!core_.blocks[at].is_mapped()) {
        at = core_.blocks[at].next;
        continue;
      }
      snapshot.segments.push_back(snapshot_run(segment, at));
      active += snapshot.segments.back().active_size;
    }
  }
  core_.listeners.snapshot_taken(active);
  return snapshot;
}

}  // namespace vramlab::allocator
