// ShadowMemory: for each address, the accesses that later ones must be ordered with. A live block
// keeps those of its own addresses, older blocks' included. Freed memory keeps them by address
// until it is handed out again, when blocks may overlap in part.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "streams/happens_before/vector_clock.h"
#include "streams/hazards/hazard.h"
#include "streams/memory/free_gaps.h"

namespace vramlab::streams {

/// From the numbers of blocks to their places. Numbers that are used are few and asked for all the
/// time, so they lie close together: open addressing, at most half full.
class BlockIndex {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  std::uint32_t find(BlockNumber block) const {
    for (std::size_t at = home_of(block);; at = next(at)) {
      if (entries_[at].place == none) return none;
      if (entries_[at].block == block) return entries_[at].place;
    }
  }
  /// Requires: the block isn't there yet.
  void add(BlockNumber block, std::uint32_t place) {
    if (2 * ++count_ > entries_.size()) grow();
    put({block, place});
  }
  /// Requires: the block is there.
  void erase(BlockNumber block) {
    std::size_t hole = home_of(block);
    while (entries_[hole].block != block) hole = next(hole);
    --count_;
    // Entries that a full place pushed on move back, so that they are found without the hole.
    for (std::size_t at = next(hole); entries_[at].place != none; at = next(at)) {
      const std::size_t home = home_of(entries_[at].block);
      if (((at - home) & (entries_.size() - 1)) < ((at - hole) & (entries_.size() - 1))) continue;
      entries_[hole] = entries_[at];
      hole = at;
    }
    entries_[hole] = {};
  }

 private:
  struct Entry {
    BlockNumber block{};
    std::uint32_t place = none;
  };

  std::size_t home_of(BlockNumber block) const {
    return (block.value * 0x9e3779b97f4a7c15ULL >> 32) & (entries_.size() - 1);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (entries_.size() - 1); }
  void put(const Entry& entry) {
    std::size_t at = home_of(entry.block);
    while (entries_[at].place != none) at = next(at);
    entries_[at] = entry;
  }
  void grow() {
    const std::vector<Entry> before = std::exchange(entries_, {});
    entries_.resize(2 * before.size());
    for (const Entry& entry : before)
      if (entry.place != none) put(entry);
  }

  std::size_t count_ = 0;
  /// The size is a power of two.
  std::vector<Entry> entries_ = std::vector<Entry>(64);
};

/// One access, kept small: there are many, and each is looked at often.
struct MemoryAccess {
  Epoch epoch{};
  std::uint64_t tag = 0;
  std::uint64_t site = 0;
  std::uint64_t number = 0;
  BlockNumber block{};
  /// All of the block, or the part of it that still counts.
  AddressRange range{};
  StreamAt captured_on{};
  ThreadId thread{};
  WorkKind kind = WorkKind::kernel;
  bool reads : 1 = false;
  bool writes : 1 = false;
  bool is_node : 1 = false;
  /// The block was requested on the stream that the work is on.
  bool is_on_own_stream : 1 = false;
};

struct ShadowBlock {
  BlockNumber number{};
  AddressRange range{};
  StreamAt stream{};
  bool is_of_graph = false;
  /// Only freed blocks of graphs stay here.
  bool is_freed = false;
  std::vector<MemoryAccess> accesses{};
  /// The number of the item that was last seen to read and to write it.
  std::uint64_t reader = 0;
  std::uint64_t writer = 0;
};

struct FreedBlock {
  BlockNumber number{};
  AddressRange range{};
  HazardSide free{};
};

class ShadowMemory {
 public:
  /// The block gets earlier accesses to its addresses. Requires: numbers grow, and live blocks
  /// don't overlap.
  ShadowBlock& hand_out(const ShadowBlock& block);
  /// Null where the block was freed, except for blocks of graphs. Requires: it was handed out. The
  /// pointer is valid until the next hand-out or free.
  ShadowBlock* find(BlockNumber block);
  /// Null where the block is not freed, or was freed so long ago that it is forgotten.
  const FreedBlock* find_freed(BlockNumber block) const;
  /// `ended`: clocks of work that comes before any other use of the memory in any case.
  void free(ShadowBlock& block, const HazardSide& side, std::span<const VectorClock* const> ended);
  /// Accesses there do not matter any more.
  void release(std::uint32_t device, AddressRange range);
  /// For a block of a graph's pool: other blocks at some of its addresses, freed ones too.
  std::span<const BlockNumber> overlapping(const ShadowBlock& block) const;
  /// For each line of the clocks, whether an access stands on it.
  std::vector<bool> used_lines(std::size_t line_count) const;

 private:
  struct Place {
    std::uint32_t device = 0;
    std::uint64_t begin = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  /// Accesses to addresses that are free now. No two ranges overlap.
  struct Remains {
    std::uint64_t end = 0;
    std::vector<MemoryAccess> accesses;
  };
  using RemainsMap = std::map<Place, Remains>;

  /// So many freed blocks are remembered, to say where they were freed.
  static constexpr std::size_t most_freed = 4096;

  ShadowBlock& at(BlockNumber block) { return blocks_[index_.find(block)]; }
  void forget(const ShadowBlock& block);
  RemainsMap::iterator first_at(std::uint32_t device, AddressRange range);
  std::vector<MemoryAccess> take(std::uint32_t device, AddressRange range);
  void keep(std::uint32_t device, AddressRange range, const std::vector<MemoryAccess>& accesses);
  void link_graph_block(const ShadowBlock& block);
  void forget_graph_blocks(std::uint32_t device, AddressRange range);

  BlockIndex index_;
  std::vector<ShadowBlock> blocks_;
  std::vector<std::uint32_t> free_places_;
  BlockNumber last_{};
  RemainsMap remains_;
  /// A ring of the blocks freed last, looked at only for reports.
  std::vector<FreedBlock> freed_;
  std::size_t next_freed_ = 0;
  /// All blocks of graphs, each with the blocks that it overlaps.
  std::map<BlockNumber, std::vector<BlockNumber>> graph_blocks_;
};

/// The addresses that both ranges have; empty where they share none.
AddressRange common_range(AddressRange a, AddressRange b);

}  // namespace vramlab::streams
