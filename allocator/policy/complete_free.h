// Completing a free: the block merges with its free neighbours and enters the free set.
#pragma once

#include "allocator/policy/core.h"

namespace vramlab::allocator {

/// What the statistics of free blocks in split segments hold of a block.
struct SplitBooking {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};
/// What they hold of a free classic one. Without a branch: whether a segment is split cannot be
/// foreseen.
inline SplitBooking booking_of(const Block& block) {
  const std::int64_t is_split = block.is_whole_segment() ? 0 : 1;
  return {is_split, static_cast<std::int64_t>(block.size().count) & -is_split};
}

/// Merges a block with its free neighbours and puts the result into the free set, in place of one
/// of them if there is one; the change in split segments is booked once. Requires: the block is in
/// no set, and in this lane.
template <class L>
void join_free_set(Core<L>& core, Lane& lane, BlockIndex index, SplitBooking booked) {
  Block& block = core.blocks[index];
  FreeBlocks::Cursor place;
  const auto find_place = [&](BlockIndex neighbour) {
    core.listeners.acted({7, 10});
    ++booked.count;
    booked.bytes += static_cast<std::int64_t>(core.blocks[neighbour].size().count);
    place = core.place_in_free_set(lane, neighbour);
  };
  if (core.is_free_before(index)) {
    find_place(block.previous());
    core.chain().absorb_previous(index);
  }
  if (core.is_free_after(index)) {
    if (place) lane.free.remove_at(place);
    find_place(block.next);
    core.chain().absorb_next(index);
  }
  block.set_use(BlockUse::free);
  if (place)
    core.enter_free_set_at(place, lane, index);
  else
    core.enter_free_set(lane, index);
  if (block.is_expandable()) return;
  const SplitBooking now = booking_of(block);
  core.listeners.inactive_split_changed(lane.kind, now.count - booked.count,
                                        now.bytes - booked.bytes);
}

/// Requires: the block is not in use and nothing is awaited for it any more.
template <class L>
void complete_free(Core<L>& core, BlockIndex index) {
  core.listeners.free_completed(core.fact_of(core.blocks[index]));
  join_free_set(core, core.lane_of(core.blocks[index]), index, {});
}

/// A block that was taken out of the free set and not handed out goes back.
template <class L>
void put_back(Core<L>& core, BlockIndex index) {
  const Block& block = core.blocks[index];
  join_free_set(core, core.lane_of(block), index, booking_of(block));
}

}  // namespace vramlab::allocator
