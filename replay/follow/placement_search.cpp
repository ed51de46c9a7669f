#include "replay/follow/placement_search.h"

#include <algorithm>

#include "allocator/options/size_rules.h"

namespace vramlab::replay {
namespace {

using allocator::Address;
using allocator::Bytes;
using FreeSet = PlacementBlocks::FreeSet;

class PlacementSearch {
 public:
  PlacementSearch(const PlacementBlocks& blocks, const PlacementRequest& request,
                  const std::vector<LifeIndex>* among)
      : blocks_(blocks), set_(blocks.free_blocks(request.wanted)), among_(among) {}

  FreeSet::const_iterator begin_at(Bytes rounded) const {
    return skip(set_.lower_bound({rounded, Address{0}}));
  }
  FreeSet::const_iterator next(FreeSet::const_iterator at) const { return skip(std::next(at)); }
  bool is_over(FreeSet::const_iterator at) const { return at == set_.end(); }
  bool is_expandable(FreeSet::const_iterator at) const {
    return blocks_.lives()[blocks_.find(at->second)->life].is_expandable;
  }

 private:
  FreeSet::const_iterator skip(FreeSet::const_iterator at) const {
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
  auto at = search.begin_at(request.rounded);
  if (search.is_over(at)) return std::nullopt;
  if (!request.expandable_on) {
    if (search.is_expandable(at))
      while (!search.is_over(at) && search.is_expandable(at)) at = search.next(at);
  } else {
    while (search.is_expandable(at)) {
      const auto next = search.next(at);
      if (search.is_over(next) || blocks.reach(next->second) >= blocks.reach(at->second)) break;
      at = next;
    }
  }
  if (search.is_over(at) || is_oversize_mismatch(at->first, request.rounded, settings))
    return std::nullopt;
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
