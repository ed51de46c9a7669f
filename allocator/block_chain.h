// BlockChain: the only code that changes how blocks follow each other and how large they are. A
// block made here belongs to the same segment and lane as the one it was cut from.
#pragma once

#include "allocator/block_arena.h"
#include "allocator/segment.h"

namespace vramlab::allocator {

class BlockChain {
 public:
  BlockChain(BlockArena& blocks, SegmentTable& segments) : blocks_(blocks), segments_(segments) {}

  /// Cuts `size` off the front as a new block; what was there keeps its identity and the rest.
  BlockIndex split_front(BlockIndex rest, Bytes size) {
    const BlockIndex front = blocks_.create();
    Block& cut = blocks_[front];
    Block& kept = blocks_[rest];
    cut = part_of(kept);
    cut.address = kept.address;
    cut.size = size;
    cut.previous = kept.previous;
    cut.next = rest;
    if (kept.previous == BlockIndex::none)
      segments_[kept.segment].first = front;
    else
      blocks_[kept.previous].next = front;
    kept.previous = front;
    kept.address = kept.address + size;
    kept.size -= size;
    return front;
  }

  /// Keeps `size` at the front under its identity; what follows becomes a new block.
  BlockIndex split_back(BlockIndex front, Bytes size) {
    const BlockIndex back = blocks_.create();
    Block& cut = blocks_[back];
    Block& kept = blocks_[front];
    cut = part_of(kept);
    cut.address = kept.address + size;
    cut.size = kept.size - size;
    cut.previous = front;
    cut.next = kept.next;
    if (kept.next != BlockIndex::none) blocks_[kept.next].previous = back;
    kept.next = back;
    kept.size = size;
    return back;
  }

  /// Takes the block before into this one, whose identity stays.
  void absorb_previous(BlockIndex index) {
    Block& block = blocks_[index];
    const BlockIndex gone = block.previous;
    const Block& absorbed = blocks_[gone];
    block.address = absorbed.address;
    block.size += absorbed.size;
    block.previous = absorbed.previous;
    if (block.previous == BlockIndex::none)
      segments_[block.segment].first = index;
    else
      blocks_[block.previous].next = index;
    blocks_.destroy(gone);
  }

  /// Takes the block after into this one, whose identity stays.
  void absorb_next(BlockIndex index) {
    Block& block = blocks_[index];
    const BlockIndex gone = block.next;
    const Block& absorbed = blocks_[gone];
    block.size += absorbed.size;
    block.next = absorbed.next;
    if (block.next != BlockIndex::none) blocks_[block.next].previous = index;
    blocks_.destroy(gone);
  }

 private:
  static Block part_of(const Block& whole) {
    Block part;
    part.lane = whole.lane;
    part.segment = whole.segment;
    part.is_expandable = whole.is_expandable;
    return part;
  }

  BlockArena& blocks_;
  SegmentTable& segments_;
};

}  // namespace vramlab::allocator
