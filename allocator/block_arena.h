// BlockArena: all blocks of one allocator, by small index. Slots are used again; an index stays
// valid while its block lives, a reference only until the next create().
#pragma once

#include <cstddef>
#include <vector>

#include "allocator/block.h"

namespace vramlab::allocator {

class BlockArena {
 public:
  Block& operator[](BlockIndex index) { return blocks_[static_cast<std::uint32_t>(index)]; }
  const Block& operator[](BlockIndex index) const {
    return blocks_[static_cast<std::uint32_t>(index)];
  }

  BlockIndex create() {
    if (unused_.empty()) {
      blocks_.emplace_back();
      return static_cast<BlockIndex>(blocks_.size() - 1);
    }
    const BlockIndex index = unused_.back();
    unused_.pop_back();
    return index;
  }

  void destroy(BlockIndex index) {
    (*this)[index].use = BlockUse::unused;
    unused_.push_back(index);
  }

  std::size_t slot_count() const { return blocks_.size(); }
  std::size_t unused_count() const { return unused_.size(); }

 private:
  std::vector<Block> blocks_;
  /// The most recently left slot is taken first: it is the likeliest to be in the cache.
  std::vector<BlockIndex> unused_;
};

}  // namespace vramlab::allocator
