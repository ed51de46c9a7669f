// PlacementBlocks: segments and blocks as a history shows them, every block where it was recorded.
// Which pool a block is in plays no part, so this runs before pools are known. Plain and slow
// enough to be obviously right; the engine is not involved.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/directed.h"
#include "replay/recording/live_blocks.h"

namespace vramlab::replay {

struct SegmentLife {
  Address base;
  Bytes size;
  StreamId stream;
  PoolKind kind = PoolKind::small;
  bool is_expandable = false;
  /// Empty if nothing says it.
  std::optional<PoolId> pool;
  /// Events: the one that began it (0 where it was there at the start), the one that ended it.
  std::size_t begin = 0;
  std::size_t end = ~std::size_t{0};
};

struct PlacedBlock {
  Bytes size;
  LifeIndex life = no_life;
  GivenUse use = GivenUse::free;
};

class PlacementBlocks {
 public:
  /// Which free blocks compete for a request.
  struct Class {
    StreamId stream;
    PoolKind kind;
    friend auto operator<=>(const Class&, const Class&) = default;
  };
  using FreeSet = std::set<std::pair<Bytes, Address>>;

  LifeIndex add(const SegmentLife& life, const std::vector<GivenBlock>& blocks);
  /// False where what is recorded cannot be.
  bool hand_out(Address at, Bytes size);
  /// It waits until complete().
  bool free(Address at);
  bool complete(Address at);
  bool release(Address at, Bytes size, std::size_t event);
  bool map(Address at, Bytes size);
  bool unmap(Address at, Bytes size, std::size_t event);

  const PlacedBlock* find(Address at) const;
  const FreeSet& free_blocks(Class wanted) const;
  const std::map<Class, FreeSet>& all_free_blocks() const { return free_; }
  /// The block's size and that of the unmapped addresses right behind it.
  Bytes reach(Address at) const;
  bool is_whole(Address at) const;
  /// The reservation of this class that the address lies in or right behind the mapped part of.
  LifeIndex reservation_for(Address at, Class wanted) const;

  /// The lowest unmapped addresses of a reservation where so much could be had.
  std::optional<Address> place_to_grow(LifeIndex index, Bytes size) const;

  const std::vector<SegmentLife>& lives() const { return lives_; }
  std::vector<SegmentLife>& lives() { return lives_; }
  Class class_of(LifeIndex life) const { return {lives_[life].stream, lives_[life].kind}; }
  const std::set<LifeIndex>& living() const { return living_; }
  const std::map<Address, PlacedBlock>& blocks() const { return blocks_; }

 private:
  using Place = std::map<Address, PlacedBlock>::iterator;

  Place put(Address at, const PlacedBlock& block);
  Place neighbour_after(Place block);
  Place neighbour_before(Place block);
  void enter(Place block, GivenUse use);
  void leave(Place block);
  Place cut(Place block, Bytes front);
  Place join(Place block, GivenUse use);
  void end_life(LifeIndex life, std::size_t event);

  std::map<Address, PlacedBlock> blocks_;
  std::map<Class, FreeSet> free_;
  FreeSet none_;
  std::vector<SegmentLife> lives_;
  std::set<LifeIndex> living_;
};

// The search rules over placed blocks: which of some free blocks a request would get.

struct PlacementRequest {
  Bytes rounded;
  PlacementBlocks::Class wanted;
  bool expandable_on = false;
};

/// Searches all lives, or only those in `among`.
std::optional<Address> search_placements(const PlacementBlocks& blocks,
                                         const PlacementRequest& request,
                                         const allocator::Settings& settings,
                                         const std::vector<LifeIndex>* among = nullptr);

/// Lives with a free block that is large enough.
std::vector<LifeIndex> lives_with_room(const PlacementBlocks& blocks,
                                       const PlacementRequest& request);

}  // namespace vramlab::replay
