// Completing a free: the block merges with its free neighbours and enters the free set.
#pragma once

#include "allocator/core.h"

namespace vramlab::allocator {

/// Requires: the block is not in use and nothing is awaited for it any more.
template <class L>
void complete_free(Core<L>& core, BlockIndex index) {
  const Block& block = core.blocks[index];
  core.listeners.free_completed(core.fact_of(block));
  std::int64_t split_count = 0;
  std::int64_t split_bytes = 0;
  if (core.has_use(block.previous(), BlockUse::free)) {
    const Block& previous = core.blocks[block.previous()];
    --split_count;
    split_bytes -= static_cast<std::int64_t>(previous.size().count);
    core.leave_free_set(previous);
    core.chain.absorb_previous(index);
  }
  if (core.has_use(block.next, BlockUse::free)) {
    const Block& next = core.blocks[block.next];
    --split_count;
    split_bytes -= static_cast<std::int64_t>(next.size().count);
    core.leave_free_set(next);
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

}  // namespace vramlab::allocator
