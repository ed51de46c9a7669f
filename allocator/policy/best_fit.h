// Best fit: the smallest free block of a lane that is large enough, lowest address first (or oldest
// block first, as the version says), with the exceptions for expandable and oversize blocks. The
// rule stands apart from what it searches.
#pragma once

#include "allocator/options/size_rules.h"
#include "allocator/policy/core.h"

namespace vramlab::allocator {

/// With the option off, the search goes on past expandable blocks.
template <class Order>
[[gnu::noinline]] auto pass_expandable(const Order& search, typename Order::Place at) {
  while (!search.is_over(at) && search.is_expandable(at)) at = search.next(at);
  return at;
}

/// With the option on, the search goes on to blocks that reach less far: room to grow is kept for
/// requests that need it.
template <class Order>
auto pass_growable(const Order& search, typename Order::Place at) {
  // A block that cannot grow stops the walk: blocks behind it are no smaller.
  while (search.is_expandable(at) && search.can_grow(at)) {
    const auto next = search.next(at);
    if (search.is_over(next) || search.reaches_as_far(next, at)) break;
    at = next;
  }
  return at;
}

/// The block that a request of this size takes, or the end. `Order` goes along the free blocks of a
/// lane in their order.
template <class Order>
auto find_best_fit(const Order& search, Bytes rounded, Mode mode, const Settings& settings) {
  auto at = search.first(rounded);
  if (search.is_over(at)) return at;
  if (search.is_expandable(at)) {
    at = mode == Mode::expandable ? pass_growable(search, at) : pass_expandable(search, at);
    if (search.is_over(at)) return at;
  }
  return is_oversize_mismatch(search.size_of(at), rounded, settings) ? search.end() : at;
}

/// A search in a lane of an allocator.
template <class L>
class LaneSearch {
 public:
  using Place = FreeBlocks::Cursor;
  LaneSearch(const Core<L>& core, const Lane& lane) : core_(core), lane_(lane) {}

  Place first(Bytes rounded) const { return lane_.free.at_or_after(rounded); }
  Place next(Place at) const { return lane_.free.next(at); }
  static Place end() { return {}; }
  static bool is_over(Place at) { return !at; }
  Bytes size_of(Place at) const { return block_at(at).size(); }
  bool is_expandable(Place at) const { return block_at(at).is_expandable(); }
  bool can_grow(Place at) const { return can_grow(block_at(at)); }
  /// A block that can grow to the end of the addresses reaches further on a larger device.
  bool reaches_as_far(Place at, Place other) const;

 private:
  const Block& block_at(Place at) const { return core_.blocks[lane_.free.block_at(at)]; }
  /// Whether unmapped addresses lie right behind it.
  bool can_grow(const Block& block) const { return core_.has_use(block.next, BlockUse::unmapped); }
  /// How far the block could grow in place.
  Bytes reach_of(const Block& block) const {
    return can_grow(block) ? block.size() + core_.blocks[block.next].size() : block.size();
  }
  bool reaches_the_end(const Block& block) const {
    return can_grow(block) && core_.blocks[block.next].next == BlockIndex::none;
  }

  const Core<L>& core_;
  const Lane& lane_;
};

template <class L>
[[gnu::noinline]] bool LaneSearch<L>::reaches_as_far(Place at, Place other) const {
  const Bytes reach = reach_of(block_at(at));
  const Bytes of_other = reach_of(block_at(other));
  const bool is_first_last = reaches_the_end(block_at(at));
  const bool is_other_last = reaches_the_end(block_at(other));
  if (!is_first_last && !is_other_last) return reach >= of_other;
  const Bytes unit = expandable_unit(lane_.kind, core_.settings);
  if (core_.margin.has_uneven_reservations())
    core_.margin.note_anything();
  else if (is_first_last && !is_other_last && reach < of_other)
    core_.margin.note_growth(lane_.kind, unit, of_other - reach);
  else if (!is_first_last && is_other_last && reach >= of_other)
    core_.margin.note_growth(lane_.kind, unit, reach - of_other + Bytes{1});
  return reach >= of_other;
}

}  // namespace vramlab::allocator
