// Block: one piece of a segment. Blocks live in an arena and know each other by index, in address
// order; 64 bytes each, one cache line. The links and sizes are changed by block_chain only, the
// state by the code that moves a block from one set to another.
#pragma once

#include <cstdint>

#include "allocator/ids.h"

namespace vramlab::allocator {

struct Lane;

enum class BlockIndex : std::uint32_t { none = 0xffffffff };
enum class SegmentIndex : std::uint32_t { none = 0xffffffff };
enum class UsesIndex : std::uint32_t { none = 0xffffffff };

enum class BlockUse : std::uint8_t {
  /// The slot holds no block.
  unused,
  /// Handed out.
  live,
  /// Freed by its owner; other streams may still work on it.
  waiting,
  /// In the free set of its lane.
  free,
  /// A range of addresses without memory behind it.
  unmapped,
};

struct alignas(64) Block {
  Address address;
  Bytes size;
  /// What it was last asked for. Stays when the block is freed, and with the rest of a split.
  Bytes requested;
  /// One stream's part of one pool; a block never leaves it.
  Lane* lane = nullptr;
  /// The pool's lookup count when the block entered the free set.
  std::uint64_t lookup_stamp = 0;
  BlockIndex previous = BlockIndex::none;
  BlockIndex next = BlockIndex::none;
  SegmentIndex segment = SegmentIndex::none;
  /// Other streams that used it, and what is still awaited from them.
  UsesIndex uses = UsesIndex::none;
  BlockUse use = BlockUse::unused;
  bool is_expandable = false;

  Address end() const { return address + size; }
  bool is_whole_segment() const { return previous == BlockIndex::none && next == BlockIndex::none; }
};
static_assert(sizeof(Block) == 64);

}  // namespace vramlab::allocator
