// ShadowMemory: for each address, the accesses that later ones must be ordered with. A live block
// keeps those of its own addresses, older blocks' included; what was freed keeps them by address
// until it is handed out again, when blocks may overlap in part.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "streams/happens_before/vector_clock.h"
#include "streams/hazards/block_index.h"
#include "streams/hazards/hazard.h"
#include "streams/memory/address_range.h"

namespace vramlab::streams {

/// What there is to know of an access, kept small: there are many, and each is looked at often.
struct MemoryAccess {
  Epoch epoch{};
  std::uint64_t tag = 0;
  std::uint64_t site = 0;
  std::uint64_t number = 0;
  BlockNumber block{};
  /// All of the block, or what is left of it.
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
  /// Only those of graphs stay here then.
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
  /// With what was done on its addresses before. Requires: numbers grow, live blocks don't overlap.
  ShadowBlock& hand_out(const ShadowBlock& block);
  /// Null where it was freed, but for graphs' blocks. Requires: it was handed out. What it answers
  /// holds until the next hand-out or free.
  ShadowBlock* find(BlockNumber block);
  /// Null where it is not freed, or was so long ago that it is forgotten.
  const FreedBlock* find_freed(BlockNumber block) const;
  /// `ended`: what comes before any other use of the memory in any case.
  void free(ShadowBlock& block, const HazardSide& side, std::span<const VectorClock* const> ended);
  /// What was done there does not matter any more.
  void release(std::uint32_t device, AddressRange range);
  /// For a graph's pool: others at some of the same addresses, freed ones too.
  std::span<const BlockNumber> overlapping(const ShadowBlock& block) const;
  /// By line of the clocks: whether an access stands on it.
  std::vector<bool> used_lines(std::size_t line_count) const;

 private:
  struct Place {
    std::uint32_t device = 0;
    std::uint64_t begin = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  /// What was done on addresses that are free now. No two overlap.
  struct Remains {
    std::uint64_t end = 0;
    std::vector<MemoryAccess> accesses;
  };
  using RemainsMap = std::map<Place, Remains>;

  /// How many freed blocks are remembered, to say where they were freed.
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
  /// A ring: the last of them, looked at only for reports.
  std::vector<FreedBlock> freed_;
  std::size_t next_freed_ = 0;
  /// All blocks of graphs, with those that they overlap.
  std::map<BlockNumber, std::vector<BlockNumber>> graph_blocks_;
};

/// The addresses that both have; empty at the first's end where there are none.
AddressRange common_range(AddressRange a, AddressRange b);

}  // namespace vramlab::streams
