// The bodies of ReplayAccess and ReplayView. Included where an allocator with a set of listeners is
// instantiated, after the bodies of the allocator itself, which do most of the work.
#pragma once

#include <algorithm>

#include "allocator/caching_allocator_steps.h"
#include "allocator/options/size_rules.h"
#include "allocator/policy/frees.h"
#include "allocator/replay_access.h"

namespace vramlab::allocator {

template <class L>
void ReplayAccess<L>::adopt(const GivenSegment& given) {
  Pool& pool = directed_pool(given.pool, given.kind);
  Lane& lane = core().lane_of(pool, given.stream);
  if (given.is_expandable) core().margin.note_given_reservation();
  BlockIndex rest = core().create_segment(
      {given.base, given.size(), given.unit, lane.index, BlockIndex::none, given.is_expandable});
  for (std::size_t i = 0; i < given.blocks.size(); ++i) {
    const bool is_last = i + 1 == given.blocks.size();
    const BlockIndex index =
        is_last ? rest : core().chain().split_front(rest, given.blocks[i].size);
    adopt_block(index, given.blocks[i]);
  }
  if (pool.owner != nullptr) ++pool.owner->segment_count;
}

template <class L>
void ReplayAccess<L>::adopt_block(BlockIndex index, const GivenBlock& given) {
  Block& block = core().blocks[index];
  block.requested = given.requested;
  if (given.use != GivenUse::unmapped) core().reserved += given.size;
  switch (given.use) {
    case GivenUse::live:
      block.set_use(BlockUse::live);
      core().live.insert(block.address, index);
      return;
    case GivenUse::waiting:
      block.set_use(BlockUse::waiting);
      allocator_.held_.emplace(block.address, index);
      return;
    case GivenUse::free:
      return core().enter_free_set(index);
    case GivenUse::unmapped:
      return core().enter_unmapped_set(index);
  }
}

/// Unlike a scope, a directed request takes no use of the pool, and gives one back to a pool that
/// nobody uses.
template <class L>
Pool& ReplayAccess<L>::directed_pool(PoolId pool, PoolKind kind) {
  if (pool == default_pool) return core().half(kind);
  if (PrivatePool* found = core().find_private_pool(pool)) return found->half(kind);
  return allocator_.open_pool(pool).half(kind);
}

template <class L>
MallocResult ReplayAccess<L>::malloc_directed(Bytes request, StreamId stream, PoolId pool,
                                              Director& director) {
  if (request.count == 0) return {};
  if (request >= request_limit) return allocator_.refuse_huge(request);
  const Bytes rounded = round_request(request, core().settings);
  Lane& lane = core().lane_of(directed_pool(pool, pool_kind_of(rounded)), stream);
  // A search that failed already is counted as a search; no block is as large as this one.
  const Bytes wanted = director.search_has_failed() ? largest_block : rounded;
  typename CachingAllocator<L>::FreeBlock found{
      allocator_.look_for(lane, wanted, allocator_.mode())};
  if (found.at) {
    found.block = lane.free.block_at(found.at);
  } else {
    const Attempt attempt = get_memory_directed(lane, rounded, director);
    if (attempt.outcome != AttemptOutcome::got) {
      // The figures of such a failure take a walk over all blocks: describe_failure() makes them.
      core().listeners.ran_out_of_memory(core().device.memory_info().free, rounded, lane);
      return {MallocOutcome::out_of_memory, {}};
    }
    found.block = attempt.block;
  }
  const Bytes size = core().blocks[found.block].size();
  return {MallocOutcome::allocated,
          allocator_.hand_out(
              lane, found,
              {rounded, request, allocator_.cut_of(lane, size, rounded, allocator_.mode())})};
}

template <class L>
std::optional<Address> ReplayAccess<L>::malloc_at(Address address, Bytes request,
                                                  const Search& search) {
  const BlockIndex index = this->free_block_around(address);
  if (index == BlockIndex::none) return std::nullopt;
  const Block& block = core().blocks[index];
  Lane& lane = core().lane_of(block);
  const Bytes size = block.size();
  const PoolId pool = lane.pool->owner == nullptr ? default_pool : lane.pool->owner->id;
  // A restored block may be larger than those that its half of the pool serves.
  if (block.address != address || size < search.rounded || pool != search.pool ||
      lane.stream != search.stream)
    return std::nullopt;
  return allocator_.hand_out(
      lane, {core().place_in_free_set(lane, index), index},
      {search.rounded, request, allocator_.cut_of(lane, size, search.rounded, allocator_.mode())});
}

template <class L>
void ReplayAccess<L>::describe_failure(Bytes request) {
  const Bytes rounded = round_request(request, core().settings);
  allocator_.last_failure_ = allocator_.describe_failure(
      MallocOutcome::out_of_memory, request, device_size_for_miss(rounded, core().settings));
}

template <class L>
Attempt ReplayAccess<L>::get_memory_directed(Lane& lane, Bytes rounded, Director& director) {
  if (const unsigned passes = director.garbage_passes(); passes > 0)
    allocator_.reclaim_.release_blocks(allocator_.reclaim_.pick_garbage(unlimited, passes).blocks);
  const auto attempt_as = [&](AttemptKind kind) -> Attempt {
    if (director.may_attempt()) return allocator_.source_.try_get(lane, rounded, kind);
    // A retry counts even where a memory fraction forbids it.
    if (kind == AttemptKind::retry) core().listeners.retried();
    return {};
  };
  Attempt attempt = attempt_as(AttemptKind::first);
  if (attempt.outcome == AttemptOutcome::got || !director.goes_on()) return attempt;
  if (allocator_.reclaim_.release_oversize(lane, rounded)) attempt = attempt_as(AttemptKind::first);
  std::vector<PoolId> pools;
  if (attempt.outcome == AttemptOutcome::got || !director.releases_everything(pools))
    return attempt;
  release_everything(pools, lane.pool->owner == nullptr ? default_pool : lane.pool->owner->id);
  return attempt_as(AttemptKind::retry);
}

template <class L>
void ReplayAccess<L>::hold(Address address) {
  const BlockIndex index = core().live.take(address, core().blocks);
  if (index == BlockIndex::none) allocator_.live_block(address, "freed");
  Block& block = core().blocks[index];
  core().listeners.free_requested(core().fact_of(block),
                                  oversize_of(block.size(), core().settings));
  block.set_use(BlockUse::waiting);
  allocator_.held_.emplace(address, index);
}

template <class L>
void ReplayAccess<L>::complete_held(Address address) {
  const auto held = allocator_.held_.find(address);
  check(held != allocator_.held_.end(), "only a held block is completed");
  const BlockIndex index = held->second;
  allocator_.held_.erase(held);
  complete_free(core(), index);
}

template <class L>
void ReplayAccess<L>::release_everything(const std::vector<PoolId>& private_pools,
                                         PoolId requester) {
  core().listeners.synchronised();
  allocator_.reclaim_.release_pool(core().large);
  allocator_.reclaim_.release_pool(core().small);
  for (const PoolId id : private_pools) release_private(id, requester);
}

template <class L>
void ReplayAccess<L>::release_private(PoolId id, PoolId requester) {
  PrivatePool* pool = core().find_private_pool(id);
  if (pool == nullptr) return;
  allocator_.reclaim_.release_cached(*pool);
  if (id != requester) allocator_.reclaim_.forget_if_empty(*pool);
}

template <class L>
void ReplayAccess<L>::release_named(Address address) {
  check(this->can_release_named(address), "only a whole free classic segment is released by name");
  allocator_.source_.release(allocator_.segment_start(address));
}

template <class L>
void ReplayAccess<L>::unmap_named(Address address) {
  check(this->can_unmap_named(address),
        "only a free block of an expandable segment is unmapped by name");
  allocator_.source_.unmap(this->free_block_around(address));
}

template <class L>
const Lane* ReplayView<L>::find_lane(const Search& search) const {
  const PoolKind kind = pool_kind_of(search.rounded);
  if (search.pool == default_pool) return core().half(kind).search_lane(search.stream);
  PrivatePool* found = core().find_private_pool(search.pool);
  return found == nullptr ? nullptr : found->half(kind).search_lane(search.stream);
}

template <class L>
std::optional<Address> ReplayView<L>::best_fit(const Search& search) const {
  const Lane* lane = find_lane(search);
  if (lane == nullptr) return std::nullopt;
  const FreeBlocks::Cursor at =
      find_best_fit(LaneSearch(core(), *lane), search.rounded, allocator_.mode(), core().settings);
  if (!at) return std::nullopt;
  return core().blocks[lane->free.block_at(at)].address;
}

template <class L>
bool ReplayView<L>::would_serve(Address held, const Search& search) const {
  const BlockIndex index = allocator_.held_.at(held);
  const Block& block = core().blocks[index];
  if (&core().lane_of(block) != find_lane(search)) return false;
  if (block.is_expandable() && allocator_.mode() == Mode::classic) return false;
  Bytes size = block.size();
  if (core().is_free_before(index)) size += core().blocks[block.previous()].size();
  if (core().is_free_after(index)) size += core().blocks[block.next].size();
  if (size < search.rounded) return false;
  if (!is_oversize_mismatch(size, search.rounded, core().settings)) return true;
  // Growth begins with the free block in front of unmapped addresses, however large it is.
  const BlockIndex last = core().is_free_after(index) ? block.next : index;
  return block.is_expandable() && core().has_use(core().blocks[last].next, BlockUse::unmapped);
}

template <class L>
Bytes ReplayView<L>::memory_for(const Search& search) const {
  return allocator_.source_.memory_for(find_lane(search), search.pool, search.rounded);
}

template <class L>
bool ReplayView<L>::can_release_named(Address address) const {
  const BlockIndex index = allocator_.segment_start(address);
  return index != BlockIndex::none && core().blocks[index].is_whole_segment() &&
         core().blocks[index].use() == BlockUse::free && !core().blocks[index].is_expandable();
}

template <class L>
BlockIndex ReplayView<L>::free_block_around(Address address) const {
  const auto& segments = core().segments.by_address();
  auto above = segments.upper_bound(address);
  if (above == segments.begin()) return BlockIndex::none;
  for (BlockIndex i = core().segments[std::prev(above)->second].first; i != BlockIndex::none;
       i = core().blocks[i].next)
    if (core().blocks[i].address <= address && address < core().blocks[i].end())
      return core().has_use(i, BlockUse::free) ? i : BlockIndex::none;
  return BlockIndex::none;
}

template <class L>
bool ReplayView<L>::can_unmap_named(Address address) const {
  const BlockIndex index = free_block_around(address);
  return index != BlockIndex::none && core().blocks[index].is_expandable();
}

template <class L>
std::vector<PlannedRelease> ReplayView<L>::plan_of(const std::vector<BlockIndex>& picked) const {
  std::vector<PlannedRelease> plan;
  for (const BlockIndex index : picked) {
    const Block& block = core().blocks[index];
    const StreamId stream = core().lane_of(block).stream;
    if (!block.is_expandable()) {
      plan.push_back({block.address, block.size(), stream, false});
    } else if (const UnitRange units = allocator_.reclaim_.units_inside(index); units.count > 0) {
      plan.push_back({units.at, units.size(), stream, true});
    }
  }
  return plan;
}

template <class L>
std::vector<PlannedRelease> ReplayView<L>::plan_garbage(unsigned passes) const {
  return plan_of(allocator_.reclaim_.pick_garbage(unlimited, passes).blocks);
}

template <class L>
std::vector<PlannedRelease> ReplayView<L>::plan_oversize(const Search& search,
                                                         const std::vector<PlannedRelease>& gone,
                                                         bool& is_enough) const {
  is_enough = false;
  const Lane* lane = find_lane(search);
  if (lane == nullptr) return {};
  const auto is_gone = [&gone](Address at) {
    return std::any_of(gone.begin(), gone.end(),
                       [at](const PlannedRelease& one) { return one.address == at; });
  };
  const auto picked = allocator_.reclaim_.pick_oversize(*lane, search.rounded, is_gone);
  is_enough = picked.is_enough;
  return plan_of(picked.blocks);
}

template <class L>
std::vector<PlannedRelease> ReplayView<L>::plan_pool(PoolId pool, PoolKind kind) const {
  if (pool == default_pool) return plan_of(allocator_.reclaim_.pick_all(core().half(kind)));
  PrivatePool* found = core().find_private_pool(pool);
  return found == nullptr ? std::vector<PlannedRelease>{}
                          : plan_of(allocator_.reclaim_.pick_all(found->half(kind)));
}

}  // namespace vramlab::allocator
