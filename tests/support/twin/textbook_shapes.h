// The plain things of the textbook twin: blocks, segments, pools, scopes, as the specification
// names them. They are found by walking ordered maps, without regard to speed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/snapshot.h"

namespace vramlab::tests {

using allocator::Address;
using allocator::Bytes;
using allocator::GraphNode;
using allocator::PoolId;
using allocator::PoolKind;
using allocator::StreamId;

struct Segment;
struct PrivatePool;

struct Block {
  Address address;
  Bytes size;
  Bytes requested;
  bool allocated = false;
  bool mapped = true;
  /// Other streams that used it, and those of them that did so during a capture.
  std::set<StreamId> other_streams;
  std::set<StreamId> used_in_capture;
  int outstanding_events = 0;
  /// A deferred block may be reused after these graph nodes; without any, at the capture's end.
  std::vector<GraphNode> reusable_after;
  std::uint64_t stamp = 0;
  /// The number of the block in its pool when it was made.
  std::uint64_t number = 0;
  Segment* segment = nullptr;

  /// Neither handed out nor waiting for another stream. Unmapped blocks count too.
  bool is_free() const { return !allocated && outstanding_events == 0 && other_streams.empty(); }
  Address end() const { return address + size; }
};

/// A small or large pool.
struct Pool {
  PoolId id;
  PoolKind kind = PoolKind::small;
  /// Null for the device's own.
  PrivatePool* owner = nullptr;
  /// By stream, size, age as far as the version asks for it, and address.
  std::map<std::tuple<StreamId, Bytes, std::uint64_t, Address>, Block*> free_blocks;
  std::map<std::tuple<StreamId, Address>, Block*> unmapped_blocks;
  std::uint64_t lookups = 0;
  std::uint64_t blocks_made = 0;
};

struct PoolPair {
  Pool small;
  Pool large;
  explicit PoolPair(PoolId id, PrivatePool* owner = nullptr)
      : small{id, PoolKind::small, owner, {}, {}, 0, 0},
        large{id, PoolKind::large, owner, {}, {}, 0, 0} {}
};

struct PrivatePool {
  std::int64_t use_count = 0;
  std::int64_t segment_count = 0;
  PoolPair pools;
  explicit PrivatePool(PoolId id) : pools(id, this) {}
  PrivatePool(const PrivatePool&) = delete;
  PrivatePool& operator=(const PrivatePool&) = delete;
};

struct Segment {
  Address start;
  StreamId stream;
  Pool* pool = nullptr;
  /// Size of its physical units; 0: a classic segment.
  Bytes unit;
  /// The number of its first block.
  std::uint64_t number = 0;
  std::map<Address, std::unique_ptr<Block>> blocks;

  bool is_expandable() const { return unit.count > 0; }
};

inline bool is_expandable(const Block& block) { return block.segment->is_expandable(); }
inline Pool& pool_of(const Block& block) { return *block.segment->pool; }

/// The neighbours inside the segment; null at its ends.
Block* block_before(const Block& block);
Block* block_after(const Block& block);
/// Part of a split segment.
bool is_split(const Block& block);

Block& add_block(Segment& segment, Address address, Bytes size);
/// Cuts a new block of `size` off the front. The rest stays the old block.
Block& cut_front(Block& block, Bytes size);
/// The neighbour's memory becomes this block's; the neighbour is gone.
void absorb(Block& block, Block& neighbour);

/// The blocks of a segment by ascending address.
std::vector<Block*> blocks_of(const Segment& segment);

struct CaptureScope {
  PoolId pool;
  allocator::StreamFilter accepts;
};

}  // namespace vramlab::tests
