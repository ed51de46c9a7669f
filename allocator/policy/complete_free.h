// Completing a free: the block merges with its free neighbours and enters the free set.
#pragma once

#include "allocator/policy/core.h"

namespace vramlab::allocator {

/// What the statistics of free blocks in split segments hold of a block already.
struct SplitBooking {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

/// Merges a block with its free neighbours and puts the result into the free set; the change in
/// split segments is booked once. Requires: the block is in no set.
template <class L>
void join_free_set(Core<L>& core, BlockIndex index, const SplitBooking& booked) {
  const Block& block = core.blocks[index];
  std::int64_t split_count = -booked.count;
  std::int64_t split_bytes = -booked.bytes;
  if (core.has_use(block.previous(), BlockUse::free)) {
    core.listeners.acted({7, 10});
    const Block& previous = core.blocks[block.previous()];
    --split_count;
    split_bytes -= static_cast<std::int64_t>(previous.size().count);
    core.leave_free_set(block.previous());
    core.chain.absorb_previous(index);
  }
  if (core.has_use(block.next, BlockUse::free)) {
    core.listeners.acted({7, 10});
    const Block& next = core.blocks[block.next];
    --split_count;
    split_bytes -= static_cast<std::int64_t>(next.size().count);
    core.leave_free_set(block.next);
    core.chain.absorb_next(index);
  }
  core.enter_free_set(index);
  if (block.is_expandable()) return;
  if (!block.is_whole_segment()) {
    ++split_count;
    split_bytes += static_cast<std::int64_t>(block.size().count);
  }
  core.listeners.inactive_split_changed(core.lane_of(block).kind, split_count, split_bytes);
}

/// Requires: the block is not in use and nothing is awaited for it any more.
template <class L>
void complete_free(Core<L>& core, BlockIndex index) {
  core.listeners.free_completed(core.fact_of(core.blocks[index]));
  join_free_set(core, index, {});
}

/// A block that was taken out of the free set and not handed out goes back.
template <class L>
void put_back(Core<L>& core, BlockIndex index) {
  const Block& block = core.blocks[index];
  SplitBooking booked;
  if (!block.is_whole_segment()) booked = {1, static_cast<std::int64_t>(block.size().count)};
  join_free_set(core, index, booked);
}

}  // namespace vramlab::allocator
