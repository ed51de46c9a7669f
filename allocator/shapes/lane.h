// Lane: one stream's part of one pool: its free blocks by (size, address) and its unmapped blocks
// by address. A search never leaves its lane, and a block never changes it.
#pragma once

#include <vector>

#include "allocator/shapes/free_blocks.h"
#include "allocator/words/ids.h"
#include "allocator/words/snapshot.h"

namespace vramlab::allocator {

struct Pool;

/// Unmapped blocks by ascending address: a handful, so a sorted row of them.
class UnmappedBlocks {
 public:
  struct Entry {
    Address address;
    BlockIndex block;
  };
  void insert(Address address, BlockIndex block);
  /// Requires: it is there.
  void remove(Address address);
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<Entry> entries_;
};

struct Lane {
  Lane(StreamId stream_id, Pool& of_pool);

  StreamId stream;
  Pool* pool;
  /// As of the pool; here so that hot code needs not look there.
  PoolKind kind;
  /// Which lane of the allocator this is: short enough for blocks and for the history's entries.
  LaneIndex index{};
  FreeBlocks free;
  UnmappedBlocks unmapped;
};

}  // namespace vramlab::allocator
