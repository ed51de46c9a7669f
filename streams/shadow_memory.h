// ShadowMemory: for each address, the accesses that later ones must be ordered with. A live block
// keeps those of its own addresses, older blocks' included; what was freed keeps them by address
// until it is handed out again, when blocks may overlap in part.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "streams/address_range.h"
#include "streams/hazard.h"
#include "streams/vector_clock.h"

namespace vramlab::streams {

struct MemoryAccess {
  Epoch epoch{};
  HazardSide side{};
  BlockNumber block{};
  /// All of the block, or what is left of it.
  AddressRange range{};
  /// The block was requested on the stream that the work is on.
  bool is_on_own_stream = false;
};

struct ShadowBlock {
  BlockNumber number{};
  AddressRange range{};
  StreamAt stream{};
  bool is_of_graph = false;
  bool is_freed = false;
  /// Set once it is freed.
  HazardSide freed{};
  /// Other streams that the free waits for.
  std::vector<StreamAt> uses{};
  std::vector<MemoryAccess> accesses{};
  /// Of a graph's pool: others at some of the same addresses, freed ones too.
  std::vector<BlockNumber> overlapping{};
  /// The number of the item that was last seen to read and to write it.
  std::uint64_t reader = 0;
  std::uint64_t writer = 0;
};

class ShadowMemory {
 public:
  /// With what was done on its addresses before. Requires: numbers grow, live blocks don't overlap.
  ShadowBlock& hand_out(const ShadowBlock& block);
  /// Null where it was freed so long ago that it is forgotten. Requires: it was handed out. Holds
  /// until the next hand-out or free.
  ShadowBlock* find(BlockNumber block);
  /// `ended`: what comes before any other use of the memory in any case.
  void free(ShadowBlock& block, const HazardSide& side, std::span<const VectorClock* const> ended);
  /// Nothing that was done there matters any more.
  void release(std::uint32_t device, AddressRange range);
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

  RemainsMap::iterator first_at(std::uint32_t device, AddressRange range);
  std::vector<MemoryAccess> take(std::uint32_t device, AddressRange range);
  void keep(std::uint32_t device, AddressRange range, const std::vector<MemoryAccess>& accesses);
  void link_graph_block(ShadowBlock& block);
  void forget_graph_blocks(std::uint32_t device, AddressRange range);

  std::unordered_map<std::uint64_t, ShadowBlock> blocks_;
  std::deque<BlockNumber> freed_;
  std::vector<BlockNumber> graph_blocks_;
  RemainsMap remains_;
  BlockNumber last_;
};

/// The addresses that both have; empty at the first's end where there are none.
AddressRange common_range(AddressRange a, AddressRange b);

}  // namespace vramlab::streams
