// BlockArena: all blocks of one allocator, by small index. Slots are used again; an index stays
// valid while its block lives, a reference only until the next create(). What few blocks need lies
// beside them, in notes, so that the blocks themselves stay small.
#pragma once

#include <cstddef>
#include <vector>

#include "allocator/block.h"

namespace vramlab::allocator {

struct BlockNotes {
  /// The pool's lookup count when the block entered the free set.
  std::uint64_t lookup_stamp = 0;
  /// Other streams that used it, and what is still awaited from them.
  UsesIndex uses = UsesIndex::none;
};

class BlockArena {
 public:
  Block& operator[](BlockIndex index) { return blocks_[static_cast<std::uint32_t>(index)]; }
  const Block& operator[](BlockIndex index) const {
    return blocks_[static_cast<std::uint32_t>(index)];
  }
  BlockNotes& notes(BlockIndex index) { return notes_[static_cast<std::uint32_t>(index)]; }
  const BlockNotes& notes(BlockIndex index) const {
    return notes_[static_cast<std::uint32_t>(index)];
  }

  BlockIndex create() {
    if (unused_.empty()) [[unlikely]] {
      blocks_.emplace_back();
      notes_.emplace_back();
      return static_cast<BlockIndex>(blocks_.size() - 1);
    }
    const BlockIndex index = unused_.back();
    unused_.pop_back();
    return index;
  }

  void destroy(BlockIndex index) {
    (*this)[index].set_use(BlockUse::unused);
    unused_.push_back(index);
  }

  std::size_t slot_count() const { return blocks_.size(); }
  std::size_t unused_count() const { return unused_.size(); }

 private:
  std::vector<Block> blocks_;
  std::vector<BlockNotes> notes_;
  /// The most recently left slot is taken first: it is the likeliest to be in the cache.
  std::vector<BlockIndex> unused_;
};

}  // namespace vramlab::allocator
