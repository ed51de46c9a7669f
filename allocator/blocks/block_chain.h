// BlockChain: the only code that changes how blocks follow each other and how large they are. A
// block made here belongs to the same segment and lane as the one it was cut from.
#pragma once

#include "allocator/blocks/block_arena.h"
#include "allocator/blocks/segment.h"

namespace vramlab::allocator {

class BlockChain {
 public:
  BlockChain(BlockArena& blocks, SegmentTable& segments) : blocks_(blocks), segments_(segments) {}

  /// Cuts `size` off the front as a new block; what was there keeps its identity and the rest.
  BlockIndex split_front(BlockIndex rest, Bytes size) {
    const BlockIndex front = blocks_.create_beside(rest);
    Block& cut = blocks_[front];
    Block& kept = blocks_[rest];
    cut.address = kept.address;
    cut.requested = {};
    cut.set_size(size);
    cut.next = rest;
    cut.follow_as(kept);
    cut.be_as(kept);
    link_from_before(front);
    kept.set_previous(front);
    kept.address = kept.address + size;
    kept.set_size(kept.size() - size);
    return front;
  }

  /// Keeps `size` at the front under its identity; what follows becomes a new block.
  BlockIndex split_back(BlockIndex front, Bytes size) {
    const BlockIndex back = blocks_.create_beside(front);
    Block& cut = blocks_[back];
    Block& kept = blocks_[front];
    cut = kept;
    cut.requested = {};
    cut.address = kept.address + size;
    cut.set_size(kept.size() - size);
    cut.set_previous(front);
    if (cut.next != BlockIndex::none) blocks_[cut.next].set_previous(back);
    kept.next = back;
    kept.set_size(size);
    return back;
  }

  /// Takes the block before into this one, whose identity stays.
  void absorb_previous(BlockIndex index) {
    Block& block = blocks_[index];
    const BlockIndex gone = block.previous();
    const Block& absorbed = blocks_[gone];
    block.address = absorbed.address;
    block.set_size(block.size() + absorbed.size());
    block.follow_as(absorbed);
    link_from_before(index);
    blocks_.destroy(gone);
  }

  /// Takes the block after into this one, whose identity stays.
  void absorb_next(BlockIndex index) {
    Block& block = blocks_[index];
    const BlockIndex gone = block.next;
    const Block& absorbed = blocks_[gone];
    block.set_size(block.size() + absorbed.size());
    block.next = absorbed.next;
    if (block.next != BlockIndex::none) blocks_[block.next].set_previous(index);
    blocks_.destroy(gone);
  }

 private:
  /// Whatever comes before the block, a neighbour or its segment, points to it.
  void link_from_before(BlockIndex index) {
    const Block& block = blocks_[index];
    if (block.is_first())
      segments_[block.segment()].first = index;
    else
      blocks_[block.previous()].next = index;
  }

  BlockArena& blocks_;
  SegmentTable& segments_;
};

}  // namespace vramlab::allocator
