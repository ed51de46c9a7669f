// BlockArena: all blocks of one allocator, by small index. Slots are used again; an index stays
// valid while its block lives, a reference only until the next create(). What few blocks need lies
// beside them, in notes, so that the blocks themselves stay small.
#pragma once

#include <cstddef>
#include <vector>

#include "allocator/blocks/block.h"
#include "allocator/types/reference_version.h"

namespace vramlab::allocator {

struct BlockNotes {
  /// The pool's lookup count when the block entered the free set.
  std::uint64_t lookup_stamp = 0;
  /// Other streams that used it, and what is still awaited from them.
  UsesIndex uses = UsesIndex::none;
  /// Its number among all blocks ever made, or what is added to the addresses of its segment so
  /// that later segments lie higher; unused where addresses alone count.
  std::uint64_t rank = 0;
};

class BlockArena {
 public:
  explicit BlockArena(AmongSameSize ranks = AmongSameSize::lowest_address) : ranks_(ranks) {}

  Block& operator[](BlockIndex index) { return blocks_[static_cast<std::uint32_t>(index)]; }
  const Block& operator[](BlockIndex index) const {
    return blocks_[static_cast<std::uint32_t>(index)];
  }
  BlockNotes& notes(BlockIndex index) { return notes_[static_cast<std::uint32_t>(index)]; }
  const BlockNotes& notes(BlockIndex index) const {
    return notes_[static_cast<std::uint32_t>(index)];
  }

  BlockIndex create() {
    if (first_unused_ == BlockIndex::none) [[unlikely]]
      add_slot();
    const BlockIndex index = first_unused_;
    first_unused_ = (*this)[index].next;
    if (ranks_ == AmongSameSize::oldest_block) [[unlikely]]
      notes(index).rank = ++made_count_;
    return index;
  }
  /// A block of the same segment.
  BlockIndex create_beside(BlockIndex other) {
    const BlockIndex index = create();
    if (ranks_ == AmongSameSize::oldest_segment) [[unlikely]]
      notes(index).rank = notes(other).rank;
    return index;
  }

  void destroy(BlockIndex index) {
    Block& block = (*this)[index];
    block.set_use(BlockUse::unused);
    block.next = first_unused_;
    first_unused_ = index;
  }

  std::size_t slot_count() const { return blocks_.size(); }
  /// Walks along all of them.
  std::size_t unused_count() const {
    std::size_t count = 0;
    for (BlockIndex i = first_unused_; i != BlockIndex::none; i = (*this)[i].next) ++count;
    return count;
  }

 private:
  [[gnu::noinline]] void add_slot() {
    blocks_.emplace_back();
    notes_.emplace_back();
    destroy(static_cast<BlockIndex>(blocks_.size() - 1));
  }

  std::vector<Block> blocks_;
  std::vector<BlockNotes> notes_;
  /// Unused slots are linked. The most recently left one is taken first: it is the likeliest to be
  /// in the cache.
  BlockIndex first_unused_ = BlockIndex::none;
  AmongSameSize ranks_;
  std::uint64_t made_count_ = 0;
};

}  // namespace vramlab::allocator
