// The door's side for replays: starting from a given state, requests that a recording directs, and
// the planning of what a release would take. Included where an allocator with a set of listeners is
// instantiated.
#pragma once

#include <algorithm>

#include "allocator/caching_allocator.h"
#include "allocator/options/size_rules.h"
#include "allocator/policy/frees.h"

namespace vramlab::allocator {

template <class L>
void CachingAllocator<L>::adopt(const GivenSegment& given) {
  Pool& pool = directed_pool(given.pool, given.kind);
  Lane& lane = core_.lane_of(pool, given.stream);
  if (given.is_expandable) core_.margin.note_given_reservation();
  BlockIndex rest = core_.create_segment(
      {given.base, given.size(), given.unit, lane.index, BlockIndex::none, given.is_expandable});
  for (std::size_t i = 0; i < given.blocks.size(); ++i) {
    const bool is_last = i + 1 == given.blocks.size();
    const BlockIndex index = is_last ? rest : core_.chain().split_front(rest, given.blocks[i].size);
    adopt_block(index, given.blocks[i]);
  }
  if (pool.owner != nullptr) ++pool.owner->segment_count;
}

template <class L>
void CachingAllocator<L>::adopt_block(BlockIndex index, const GivenBlock& given) {
  Block& block = core_.blocks[index];
  block.requested = given.requested;
  if (given.use != GivenUse::unmapped) core_.reserved += given.size;
  switch (given.use) {
    case GivenUse::live:
      block.set_use(BlockUse::live);
      core_.live.insert(block.address, index);
      return;
    case GivenUse::waiting:
      block.set_use(BlockUse::waiting);
      held_.emplace(block.address, index);
      return;
    case GivenUse::free:
      return core_.enter_free_set(index);
    case GivenUse::unmapped:
      return core_.enter_unmapped_set(index);
  }
}

/// Unlike a scope it takes no use of the pool, and gives one back to a pool that nobody uses.
template <class L>
Pool& CachingAllocator<L>::directed_pool(PoolId pool, PoolKind kind) {
  if (pool == default_pool) return core_.half(kind);
  if (PrivatePool* found = core_.find_private_pool(pool)) return found->half(kind);
  return open_pool(pool).half(kind);
}

template <class L>
const Lane* CachingAllocator<L>::find_lane(const Search& search) const {
  const PoolKind kind = pool_kind_of(search.rounded);
  if (search.pool == default_pool) return core_.half(kind).search_lane(search.stream);
  PrivatePool* found = core_.find_private_pool(search.pool);
  return found == nullptr ? nullptr : found->half(kind).search_lane(search.stream);
}

template <class L>
std::optional<Address> CachingAllocator<L>::best_fit(const Search& search) const {
  const Lane* lane = find_lane(search);
  if (lane == nullptr) return std::nullopt;
  const FreeBlocks::Cursor at =
      find_best_fit(LaneSearch(core_, *lane), search.rounded, mode(), core_.settings);
  if (!at) return std::nullopt;
  return core_.blocks[lane->free.block_at(at)].address;
}

template <class L>
void CachingAllocator<L>::hold(Address address) {
  const BlockIndex index = core_.live.take(address, core_.blocks);
  if (index == BlockIndex::none) live_block(address, "freed");
  Block& block = core_.blocks[index];
  core_.listeners.free_requested(core_.fact_of(block), oversize_of(block.size(), core_.settings));
  block.set_use(BlockUse::waiting);
  held_.emplace(address, index);
}

template <class L>
void CachingAllocator<L>::complete_held(Address address) {
  const auto held = held_.find(address);
  check(held != held_.end(), "only a held block is completed");
  const BlockIndex index = held->second;
  held_.erase(held);
  complete_free(core_, index);
}

template <class L>
MallocResult CachingAllocator<L>::malloc_directed(Bytes request, StreamId stream, PoolId pool,
                                                  Director& director) {
  if (request.count == 0) return {};
  if (request >= request_limit) return refuse_huge(request);
  const Bytes rounded = round_request(request, core_.settings);
  Lane& lane = core_.lane_of(directed_pool(pool, pool_kind_of(rounded)), stream);
  // A search that failed already is counted as one; nothing is as large as that.
  const Bytes wanted = director.search_has_failed() ? largest_block : rounded;
  FreeBlock found{look_for(lane, wanted, mode())};
  if (found.at) {
    found.block = lane.free.block_at(found.at);
  } else {
    const Attempt attempt = get_memory_directed(lane, rounded, director);
    if (attempt.outcome != AttemptOutcome::got) {
      // Nobody asks for the figures of such a failure, which take a walk over all blocks.
      core_.listeners.ran_out_of_memory(core_.device.memory_info().free, rounded, lane);
      return {MallocOutcome::out_of_memory, {}};
    }
    found.block = attempt.block;
  }
  const Bytes size = core_.blocks[found.block].size();
  return {MallocOutcome::allocated,
          hand_out(lane, found, {rounded, request, cut_of(lane, size, rounded, mode())})};
}

template <class L>
Attempt CachingAllocator<L>::get_memory_directed(Lane& lane, Bytes rounded, Director& director) {
  if (const unsigned passes = director.garbage_passes(); passes > 0)
    reclaim_.release_blocks(reclaim_.pick_garbage(unlimited, passes).blocks);
  const auto attempt_as = [&](AttemptKind kind) {
    return director.may_attempt() ? source_.try_get(lane, rounded, kind) : Attempt{};
  };
  Attempt attempt = attempt_as(AttemptKind::first);
  if (attempt.outcome == AttemptOutcome::got || !director.goes_on()) return attempt;
  if (reclaim_.release_oversize(lane, rounded)) attempt = attempt_as(AttemptKind::first);
  std::vector<PoolId> pools;
  if (attempt.outcome == AttemptOutcome::got || !director.releases_everything(pools))
    return attempt;
  release_everything(pools, lane.pool->owner == nullptr ? default_pool : lane.pool->owner->id);
  return attempt_as(AttemptKind::retry);
}

template <class L>
void CachingAllocator<L>::release_everything(const std::vector<PoolId>& private_pools,
                                             PoolId requester) {
  core_.listeners.synchronised();
  reclaim_.release_pool(core_.large);
  reclaim_.release_pool(core_.small);
  for (const PoolId id : private_pools) release_private(id, requester);
}

template <class L>
void CachingAllocator<L>::release_private(PoolId id, PoolId requester) {
  PrivatePool* pool = core_.find_private_pool(id);
  if (pool == nullptr) return;
  reclaim_.release_cached(*pool);
  if (id != requester) reclaim_.forget_if_empty(*pool);
}

template <class L>
void CachingAllocator<L>::release_named(Address address) {
  check(can_release_named(address), "only a whole free classic segment is released by name");
  source_.release(segment_start(address));
}

template <class L>
bool CachingAllocator<L>::can_release_named(Address address) const {
  const BlockIndex index = segment_start(address);
  return index != BlockIndex::none && core_.blocks[index].is_whole_segment() &&
         core_.blocks[index].use() == BlockUse::free && !core_.blocks[index].is_expandable();
}

template <class L>
BlockIndex CachingAllocator<L>::free_block_around(Address address) const {
  const auto& segments = core_.segments.by_address();
  auto above = segments.upper_bound(address);
  if (above == segments.begin()) return BlockIndex::none;
  for (BlockIndex i = core_.segments[std::prev(above)->second].first; i != BlockIndex::none;
       i = core_.blocks[i].next)
    if (core_.blocks[i].address <= address && address < core_.blocks[i].end())
      return core_.has_use(i, BlockUse::free) ? i : BlockIndex::none;
  return BlockIndex::none;
}

template <class L>
bool CachingAllocator<L>::can_unmap_named(Address address) const {
  const BlockIndex index = free_block_around(address);
  return index != BlockIndex::none && core_.blocks[index].is_expandable();
}

template <class L>
void CachingAllocator<L>::unmap_named(Address address) {
  check(can_unmap_named(address), "only a free block of an expandable segment is unmapped by name");
  source_.unmap(free_block_around(address));
}

template <class L>
BlockIndex CachingAllocator<L>::segment_start(Address address) const {
  const auto found = core_.segments.by_address().find(address);
  return found == core_.segments.by_address().end() ? BlockIndex::none
                                                    : core_.segments[found->second].first;
}

template <class L>
std::vector<PlannedRelease> CachingAllocator<L>::plan_of(
    const std::vector<BlockIndex>& picked) const {
  std::vector<PlannedRelease> plan;
  for (const BlockIndex index : picked) {
    const Block& block = core_.blocks[index];
    const StreamId stream = core_.lane_of(block).stream;
    if (!block.is_expandable()) {
      plan.push_back({block.address, block.size(), stream, false});
    } else if (const UnitRange units = reclaim_.units_inside(index); units.count > 0) {
      plan.push_back({units.at, units.size(), stream, true});
    }
  }
  return plan;
}

template <class L>
std::vector<PlannedRelease> CachingAllocator<L>::plan_garbage(unsigned passes) const {
  return plan_of(reclaim_.pick_garbage(unlimited, passes).blocks);
}

template <class L>
std::vector<PlannedRelease> CachingAllocator<L>::plan_oversize(
    const Search& search, const std::vector<PlannedRelease>& gone, bool& is_enough) const {
  is_enough = false;
  const Lane* lane = find_lane(search);
  if (lane == nullptr) return {};
  const auto is_gone = [&gone](Address at) {
    return std::any_of(gone.begin(), gone.end(),
                       [at](const PlannedRelease& one) { return one.address == at; });
  };
  const auto picked = reclaim_.pick_oversize(*lane, search.rounded, is_gone);
  is_enough = picked.is_enough;
  return plan_of(picked.blocks);
}

template <class L>
std::vector<PlannedRelease> CachingAllocator<L>::plan_pool(PoolId pool, PoolKind kind) const {
  if (pool == default_pool) return plan_of(reclaim_.pick_all(core_.half(kind)));
  PrivatePool* found = core_.find_private_pool(pool);
  return found == nullptr ? std::vector<PlannedRelease>{}
                          : plan_of(reclaim_.pick_all(found->half(kind)));
}

}  // namespace vramlab::allocator
