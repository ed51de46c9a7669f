// Reclaim: the ladder's ways to get cached memory back to the device: garbage collection by age,
// just enough oversize blocks, and everything that is cached.
#pragma once

#include <vector>

#include "allocator/cross_stream_frees.h"
#include "allocator/segment_source.h"

namespace vramlab::allocator {

template <class L>
class Reclaim {
 public:
  Reclaim(Core<L>& core, SegmentSource<L>& source, CrossStreamFrees<L>& frees)
      : core_(core), source_(source), frees_(frees) {}

  /// Requires: the settings and the limit ask for garbage collection.
  void collect_garbage();
  /// Whether enough oversize blocks of this lane were released for the request. What was released
  /// on the way stays released.
  bool release_oversize(Lane& lane, Bytes rounded);
  /// All cached blocks: of the device's own pools and of every private pool that may be freed, or
  /// of that one pool. While a scope is open the device's own pools are left alone.
  void release_all(PoolId pool, ScopeOpen scope_open);

 private:
  struct Ages {
    double sum = 0;
    std::uint64_t count = 0;
  };
  double age_of(BlockIndex index) const {
    const std::uint64_t stamp = core_.blocks.notes(index).lookup_stamp;
    return static_cast<double>(core_.large.lookup_count - stamp);
  }
  bool is_releasable(const Block& block) const {
    return block.is_whole_segment() && !block.is_expandable();
  }
  /// Free blocks of the pool in the free set's order, those that `wanted` picks.
  template <class Wanted>
  std::vector<BlockIndex> pick_free(const Pool& pool, Wanted wanted) const;
  /// One pass; returns what it released.
  Bytes collect_older_than_average(Ages& ages);
  void release_pool(Pool& pool);
  void release_private(PrivatePool& pool);
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
  const auto limit = static_cast<std::uint64_t>(core_.settings.garbage_collection_threshold *
                                                static_cast<double>(core_.allowed->count));
  if (core_.reserved.count <= limit) return;
  const Bytes target{core_.reserved.count - limit};
  Ages ages;
  // Expandable blocks count for the average although none of them is released.
  for (const BlockIndex index : pick_free(core_.large, [this](BlockIndex block) {
         return core_.blocks[block].is_whole_segment();
       })) {
    ages.sum += age_of(index);
    ++ages.count;
  }
  Bytes reclaimed;
  while (reclaimed < target && ages.count > 0) {
    const Bytes in_this_pass = collect_older_than_average(ages);
    if (in_this_pass == Bytes{0}) return;
    reclaimed += in_this_pass;
  }
}

template <class L>
Bytes Reclaim<L>::collect_older_than_average(Ages& ages) {
  const double threshold = ages.sum / static_cast<double>(ages.count);
  Bytes released;
  for (const BlockIndex index : pick_free(core_.large, [&](BlockIndex block) {
         return is_releasable(core_.blocks[block]) && age_of(block) >= threshold;
       })) {
    released += core_.blocks[index].size();
    ages.sum -= age_of(index);
    --ages.count;
    source_.release(index);
  }
  return released;
}

template <class L>
bool Reclaim<L>::release_oversize(Lane& lane, Bytes rounded) {
  const Bytes limit = core_.settings.max_split_size;
  if (limit == unlimited) return false;
  const Bytes key = std::max(rounded, limit);
  const auto place = lane.free.at_or_after(key);
  if (place && is_releasable(core_.blocks[lane.free.block_at(place)])) {
    source_.release(lane.free.block_at(place));
    return true;
  }
  std::vector<BlockIndex> picked;
  Bytes found;
  for (auto at = place ? lane.free.previous(place) : lane.free.last(); at && found < key;
       at = lane.free.previous(at)) {
    const Block& block = core_.blocks[lane.free.block_at(at)];
    if (block.size() < limit) break;
    if (!is_releasable(block)) continue;
    picked.push_back(lane.free.block_at(at));
    found += block.size();
  }
  for (const BlockIndex index : picked) source_.release(index);
  return found >= key;
}

template <class L>
void Reclaim<L>::release_all(PoolId pool, ScopeOpen scope_open) {
  if (pool != default_pool) {
    PrivatePool* only = core_.find_private_pool(pool);
    if (only == nullptr || !only->is_freeable()) return;
    frees_.synchronise(only);
    release_private(*only);
    return;
  }
  if (scope_open == ScopeOpen::no) {
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
void Reclaim<L>::release_pool(Pool& pool) {
  const auto expandable =
      pick_free(pool, [this](BlockIndex block) { return core_.blocks[block].is_expandable(); });
  for (const BlockIndex index :
       pick_free(pool, [this](BlockIndex block) { return is_releasable(core_.blocks[block]); }))
    source_.release(index);
  for (const BlockIndex index : expandable) source_.unmap(index);
}

template <class L>
void Reclaim<L>::release_private(PrivatePool& pool) {
  release_pool(pool.small);
  release_pool(pool.large);
  if (!is_forgettable(pool)) return;
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
