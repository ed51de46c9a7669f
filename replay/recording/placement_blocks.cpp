#include "replay/recording/placement_blocks.h"

#include <algorithm>

#include "allocator/policy/best_fit.h"

namespace vramlab::replay {

LifeIndex PlacementBlocks::add(const SegmentLife& life, const std::vector<GivenBlock>& blocks) {
  const auto index = static_cast<LifeIndex>(lives_.size());
  lives_.push_back(life);
  living_.insert(index);
  Address at = life.base;
  for (const GivenBlock& block : blocks) {
    enter(put(at, {block.size, index, block.use}), block.use);
    at = at + block.size;
  }
  return index;
}

/// What is in the way cannot have been there.
auto PlacementBlocks::put(Address at, const PlacedBlock& block) -> Place {
  if (const Place before = blocks_.find(at); before != blocks_.end()) leave(before);
  return blocks_.insert_or_assign(at, block).first;
}

const PlacedBlock* PlacementBlocks::find(Address at) const {
  const auto found = blocks_.find(at);
  return found == blocks_.end() ? nullptr : &found->second;
}

const PlacementBlocks::FreeSet& PlacementBlocks::free_blocks(Class wanted) const {
  const auto found = free_.find(wanted);
  return found == free_.end() ? none_ : found->second;
}

auto PlacementBlocks::neighbour_after(Place block) -> Place {
  const auto next = blocks_.find(block->first + block->second.size);
  return next != blocks_.end() && next->second.life == block->second.life ? next : blocks_.end();
}

auto PlacementBlocks::neighbour_before(Place block) -> Place {
  if (block == blocks_.begin()) return blocks_.end();
  const auto before = std::prev(block);
  return before->second.life == block->second.life &&
                 before->first + before->second.size == block->first
             ? before
             : blocks_.end();
}

void PlacementBlocks::enter(Place block, GivenUse use) {
  block->second.use = use;
  if (use == GivenUse::free)
    free_[class_of(block->second.life)].insert({block->second.size, block->first});
}

void PlacementBlocks::leave(Place block) {
  if (block->second.use == GivenUse::free)
    free_[class_of(block->second.life)].erase({block->second.size, block->first});
}

/// Requires: the block is in no set. Returns the rest, which is in none either.
auto PlacementBlocks::cut(Place block, Bytes front) -> Place {
  PlacedBlock rest = block->second;
  rest.size = rest.size - front;
  block->second.size = front;
  return put(block->first + front, rest);
}

/// Merges with neighbours of the same use and enters the set. Requires: the block is in no set.
auto PlacementBlocks::join(Place block, GivenUse use) -> Place {
  if (const Place next = neighbour_after(block); next != blocks_.end() && next->second.use == use) {
    leave(next);
    block->second.size += next->second.size;
    blocks_.erase(next);
  }
  if (const Place before = neighbour_before(block);
      before != blocks_.end() && before->second.use == use) {
    leave(before);
    before->second.size += block->second.size;
    blocks_.erase(block);
    block = before;
  }
  enter(block, use);
  return block;
}

bool PlacementBlocks::hand_out(Address at, Bytes size) {
  const Place block = blocks_.find(at);
  if (block == blocks_.end() || block->second.use != GivenUse::free || block->second.size < size)
    return false;
  leave(block);
  if (block->second.size > size) enter(cut(block, size), GivenUse::free);
  block->second.use = GivenUse::live;
  return true;
}

bool PlacementBlocks::free(Address at) {
  const Place block = blocks_.find(at);
  if (block == blocks_.end() || block->second.use != GivenUse::live) return false;
  block->second.use = GivenUse::waiting;
  return true;
}

bool PlacementBlocks::complete(Address at) {
  const Place block = blocks_.find(at);
  if (block == blocks_.end() || block->second.use != GivenUse::waiting) return false;
  join(block, GivenUse::free);
  return true;
}

bool PlacementBlocks::is_whole(Address at) const {
  const auto block = blocks_.find(at);
  const SegmentLife& life = lives_[block->second.life];
  return block->first == life.base && block->second.size == life.size;
}

void PlacementBlocks::end_life(LifeIndex life, std::size_t event) {
  lives_[life].end = event;
  living_.erase(life);
}

bool PlacementBlocks::release(Address at, Bytes size, std::size_t event) {
  const Place block = blocks_.find(at);
  if (block == blocks_.end() || block->second.use != GivenUse::free || block->second.size != size ||
      !is_whole(at) || lives_[block->second.life].is_expandable)
    return false;
  leave(block);
  end_life(block->second.life, event);
  blocks_.erase(block);
  return true;
}

bool PlacementBlocks::map(Address at, Bytes size) {
  const Place block = blocks_.find(at);
  if (block == blocks_.end() || block->second.use != GivenUse::unmapped ||
      block->second.size < size)
    return false;
  if (block->second.size > size) cut(block, size);
  join(block, GivenUse::free);
  return true;
}

bool PlacementBlocks::unmap(Address at, Bytes size, std::size_t event) {
  auto block = blocks_.upper_bound(at);
  if (block == blocks_.begin()) return false;
  --block;
  if (block->second.use != GivenUse::free || !lives_[block->second.life].is_expandable ||
      block->first + block->second.size < at + size)
    return false;
  leave(block);
  if (block->first < at) {
    const Place rest = cut(block, at - block->first);
    enter(block, GivenUse::free);
    block = rest;
  }
  if (block->second.size > size) enter(cut(block, size), GivenUse::free);
  block = join(block, GivenUse::unmapped);
  if (is_whole(block->first)) {
    end_life(block->second.life, event);
    blocks_.erase(block);
  }
  return true;
}

Bytes PlacementBlocks::reach(Address at) const {
  const auto block = blocks_.find(at);
  const auto next = blocks_.find(at + block->second.size);
  const bool grows = next != blocks_.end() && next->second.life == block->second.life &&
                     next->second.use == GivenUse::unmapped;
  return grows ? block->second.size + next->second.size : block->second.size;
}

std::optional<Address> PlacementBlocks::place_to_grow(LifeIndex index, Bytes size) const {
  const SegmentLife& life = lives_[index];
  const Address end = life.base + life.size;
  Bytes run;
  std::optional<Address> first_unmapped;
  for (auto at = blocks_.find(life.base); at != blocks_.end() && at->first < end;
       at = blocks_.find(at->first + at->second.size)) {
    const PlacedBlock& block = at->second;
    if (block.life != index) break;
    if (block.use != GivenUse::free && block.use != GivenUse::unmapped) {
      run = {};
      first_unmapped.reset();
      continue;
    }
    run += block.size;
    if (block.use == GivenUse::unmapped && !first_unmapped) first_unmapped = at->first;
    if (first_unmapped && run >= size) return first_unmapped;
  }
  return std::nullopt;
}

LifeIndex PlacementBlocks::reservation_for(Address at, Class wanted) const {
  const auto block = blocks_.find(at);
  if (block == blocks_.end() || block->second.use != GivenUse::unmapped) return no_life;
  const LifeIndex life = block->second.life;
  return class_of(life) == wanted ? life : no_life;
}

namespace {

using FreeSet = PlacementBlocks::FreeSet;

class PlacementSearch {
 public:
  using Place = FreeSet::const_iterator;
  PlacementSearch(const PlacementBlocks& blocks, const PlacementRequest& request,
                  const std::vector<LifeIndex>* among)
      : blocks_(blocks), set_(blocks.free_blocks(request.wanted)), among_(among) {}

  Place first(Bytes rounded) const { return skip(set_.lower_bound({rounded, Address{0}})); }
  Place next(Place at) const { return skip(std::next(at)); }
  Place end() const { return set_.end(); }
  bool is_over(Place at) const { return at == set_.end(); }
  static Bytes size_of(Place at) { return at->first; }
  bool is_expandable(Place at) const {
    return blocks_.lives()[blocks_.find(at->second)->life].is_expandable;
  }
  bool can_grow(Place at) const { return blocks_.reach(at->second) > at->first; }
  bool reaches_as_far(Place at, Place other) const {
    return blocks_.reach(at->second) >= blocks_.reach(other->second);
  }

 private:
  Place skip(Place at) const {
    while (at != set_.end() && among_ != nullptr &&
           std::ranges::find(*among_, blocks_.find(at->second)->life) == among_->end())
      ++at;
    return at;
  }

  const PlacementBlocks& blocks_;
  const FreeSet& set_;
  const std::vector<LifeIndex>* among_;
};

}  // namespace

std::optional<Address> search_placements(const PlacementBlocks& blocks,
                                         const PlacementRequest& request,
                                         const allocator::Settings& settings,
                                         const std::vector<LifeIndex>* among) {
  const PlacementSearch search(blocks, request, among);
  const auto mode = request.expandable_on ? allocator::Mode::expandable : allocator::Mode::classic;
  const auto at = find_best_fit(search, request.rounded, mode, settings);
  if (search.is_over(at)) return std::nullopt;
  return at->second;
}

std::vector<LifeIndex> lives_with_room(const PlacementBlocks& blocks,
                                       const PlacementRequest& request) {
  std::vector<LifeIndex> lives;
  const FreeSet& set = blocks.free_blocks(request.wanted);
  for (auto at = set.lower_bound({request.rounded, Address{0}}); at != set.end(); ++at)
    lives.push_back(blocks.find(at->second)->life);
  std::sort(lives.begin(), lives.end());
  lives.erase(std::unique(lives.begin(), lives.end()), lives.end());
  return lives;
}

}  // namespace vramlab::replay
