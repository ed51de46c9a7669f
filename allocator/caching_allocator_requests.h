// The door's hot half: a request from its size to its block, the ladder when nothing fits, and a
// free. Included where an allocator with a set of listeners is instantiated.
#pragma once

#include "allocator/caching_allocator.h"
#include "allocator/options/size_rules.h"
#include "allocator/policy/complete_free.h"
#include "allocator/types/answers.h"

namespace vramlab::allocator {

template <class L>
MallocResult CachingAllocator<L>::malloc(Bytes request, StreamId stream) {
  current_ = stream;
  if (request.count == 0) {
    core_.listeners.acted({1, 4});
    return {};
  }
  if (request >= request_limit) [[unlikely]]
    return refuse_huge(request);
  if (!frees_.is_idle()) [[unlikely]]
    complete_waiting(stream);
  const Bytes rounded =
      core_.rounds_in_steps ? round_request(request, core_.settings) : round_to_minimum(request);
  tell_sizes(request, rounded);
  Lane& lane = core_.lane_of(pool_for(pool_kind_of(rounded), stream), stream);
  const FreeBlocks::Cursor at = look_for(lane, rounded, mode());
  if (!at) [[unlikely]]
    return get_and_hand_out(lane, request, rounded);
  const BlockIndex found = lane.free.block_at(at);
  const Bytes size = core_.blocks[found].size();
  tell_cut(lane, size, rounded, mode());
  return {MallocOutcome::allocated,
          hand_out(lane, {at, found}, {rounded, request, cut_of(lane, size, rounded, mode())})};
}

template <class L>
MallocResult CachingAllocator<L>::get_and_hand_out(Lane& lane, Bytes request, Bytes rounded) {
  const Found found = get_memory(lane, rounded);
  if (found.outcome != MallocOutcome::allocated) return fail(found.outcome, lane, request, rounded);
  // A pool that lends does so by the classic rules.
  const Mode cut_mode = found.lane != &lane ? Mode::classic : mode();
  const Bytes size = core_.blocks[found.block].size();
  tell_cut(*found.lane, size, rounded, cut_mode);
  return {MallocOutcome::allocated,
          hand_out(*found.lane, {{}, found.block},
                   {rounded, request, cut_of(*found.lane, size, rounded, cut_mode)})};
}

template <class L>
void CachingAllocator<L>::tell_sizes(Bytes request, Bytes rounded) {
  if constexpr (L::hears_rules) {
    if (request >= minimum_block && is_rounded_by_divisions(request, core_.settings)) {
      core_.listeners.acted({1, 6});
      core_.listeners.acted({1, 7});
    } else if (rounded != request) {
      core_.listeners.acted({1, 1});
    }
    core_.listeners.acted({1, 2});
  }
}

/// A search that ends elsewhere than at the first block that is large enough, or nowhere, went on
/// or was refused.
template <class L>
void CachingAllocator<L>::tell_search(const Lane& lane, Bytes rounded, Mode mode,
                                      FreeBlocks::Cursor found) {
  if constexpr (L::hears_rules) {
    const FreeBlocks::Cursor first = lane.free.at_or_after(rounded);
    if (!first) return;
    const Block& block = core_.blocks[lane.free.block_at(first)];
    if (found) core_.listeners.acted({5, 2});
    if (found && lane.free.block_at(found) == lane.free.block_at(first)) return;
    if (block.is_expandable())
      core_.listeners.acted(mode == Mode::expandable ? Rule{5, 3} : Rule{5, 4});
    else
      core_.listeners.acted(rounded < core_.settings.max_split_size ? Rule{5, 5} : Rule{5, 6});
  }
}

template <class L>
void CachingAllocator<L>::tell_cut(const Lane& lane, Bytes size, Bytes rounded, Mode mode) {
  if constexpr (L::hears_rules) {
    if (size == rounded) return;
    if (lane.is_no_split)
      core_.listeners.acted({17, 12});
    else if (split_rule_of(lane.kind, mode) == SplitRule::all_remainders)
      core_.listeners.acted({6, 1});
    else
      core_.listeners.acted({6, 2});
  }
}

template <class L>
void CachingAllocator<L>::complete_waiting(StreamId stream) {
  if (in_capture() == InCapture::no) {
    core_.listeners.acted({4, 1});
    frees_.process_events();
  } else if (core_.settings.graph_capture_record_stream_reuse)
    frees_.free_reusable(stream);
}

template <class L>
Pool& CachingAllocator<L>::pool_for(PoolKind kind, StreamId stream) {
  if (!scopes_.is_empty()) [[unlikely]]
    if (PrivatePool* pool = scopes_.find(stream)) {
      core_.listeners.acted({4, 2});
      return pool->half(kind);
    }
  return core_.half(kind);
}

template <class L>
FreeBlocks::Cursor CachingAllocator<L>::look_for(Lane& lane, Bytes rounded, Mode mode) {
  if (core_.collects_garbage()) [[unlikely]] {
    core_.begin_counting_ages();
    ++lane.pool->lookup_count;
    core_.listeners.acted({5, 1});
  }
  const FreeBlocks::Cursor at =
      find_best_fit(LaneSearch(core_, lane), rounded, mode, core_.settings);
  tell_search(lane, rounded, mode, at);
  return at;
}

template <class L>
BlockIndex CachingAllocator<L>::take_best_fit(Lane& lane, Bytes rounded, Mode mode) {
  const FreeBlocks::Cursor at = look_for(lane, rounded, mode);
  if (!at) return BlockIndex::none;
  const BlockIndex found = lane.free.block_at(at);
  lane.free.remove_at(at);
  return found;
}

template <class L>
BlockIndex CachingAllocator<L>::look_after_callbacks(Lane& lane, Bytes rounded) {
  bool has_freed = false;
  for (const auto& callback : free_memory_callbacks_) has_freed = callback() || has_freed;
  if (has_freed) core_.listeners.acted({4, 9});
  return has_freed ? take_best_fit(lane, rounded, mode()) : BlockIndex::none;
}

template <class L>
auto CachingAllocator<L>::get_memory(Lane& lane, Bytes rounded) -> Found {
  if (const BlockIndex freed = look_after_callbacks(lane, rounded); freed != BlockIndex::none)
    return {MallocOutcome::allocated, freed, &lane};
  core_.listeners.acted({4, 3});
  if (core_.collects_garbage()) reclaim_.collect_garbage();
  Attempt attempt = source_.try_get(lane, rounded, AttemptKind::first);
  if (attempt.outcome == AttemptOutcome::rejected) return {MallocOutcome::rejected};
  bool was_rejected = false;
  if (attempt.outcome != AttemptOutcome::got && lane.pool->owner == nullptr) {
    const Found borrowed = borrow_from_pools(lane.kind, lane.stream, rounded);
    if (borrowed.outcome != MallocOutcome::out_of_memory) return borrowed;
  }
  if (attempt.outcome != AttemptOutcome::got && reclaim_.release_oversize(lane, rounded)) {
    attempt = source_.try_get(lane, rounded, AttemptKind::first);
    was_rejected = attempt.outcome == AttemptOutcome::rejected;
  }
  if (attempt.outcome != AttemptOutcome::got && in_capture() == InCapture::no) {
    core_.listeners.acted({4, 5});
    reclaim_.release_all(default_pool, InCapture::no);
    attempt = source_.try_get(lane, rounded, AttemptKind::retry);
    was_rejected = was_rejected || attempt.outcome == AttemptOutcome::rejected;
  }
  if (attempt.outcome == AttemptOutcome::got)
    return {MallocOutcome::allocated, attempt.block, &lane};
  if (was_rejected) core_.listeners.acted({17, 9});
  return {was_rejected ? MallocOutcome::rejected : MallocOutcome::out_of_memory};
}

template <class L>
auto CachingAllocator<L>::borrow_from_pools(PoolKind kind, StreamId stream, Bytes rounded)
    -> Found {
  for (const PoolId id : lending_pools_) {
    PrivatePool* pool = core_.find_private_pool(id);
    if (pool == nullptr) continue;
    // As the reference: the use stays counted when the pool is being captured to.
    ++pool->use_count;
    if (scopes_.is_open(id)) {
      core_.listeners.acted({17, 11});
      return {MallocOutcome::scope_already_open};
    }
    const Found borrowed = borrow_from(*pool, kind, stream, rounded);
    try {
      if (core_.settings.graph_capture_record_stream_reuse) frees_.finish_deferred_of(*pool);
    } catch (const DeviceError&) {
      if (borrowed.block != BlockIndex::none) put_back(core_, borrowed.block);
      --pool->use_count;
      throw;
    }
    --pool->use_count;
    if (borrowed.outcome == MallocOutcome::allocated) return borrowed;
  }
  return {};
}

template <class L>
auto CachingAllocator<L>::borrow_from(PrivatePool& pool, PoolKind kind, StreamId stream,
                                      Bytes rounded) -> Found {
  Lane& lane = core_.lane_of(pool.half(kind), stream);
  const BlockIndex block = take_best_fit(lane, rounded, Mode::classic);
  if (block == BlockIndex::none) return {};
  core_.listeners.acted({17, 10});
  // The frees that the end of this scope completes must not merge with it.
  core_.blocks[block].set_use(BlockUse::live);
  return {MallocOutcome::allocated, block, &lane};
}

template <class L>
auto CachingAllocator<L>::cut_of(const Lane& lane, Bytes size, Bytes rounded, Mode mode) const
    -> Cut {
  if (lane.is_no_split) [[unlikely]]
    return Cut::no;
  const SplitRule rule = split_rule_of(lane.kind, mode);
  return is_split_off(size, rounded, rule, core_.settings) ? Cut::yes : Cut::no;
}

template <class L>
Address CachingAllocator<L>::hand_out(Lane& lane, const FreeBlock& free, const Portion& portion) {
  const SplitBooking before = booking_of(core_.blocks[free.block]);
  SplitBooking after;
  BlockIndex taken = free.block;
  if (portion.cut == Cut::yes) {
    core_.listeners.acted({6, 3});
    taken = core_.chain().split_front(free.block, portion.rounded);
    if (free.at)
      core_.enter_free_set_at(free.at, lane, free.block);
    else
      core_.enter_free_set(free.block);
    after = booking_of(core_.blocks[free.block]);
  } else if (free.at) {
    lane.free.remove_at(free.at);
  }
  Block& block = core_.blocks[taken];
  block.set_use(BlockUse::live);
  block.requested = portion.request;
  core_.live.insert(block.address, taken);
  if (!block.is_expandable())
    core_.listeners.inactive_split_changed(lane.kind, after.count - before.count,
                                           after.bytes - before.bytes);
  core_.listeners.handed_out({block.address, block.size(), block.requested, lane},
                             oversize_of(block.size(), core_.settings));
  return block.address;
}

template <class L>
void CachingAllocator<L>::free(Address address) {
  const BlockIndex index = core_.live.take(address, core_.blocks);
  if (index == BlockIndex::none) [[unlikely]]
    live_block(address, "freed");
  const Block& block = core_.blocks[index];
  if (block.has_stream_uses()) [[unlikely]]
    return free_used(index);
  core_.listeners.acted({7, 2});
  Lane& lane = core_.lane_of(block);
  core_.listeners.freed_at_once({block.address, block.size(), block.requested, lane},
                                oversize_of(block.size(), core_.settings));
  join_free_set(core_, lane, index, {});
}

template <class L>
void CachingAllocator<L>::free_used(BlockIndex index) {
  InCapture captures{};
  try {
    captures = in_capture();
  } catch (const DeviceError&) {
    core_.live.insert(core_.blocks[index].address, index);
    throw;
  }
  const Block& block = core_.blocks[index];
  core_.listeners.free_requested(core_.fact_of(block), oversize_of(block.size(), core_.settings));
  frees_.free_later(index, captures);
}

}  // namespace vramlab::allocator
