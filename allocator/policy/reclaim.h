// Reclaim: the ladder's ways to give cached memory back to the device: garbage collection by age,
// just enough oversize blocks, and everything that is cached.
#pragma once

#include <vector>

#include "allocator/policy/frees.h"
#include "allocator/policy/segment_source.h"

namespace vramlab::allocator {

template <class L>
class Reclaim {
 public:
  Reclaim(Core<L>& core, SegmentSource<L>& source, CrossStreamFrees<L>& frees)
      : core_(core), source_(source), frees_(frees) {}

  /// Requires: the settings and the limit ask for garbage collection.
  void collect_garbage();
  struct Garbage {
    std::vector<BlockIndex> blocks;
    /// Bytes picked by the passes before the last one: too few.
    Bytes before_last_pass;
  };
  /// The blocks that so many passes release, unless the target is reached before.
  Garbage pick_garbage(Bytes target, unsigned pass_limit) const;
  struct Oversized {
    std::vector<BlockIndex> blocks;
    bool is_enough = false;
  };
  /// The oversize blocks to release, as if the blocks at addresses of `is_gone` did not exist.
  template <class IsGone>
  Oversized pick_oversize(const Lane& lane, Bytes rounded, IsGone is_gone) const;
  void release_blocks(const std::vector<BlockIndex>& picked) {
    for (const BlockIndex index : picked) source_.release(index);
  }
  /// The blocks that a release of the pool takes: first the whole classic ones, then those of
  /// expandable segments, whose whole units go.
  std::vector<BlockIndex> pick_all(const Pool& pool) const;
  UnitRange units_inside(BlockIndex index) const { return source_.units_inside(index); }
  void release_pool(Pool& pool);
  void release_cached(PrivatePool& pool);
  /// A pool that can still have a block, or is being filled, stays.
  void forget_if_empty(PrivatePool& pool);
  void release_private(PrivatePool& pool) {
    release_cached(pool);
    forget_if_empty(pool);
  }
  /// Whether enough oversize blocks of this lane were released for the request. Blocks that were
  /// released in vain stay released.
  bool release_oversize(Lane& lane, Bytes rounded);
  /// All cached blocks: of the device's own pools and of every private pool that may be freed, or
  /// of that one pool. During a capture the device's own pools are left alone.
  void release_all(PoolId pool, InCapture in_capture);

 private:
  /// The ages of the blocks that are not picked yet.
  struct Ages {
    double sum = 0;
    std::uint64_t count = 0;
    double average() const { return sum / static_cast<double>(count); }
  };
  double age_of(BlockIndex index) const {
    const std::uint64_t stamp = core_.blocks.notes(index).lookup_stamp;
    return static_cast<double>(core_.large.lookup_count - stamp);
  }
  bool is_releasable(const Block& block) const {
    return block.is_whole_segment() && !block.is_expandable();
  }
  /// Free blocks of the pool that `wanted` picks, in the free set's order.
  template <class Wanted>
  std::vector<BlockIndex> pick_free(const Pool& pool, Wanted wanted) const;
  bool is_forgettable(const PrivatePool& pool) const;

  Core<L>& core_;
  SegmentSource<L>& source_;
  CrossStreamFrees<L>& frees_;
};

template <class L>
template <class Wanted>
std::vector<BlockIndex> Reclaim<L>::pick_free(const Pool& pool, Wanted wanted) const {
  std::vector<BlockIndex> picked;
  for (const auto& lane : pool.lanes) {
    for (auto at = lane->free.first(); at; at = lane->free.next(at)) {
      const BlockIndex index = lane->free.block_at(at);
      if (wanted(index)) picked.push_back(index);
    }
  }
  return picked;
}

template <class L>
void Reclaim<L>::collect_garbage() {
  const double threshold = core_.settings.garbage_collection_threshold;
  const Bytes limit = share_of(threshold, *core_.allowed);
  if (core_.reserved <= limit) return;
  core_.listeners.acted(rules::garbage_is_collected_above_share);
  const Garbage garbage = pick_garbage(core_.reserved - limit, ~0U);
  // With a limit above the bytes that were left then, the last pass is not made.
  const Bytes left = core_.reserved - garbage.before_last_pass;
  core_.margin.note(
      [&](Bytes total) { return share_of(threshold, core_.allowed_on(total)) >= left; });
  if (!garbage.blocks.empty()) core_.listeners.acted(rules::garbage_pass_takes_all_old);
  if (garbage.before_last_pass > Bytes{}) core_.listeners.acted(rules::garbage_passes_go_on);
  release_blocks(garbage.blocks);
}

template <class L>
auto Reclaim<L>::pick_garbage(Bytes target, unsigned pass_limit) const -> Garbage {
  // Expandable blocks count for the average although none of them is released.
  std::vector<BlockIndex> left = pick_free(
      core_.large, [this](BlockIndex block) { return core_.blocks[block].is_whole_segment(); });
  Ages ages{0, left.size()};
  for (const BlockIndex index : left) ages.sum += age_of(index);
  std::vector<BlockIndex> picked;
  Bytes reclaimed;
  Bytes before_last_pass;
  for (unsigned pass = 0; pass < pass_limit && reclaimed < target && ages.count > 0; ++pass) {
    before_last_pass = reclaimed;
    const double threshold = ages.average();
    const std::size_t before = picked.size();
    std::erase_if(left, [&](BlockIndex index) {
      const Block& block = core_.blocks[index];
      if (block.is_expandable() || age_of(index) < threshold) return false;
      reclaimed += block.size();
      ages.sum -= age_of(index);
      --ages.count;
      picked.push_back(index);
      return true;
    });
    if (picked.size() == before) break;
  }
  return {std::move(picked), before_last_pass};
}

template <class L>
bool Reclaim<L>::release_oversize(Lane& lane, Bytes rounded) {
  const Oversized picked = pick_oversize(lane, rounded, [](Address) { return false; });
  if (!picked.blocks.empty()) {
    core_.listeners.acted(rules::oversize_is_released_next);
    core_.listeners.acted(picked.is_enough && picked.blocks.size() == 1
                              ? rules::one_oversize_block_is_enough
                              : rules::oversize_goes_from_largest_down);
  }
  release_blocks(picked.blocks);
  return picked.is_enough;
}

template <class L>
template <class IsGone>
auto Reclaim<L>::pick_oversize(const Lane& lane, Bytes rounded, IsGone is_gone) const -> Oversized {
  const Bytes limit = core_.settings.max_split_size;
  if (limit == unlimited) return {};
  const Bytes key = std::max(rounded, limit);
  auto place = lane.free.at_or_after(key);
  while (place && is_gone(core_.blocks[lane.free.block_at(place)].address))
    place = lane.free.next(place);
  if (place && is_releasable(core_.blocks[lane.free.block_at(place)]))
    return {{lane.free.block_at(place)}, true};
  Oversized picked;
  Bytes found;
  for (auto at = place ? lane.free.previous(place) : lane.free.last(); at && found < key;
       at = lane.free.previous(at)) {
    const Block& block = core_.blocks[lane.free.block_at(at)];
    if (block.size() < limit) break;
    if (!is_releasable(block) || is_gone(block.address)) continue;
    picked.blocks.push_back(lane.free.block_at(at));
    found += block.size();
  }
  picked.is_enough = found >= key;
  return picked;
}

template <class L>
void Reclaim<L>::release_all(PoolId pool, InCapture in_capture) {
  if (pool != default_pool) {
    PrivatePool* only = core_.find_private_pool(pool);
    if (only == nullptr || !only->is_freeable()) return;
    core_.listeners.acted(rules::emptying_one_pool);
    frees_.synchronise(only);
    release_private(*only);
    return;
  }
  core_.listeners.acted(rules::everything_goes_large_then_small);
  if (in_capture == InCapture::yes) core_.listeners.acted(rules::emptying_in_capture_skips_own);
  if (in_capture == InCapture::no) {
    frees_.synchronise();
    release_pool(core_.large);
    release_pool(core_.small);
  }
  std::vector<PrivatePool*> freeable;
  for (const auto& [id, candidate] : core_.private_pools)
    if (candidate->is_freeable()) freeable.push_back(candidate.get());
  for (PrivatePool* candidate : freeable) release_private(*candidate);
}

template <class L>
std::vector<BlockIndex> Reclaim<L>::pick_all(const Pool& pool) const {
  std::vector<BlockIndex> picked =
      pick_free(pool, [this](BlockIndex block) { return is_releasable(core_.blocks[block]); });
  const std::vector<BlockIndex> expandable =
      pick_free(pool, [this](BlockIndex block) { return core_.blocks[block].is_expandable(); });
  picked.insert(picked.end(), expandable.begin(), expandable.end());
  return picked;
}

template <class L>
void Reclaim<L>::release_pool(Pool& pool) {
  for (const BlockIndex index : pick_all(pool)) {
    core_.listeners.acted(rules::pool_goes_classic_then_expandable);
    if (core_.blocks[index].is_expandable())
      source_.unmap(index);
    else
      source_.release(index);
  }
}

template <class L>
void Reclaim<L>::release_cached(PrivatePool& pool) {
  release_pool(pool.small);
  release_pool(pool.large);
}

template <class L>
void Reclaim<L>::forget_if_empty(PrivatePool& pool) {
  if (!is_forgettable(pool)) return;
  core_.listeners.acted(rules::empty_pool_is_forgotten);
  for (const Pool* half : {&pool.small, &pool.large})
    for (const auto& lane : half->lanes)
      core_.lanes[static_cast<std::uint32_t>(lane->index)] = nullptr;
  core_.private_pools.erase(pool.id);
}

template <class L>
bool Reclaim<L>::is_forgettable(const PrivatePool& pool) const {
  if (pool.segment_count > 0 || pool.has_open_scope) return false;
  // The count of an expandable pool can reach 0 while blocks of it live.
  for (const auto& [base, index] : core_.segments.by_address())
    if (core_[core_.segments[index].lane].pool->owner == &pool) return false;
  return true;
}

}  // namespace vramlab::allocator
