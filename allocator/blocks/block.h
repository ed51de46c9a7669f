// Block: one piece of a segment. Blocks live in an arena and know each other by index, in address
// order; 32 bytes each, two a cache line, because a request touches several of them. The links and
// sizes are changed by block_chain only, the state by the code that moves a block between sets.
#pragma once

#include <cstdint>

#include "allocator/types/check.h"
#include "allocator/types/ids.h"

namespace vramlab::allocator {

enum class BlockIndex : std::uint32_t { none = 0xffffffff };
enum class SegmentIndex : std::uint32_t {};
enum class UsesIndex : std::uint32_t { none = 0xffffffff };
/// A lane by its number; see lane.h.
enum class LaneIndex : std::uint32_t {};

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
  /// The same, out of its set while the device is asked for memory behind it.
  being_mapped,
};

class alignas(32) Block {
 public:
  Block() = default;
  /// A segment's first block, which covers all of it.
  Block(Address at, Bytes bytes, SegmentIndex of_segment, LaneIndex in_lane)
      : address(at),
        previous_(first_mark | static_cast<std::uint32_t>(of_segment)),
        facts_(static_cast<std::uint32_t>(in_lane) & lane_mask) {
    set_size(bytes);
  }

  Address address;
  /// What it was last asked for. Stays when the block is freed, and with the rest of a split.
  Bytes requested;

  Bytes size() const { return {std::uint64_t{units_} << unit_bits}; }
  void set_size(Bytes bytes) { units_ = static_cast<std::uint32_t>(bytes.count >> unit_bits); }
  Address end() const { return address + size(); }

  BlockIndex next = BlockIndex::none;
  BlockIndex previous() const {
    return is_first() ? BlockIndex::none : static_cast<BlockIndex>(previous_);
  }
  /// The neighbour before this block, whose own index is `self`; `self` where there is none.
  /// Without a branch.
  BlockIndex previous_or(BlockIndex self) const {
    const std::uint32_t is_first_mask = 0U - (previous_ >> 31);
    return static_cast<BlockIndex>((previous_ & ~is_first_mask) |
                                   (static_cast<std::uint32_t>(self) & is_first_mask));
  }
  void set_previous(BlockIndex block) { previous_ = static_cast<std::uint32_t>(block); }
  /// The first block of a segment knows the segment in place of a neighbour.
  bool is_first() const { return (previous_ & first_mark) != 0; }
  SegmentIndex segment() const {
    check(is_first(), "the first block of a segment knows the segment");
    return static_cast<SegmentIndex>(previous_ & ~first_mark);
  }
  /// As the other block: its neighbour before it, or that it is first in its segment.
  void follow_as(const Block& other) { previous_ = other.previous_; }
  /// Without a branch.
  bool is_whole_segment() const {
    return ((previous_ | ~first_mark) & static_cast<std::uint32_t>(next)) == 0xffffffff;
  }

  /// One stream's part of one pool; a block never leaves it.
  LaneIndex lane() const { return static_cast<LaneIndex>(facts_ & lane_mask); }
  BlockUse use() const { return static_cast<BlockUse>(facts_ >> use_shift & use_mask); }
  void set_use(BlockUse use) {
    facts_ = (facts_ & ~(use_mask << use_shift)) | static_cast<std::uint32_t>(use) << use_shift;
  }
  /// The lane, the use and what it is otherwise.
  void be_as(const Block& other) { facts_ = other.facts_; }
  /// There is memory behind it.
  bool is_mapped() const { return use() != BlockUse::unmapped && use() != BlockUse::being_mapped; }
  bool is_expandable() const { return (facts_ & expandable_mark) != 0; }
  void set_expandable() { facts_ |= expandable_mark; }
  /// Other streams used it; the arena's notes say which.
  bool has_stream_uses() const { return (facts_ & stream_uses_mark) != 0; }
  void set_stream_uses(bool has) {
    facts_ = (facts_ & ~stream_uses_mark) | (has ? stream_uses_mark : 0);
  }

 private:
  static constexpr unsigned unit_bits = 9;
  static constexpr std::uint32_t first_mark = 0x80000000;
  static constexpr std::uint32_t lane_mask = 0x00ffffff;
  static constexpr unsigned use_shift = 24;
  static constexpr std::uint32_t use_mask = 7;
  static constexpr std::uint32_t expandable_mark = 1U << 27;
  static constexpr std::uint32_t stream_uses_mark = 1U << 28;

  std::uint32_t units_ = 0;
  std::uint32_t previous_ = 0;
  /// One number and no bit fields: those are written byte by byte, and a number that is read soon
  /// after one of its bytes was written makes the processor wait.
  std::uint32_t facts_ = 0;
};
static_assert(sizeof(Block) == 32);

/// Sizes are kept in units of 512 bytes in 32 bits, and addresses below this are kept in order with
/// them in 64: no GPU comes near either.
inline constexpr Bytes largest_block{1ULL << 41};
inline constexpr Address highest_address{1ULL << 49};

}  // namespace vramlab::allocator
