// Block: one piece of a segment. Blocks live in a BlockArena and know each other by index, in
// address order; 32 bytes each, two a cache line, because a request touches several of them. Links
// and sizes are changed by BlockChain only, the state by the code that moves a block between sets.
// Facts that few blocks have, such as uses by other streams, lie beside the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "allocator/types/reference_version.h"

namespace vramlab::allocator {

enum class BlockIndex : std::uint32_t { none = 0xffffffff };
enum class SegmentIndex : std::uint32_t {};
enum class UsesIndex : std::uint32_t { none = 0xffffffff };
/// The number of a lane: one stream's part of one pool.
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
  /// Unmapped, and out of its set while the device is asked for memory behind it.
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
  /// The size that it was last asked for. Stays when the block is freed, and with the rest of a
  /// split.
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
  /// Takes over the other block's neighbour before it, or its place as the first of a segment.
  void follow_as(const Block& other) { previous_ = other.previous_; }
  /// Without a branch.
  bool is_whole_segment() const {
    return ((previous_ | ~first_mark) & static_cast<std::uint32_t>(next)) == 0xffffffff;
  }

  /// A block never leaves its lane.
  LaneIndex lane() const { return static_cast<LaneIndex>(facts_ & lane_mask); }
  BlockUse use() const { return static_cast<BlockUse>(facts_ >> use_shift & use_mask); }
  void set_use(BlockUse use) {
    facts_ = (facts_ & ~(use_mask << use_shift)) | static_cast<std::uint32_t>(use) << use_shift;
  }
  /// Takes over the lane, the use and the marks of the other block.
  void be_as(const Block& other) { facts_ = other.facts_; }
  /// Whether there is memory behind it.
  bool is_mapped() const { return use() != BlockUse::unmapped && use() != BlockUse::being_mapped; }
  bool is_expandable() const { return (facts_ & expandable_mark) != 0; }
  void set_expandable() { facts_ |= expandable_mark; }
  /// Whether other streams used it; the arena's notes say which.
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
  /// One number and no bit fields: bit fields are written byte by byte, and a number that is read
  /// soon after one of its bytes was written makes the processor wait.
  std::uint32_t facts_ = 0;
};
static_assert(sizeof(Block) == 32);

/// Sizes are kept in units of 512 bytes in 32 bits, and addresses below this are kept in order with
/// them in 64: no GPU comes near either.
inline constexpr Bytes largest_block{1ULL << 41};
inline constexpr Address highest_address{1ULL << 49};

/// Facts about a block that lie beside it, so that blocks themselves stay small.
struct BlockNotes {
  /// The pool's lookup count when the block entered the free set.
  std::uint64_t lookup_stamp = 0;
  /// Other streams that used it, and the events still awaited from them.
  UsesIndex uses = UsesIndex::none;
  /// Its number among all blocks ever made, or an amount added to the addresses of its segment so
  /// that later segments lie higher; unused where addresses alone count.
  std::uint64_t rank = 0;
};

/// All blocks of one allocator, by small index. Slots are used again; an index stays valid while
/// its block lives, a reference only until the next create().
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
  /// Creates a block of the same segment.
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
  /// Walks along all unused slots.
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

/// The other streams that used a block, and the events still awaited from them before the block can
/// be used again. Few blocks have any.
struct StreamUses {
  /// Ascending; emptied when an event was recorded on each.
  std::vector<StreamId> streams;
  /// Streams recorded during a capture: they need no event after it.
  std::vector<StreamId> in_capture;
  /// For a deferred free: the graph nodes that must have run before the memory is safe. If empty,
  /// only the end of the capture tells.
  std::vector<GraphNode> markers;
  std::uint32_t outstanding_events = 0;
};

/// Slots are used again, and keep their memory.
class StreamUsesTable {
 public:
  StreamUses& operator[](UsesIndex index) { return uses_[static_cast<std::uint32_t>(index)]; }
  const StreamUses& operator[](UsesIndex index) const {
    return uses_[static_cast<std::uint32_t>(index)];
  }
  UsesIndex create();
  void destroy(UsesIndex index);

 private:
  std::vector<StreamUses> uses_;
  std::vector<UsesIndex> unused_;
};

/// Adds a stream to an ascending row, in which each stands once.
void add_stream(std::vector<StreamId>& ascending, StreamId stream);

}  // namespace vramlab::allocator
