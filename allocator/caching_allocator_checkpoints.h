// Checkpoints of private pools: noting how a pool is cut, and cutting it so again. Restoring checks
// first and then changes; a segment that does not fit is refused as a whole.
#pragma once

#include "allocator/caching_allocator.h"
#include "allocator/types/answers.h"
#include "allocator/types/ids.h"

namespace vramlab::allocator {

template <class L>
std::vector<SegmentIndex> CachingAllocator<L>::segments_of(const PrivatePool& pool) const {
  std::vector<SegmentIndex> segments;
  for (const auto& [base, index] : core_.segments.by_address())
    if (core_[core_.segments[index].lane].pool->owner == &pool) segments.push_back(index);
  return segments;
}

template <class L>
Checkpoint CachingAllocator<L>::take_checkpoint(PoolId pool) {
  const PrivatePool& noted_pool = usable_pool(pool, "noted in a checkpoint");
  check_nothing_awaited(noted_pool);
  core_.listeners.acted({12, 1});
  frees_.handle_deferred();
  Checkpoint checkpoint{pool, {}};
  for (const SegmentIndex index : segments_of(noted_pool)) {
    CheckpointSegment& noted = checkpoint.segments.emplace_back();
    noted.stream = core_[core_.segments[index].lane].stream;
    for (BlockIndex i = core_.segments[index].first; i != BlockIndex::none;
         i = core_.blocks[i].next) {
      const Block& block = core_.blocks[i];
      noted.blocks.push_back({block.address, block.size(),
                              block.use() == BlockUse::live   ? CheckpointBlockState::allocated
                              : block.use() == BlockUse::free ? CheckpointBlockState::free
                                                              : CheckpointBlockState::unmapped});
    }
  }
  return checkpoint;
}

template <class L>
void CachingAllocator<L>::check_nothing_awaited(const PrivatePool& pool) const {
  for (const SegmentIndex index : segments_of(pool))
    for (BlockIndex i = core_.segments[index].first; i != BlockIndex::none;
         i = core_.blocks[i].next)
      if (core_.has_use(i, BlockUse::waiting) && frees_.needs_events(i))
        throw AllocatorError("no checkpoint can be taken: the block at " +
                             name_of(core_.blocks[i].address) + " waits for other streams");
}

template <class L>
RestoreResult CachingAllocator<L>::restore_checkpoint(const Checkpoint& checkpoint) {
  const PrivatePool& pool = usable_pool(checkpoint.pool, "restored");
  check_restorable(pool, checkpoint);
  RestoreResult result;
  core_.listeners.acted({12, 2});
  core_.listeners.acted({12, 3});
  result.freed = free_all_of(pool);
  for (const CheckpointSegment& noted : checkpoint.segments)
    cut_along(noted, segment_start(noted.blocks.front().address), result);
  return result;
}

/// What would be free once every live block of the pool is freed must be as long as what was noted.
template <class L>
void CachingAllocator<L>::check_restorable(const PrivatePool& pool,
                                           const Checkpoint& checkpoint) const {
  for (const CheckpointSegment& noted : checkpoint.segments) {
    const Address base = noted.blocks.front().address;
    const BlockIndex first = segment_start(base);
    const bool is_of_pool =
        first != BlockIndex::none && core_.lane_of(core_.blocks[first]).pool->owner == &pool;
    if (!is_of_pool || !fits(noted, first))
      throw AllocatorError("the checkpoint cannot be restored: the segment at " + name_of(base) +
                           " has changed since");
  }
}

template <class L>
bool CachingAllocator<L>::fits(const CheckpointSegment& noted, BlockIndex first) const {
  Bytes wanted;
  Bytes unmapped;
  for (const CheckpointBlock& block : noted.blocks) {
    if (block.state != CheckpointBlockState::unmapped)
      wanted += block.size;
    else if (&block == &noted.blocks.back())
      unmapped = block.size;
    else
      return false;
  }
  Bytes room;
  BlockIndex i = first;
  for (; i != BlockIndex::none; i = core_.blocks[i].next) {
    const Block& block = core_.blocks[i];
    const bool becomes_free = block.use() == BlockUse::free ||
                              (block.use() == BlockUse::live && !block.has_stream_uses());
    if (!becomes_free) break;
    room += block.size();
  }
  if (room == Bytes{0} || room < wanted) return false;
  const bool may_have_grown = core_.version.grown_checkpoint == GrownCheckpoint::tolerated &&
                              core_.blocks[first].is_expandable();
  if (room > wanted) return may_have_grown;
  const bool ends_unmapped = core_.has_use(i, BlockUse::unmapped);
  if (unmapped == Bytes{0}) return i == BlockIndex::none;
  return ends_unmapped && core_.blocks[i].size() == unmapped;
}

template <class L>
std::vector<Address> CachingAllocator<L>::free_all_of(const PrivatePool& pool) {
  std::vector<Address> addresses;
  for (const SegmentIndex index : segments_of(pool))
    for (BlockIndex i = core_.segments[index].first; i != BlockIndex::none;
         i = core_.blocks[i].next)
      if (core_.has_use(i, BlockUse::live)) addresses.push_back(core_.blocks[i].address);
  for (const Address address : addresses) free(address);
  return addresses;
}

template <class L>
void CachingAllocator<L>::cut_along(const CheckpointSegment& noted, BlockIndex first,
                                    RestoreResult& result) {
  BlockIndex rest = first;
  for (const CheckpointBlock& block : noted.blocks) {
    if (block.state == CheckpointBlockState::unmapped) break;
    const Block& cut = core_.blocks[rest];
    Lane& lane = core_.lane_of(cut);
    const Cut is_cut = cut.size() > block.size ? Cut::yes : Cut::no;
    const Address address = hand_out(lane, {core_.place_in_free_set(lane, rest), rest},
                                     {block.size, block.size, is_cut});
    rest = core_.blocks[core_.live_at(address)].next;
  }
  for (const CheckpointBlock& block : noted.blocks) {
    if (block.state == CheckpointBlockState::allocated)
      result.created.push_back({block.address, block.size});
    else if (block.state == CheckpointBlockState::free)
      free(block.address);
  }
}

}  // namespace vramlab::allocator
