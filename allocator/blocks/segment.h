// Segment: one range got from the device by one call, or one reservation that is mapped piece by
// piece. SegmentTable keeps them by index and finds them by address. BlockChain is the only code
// that changes how the blocks of a segment follow each other and how large they are.
#pragma once

#include <map>
#include <vector>

#include "allocator/blocks/block.h"
#include "allocator/types/bytes_and_ids.h"

namespace vramlab::allocator {

struct Segment {
  Address base;
  /// In an expandable segment: the reserved addresses, mapped or not.
  Bytes size;
  /// In an expandable segment: the size of its physical units.
  Bytes unit;
  LaneIndex lane{};
  BlockIndex first = BlockIndex::none;
  bool is_expandable = false;
};

class SegmentTable {
 public:
  Segment& operator[](SegmentIndex index) { return segments_[static_cast<std::uint32_t>(index)]; }
  const Segment& operator[](SegmentIndex index) const {
    return segments_[static_cast<std::uint32_t>(index)];
  }

  SegmentIndex create(const Segment& segment);
  void destroy(SegmentIndex index);

  /// The segment that an address lies in. Requires: there is one.
  SegmentIndex containing(Address address) const;
  /// All segments, by ascending base address.
  const std::map<Address, SegmentIndex>& by_address() const { return by_address_; }
  std::size_t expandable_count() const { return expandable_count_; }

 private:
  std::vector<Segment> segments_;
  std::vector<SegmentIndex> unused_;
  std::map<Address, SegmentIndex> by_address_;
  std::size_t expandable_count_ = 0;
};

/// A block made here belongs to the same segment and lane as the block it was cut from.
class BlockChain {
 public:
  BlockChain(BlockArena& blocks, SegmentTable& segments) : blocks_(blocks), segments_(segments) {}

  /// Cuts `size` off the front as a new block; the old block keeps its identity and the rest.
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

  /// Keeps `size` at the front under its identity; the bytes behind it become a new block.
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
  /// The neighbour before the block, or its segment, points to it.
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
