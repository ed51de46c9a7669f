// PlacementBlocks: segments and blocks as a history shows them, every block where it was recorded.
// Which pool a block is in plays no part, so this runs before pools are known. Plain and slow
// enough to be obviously right; the engine is not involved.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/words/directed.h"
#include "replay/history/live_blocks.h"

namespace vramlab::replay {

struct SegmentLife {
  allocator::Address base;
  allocator::Bytes size;
  allocator::StreamId stream;
  allocator::PoolKind kind = allocator::PoolKind::small;
  bool is_expandable = false;
  /// Empty if nothing says it.
  std::optional<allocator::PoolId> pool;
  /// Events: the one that began it (0 where it was there at the start), the one that ended it.
  std::size_t begin = 0;
  std::size_t end = ~std::size_t{0};
};

struct PlacedBlock {
  allocator::Bytes size;
  LifeIndex life = no_life;
  allocator::GivenUse use = allocator::GivenUse::free;
};

class PlacementBlocks {
 public:
  /// Which free blocks compete for a request.
  struct Class {
    allocator::StreamId stream;
    allocator::PoolKind kind;
    friend auto operator<=>(const Class&, const Class&) = default;
  };
  using FreeSet = std::set<std::pair<allocator::Bytes, allocator::Address>>;

  LifeIndex add(const SegmentLife& life, const std::vector<allocator::GivenBlock>& blocks);
  /// False where what is recorded cannot be.
  bool hand_out(allocator::Address at, allocator::Bytes size);
  /// It waits until complete().
  bool free(allocator::Address at);
  bool complete(allocator::Address at);
  bool release(allocator::Address at, allocator::Bytes size, std::size_t event);
  bool map(allocator::Address at, allocator::Bytes size);
  bool unmap(allocator::Address at, allocator::Bytes size, std::size_t event);

  const PlacedBlock* find(allocator::Address at) const;
  const FreeSet& free_blocks(Class wanted) const;
  const std::map<Class, FreeSet>& all_free_blocks() const { return free_; }
  /// The block's size and that of the unmapped addresses right behind it.
  allocator::Bytes reach(allocator::Address at) const;
  bool is_whole(allocator::Address at) const;
  /// The reservation of this class that the address lies in or right behind the mapped part of.
  LifeIndex reservation_for(allocator::Address at, Class wanted) const;

  /// The lowest unmapped addresses of a reservation where so much could be had.
  std::optional<allocator::Address> place_to_grow(LifeIndex index, allocator::Bytes size) const;

  const std::vector<SegmentLife>& lives() const { return lives_; }
  std::vector<SegmentLife>& lives() { return lives_; }
  Class class_of(LifeIndex life) const { return {lives_[life].stream, lives_[life].kind}; }
  const std::set<LifeIndex>& living() const { return living_; }
  const std::map<allocator::Address, PlacedBlock>& blocks() const { return blocks_; }

 private:
  using Place = std::map<allocator::Address, PlacedBlock>::iterator;

  Place put(allocator::Address at, const PlacedBlock& block);
  Place neighbour_after(Place block);
  Place neighbour_before(Place block);
  void enter(Place block, allocator::GivenUse use);
  void leave(Place block);
  Place cut(Place block, allocator::Bytes front);
  Place join(Place block, allocator::GivenUse use);
  void end_life(LifeIndex life, std::size_t event);

  std::map<allocator::Address, PlacedBlock> blocks_;
  std::map<Class, FreeSet> free_;
  FreeSet none_;
  std::vector<SegmentLife> lives_;
  std::set<LifeIndex> living_;
};

// The search rules over placed blocks: which of some free blocks a request would get.

struct PlacementRequest {
  allocator::Bytes rounded;
  PlacementBlocks::Class wanted;
  bool expandable_on = false;
};

/// Searches all lives, or only those in `among`.
std::optional<allocator::Address> search_placements(const PlacementBlocks& blocks,
                                                    const PlacementRequest& request,
                                                    const allocator::Settings& settings,
                                                    const std::vector<LifeIndex>* among = nullptr);

/// Lives with a free block that is large enough.
std::vector<LifeIndex> lives_with_room(const PlacementBlocks& blocks,
                                       const PlacementRequest& request);

}  // namespace vramlab::replay
