// The bodies of CachingAllocator: first the hot half, a request from its size to its block, the
// ladder when no block fits, and a free; then settings, streams, scopes and private pools, failed
// requests, checkpoints and snapshots. Included where an allocator with a set of listeners is
// instantiated.
#pragma once

#include <string>

#include "allocator/caching_allocator.h"
#include "allocator/options/size_rules.h"
#include "allocator/policy/frees.h"
#include "allocator/policy/splitting.h"
#include "allocator/types/answers.h"
#include "allocator/types/bytes_and_ids.h"

namespace vramlab::allocator {

template <class L>
MallocResult CachingAllocator<L>::malloc(Bytes request, StreamId stream) {
  current_ = stream;
  if (request.count == 0) {
    core_.listeners.acted(rules::zero_bytes_leave_no_trace);
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
      core_.listeners.acted(rules::size_is_rounded_to_divisions);
      core_.listeners.acted(rules::divisions_have_16_slots);
    } else if (rounded != request) {
      core_.listeners.acted(rules::sizes_are_multiples_of_512);
    }
    core_.listeners.acted(rules::small_up_to_1_mib);
  }
}

/// A search that does not end at the first block that is large enough went on from there, or was
/// refused.
template <class L>
void CachingAllocator<L>::tell_search(const Lane& lane, Bytes rounded, Mode mode,
                                      FreeBlocks::Cursor found) {
  if constexpr (L::hears_rules) {
    const FreeBlocks::Cursor first = lane.free.at_or_after(rounded);
    if (!first) return;
    const Block& block = core_.blocks[lane.free.block_at(first)];
    if (found) core_.listeners.acted(rules::best_fit_is_taken);
    if (found && lane.free.block_at(found) == lane.free.block_at(first)) return;
    if (block.is_expandable())
      core_.listeners.acted(mode == Mode::expandable ? rules::search_moves_on_to_shorter_reach
                                                     : rules::search_skips_expandable);
    else
      core_.listeners.acted(rounded < core_.settings.max_split_size
                                ? rules::oversize_block_is_kept_apart
                                : rules::oversize_request_wastes_little);
  }
}

template <class L>
void CachingAllocator<L>::tell_cut(const Lane& lane, Bytes size, Bytes rounded, Mode mode) {
  if constexpr (L::hears_rules) {
    if (size == rounded) return;
    if (lane.is_no_split)
      core_.listeners.acted(rules::pool_never_splits);
    else if (split_rule_of(lane.kind, mode) == SplitRule::all_remainders)
      core_.listeners.acted(rules::any_remainder_is_split);
    else
      core_.listeners.acted(rules::large_remainder_is_split);
  }
}

template <class L>
void CachingAllocator<L>::complete_waiting(StreamId stream) {
  if (in_capture() == InCapture::no) {
    core_.listeners.acted(rules::events_are_processed_first);
    frees_.process_events();
  } else if (core_.settings.graph_capture_record_stream_reuse)
    frees_.free_reusable(stream);
}

template <class L>
Pool& CachingAllocator<L>::pool_for(PoolKind kind, StreamId stream) {
  if (!scopes_.is_empty()) [[unlikely]]
    if (PrivatePool* pool = scopes_.find(stream)) {
      core_.listeners.acted(rules::open_scope_gives_its_pool);
      return pool->half(kind);
    }
  return core_.half(kind);
}

template <class L>
FreeBlocks::Cursor CachingAllocator<L>::look_for(Lane& lane, Bytes rounded, Mode mode) {
  if (core_.collects_garbage()) [[unlikely]] {
    core_.begin_counting_ages();
    ++lane.pool->lookup_count;
    core_.listeners.acted(rules::search_counts_one_lookup);
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
  if (has_freed) core_.listeners.acted(rules::callbacks_may_free_memory);
  return has_freed ? take_best_fit(lane, rounded, mode()) : BlockIndex::none;
}

template <class L>
auto CachingAllocator<L>::get_memory(Lane& lane, Bytes rounded) -> Found {
  if (const BlockIndex freed = look_after_callbacks(lane, rounded); freed != BlockIndex::none)
    return {MallocOutcome::allocated, freed, &lane};
  core_.listeners.acted(rules::miss_collects_then_gets_segment);
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
    core_.listeners.acted(rules::all_cached_is_released_last);
    reclaim_.release_all(default_pool, InCapture::no);
    attempt = source_.try_get(lane, rounded, AttemptKind::retry);
    was_rejected = was_rejected || attempt.outcome == AttemptOutcome::rejected;
  }
  if (attempt.outcome == AttemptOutcome::got)
    return {MallocOutcome::allocated, attempt.block, &lane};
  if (was_rejected) core_.listeners.acted(rules::later_rejection_is_rejection);
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
      core_.listeners.acted(rules::captured_lender_fails_request);
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
  core_.listeners.acted(rules::lending_pools_are_asked);
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
    core_.listeners.acted(rules::front_is_handed_out);
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
  core_.listeners.acted(rules::free_completes_at_once);
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

/// The addresses that an expandable segment reserves on such a device are one block.
inline constexpr Bytes largest_device{largest_block.count / 10 * 8};

template <class L>
CachingAllocator<L>::CachingAllocator(Device& device, const ReferenceVersion& version,
                                      const Settings& settings)
    : core_(device, version),
      scopes_(version.scope_order),
      frees_(core_),
      source_(core_),
      reclaim_(core_, source_, frees_) {
  if (core_.device_total >= largest_device)
    throw AllocatorError("a device of " + std::to_string(core_.device_total.count) +
                         " bytes is larger than the " + format_bytes(largest_device) +
                         " that can be simulated");
  core_.set_settings(settings);
  if (settings.per_process_memory_fraction < 1) {
    core_.listeners.acted(rules::option_fraction_is_limit_at_start);
    set_memory_fraction(settings.per_process_memory_fraction);
  }
}

template <class L>
BlockIndex CachingAllocator<L>::live_block(Address address, const char* purpose) const {
  const BlockIndex index = core_.live_at(address);
  if (index == BlockIndex::none)
    throw AllocatorError("the address " + name_of(address) + " cannot be " + purpose +
                         ": no block that is in use starts there");
  return index;
}

template <class L>
void CachingAllocator<L>::record_stream(Address address, StreamId stream) {
  frees_.record_stream(live_block(address, "used on a stream"), stream, in_capture());
}

template <class L>
InCapture CachingAllocator<L>::in_capture() {
  const bool has_scope = !scopes_.is_empty();
  const bool captures = core_.version.capture_sign == CaptureSign::open_scope
                            ? has_scope
                            : core_.device.capture_of(current_).has_value();
  if (captures != has_scope) core_.listeners.acted(rules::capture_is_of_current_stream);
  return captures ? InCapture::yes : InCapture::no;
}

template <class L>
void CachingAllocator<L>::empty_cache(PoolId pool) {
  const InCapture captures = in_capture();
  if (captures == InCapture::yes && is_refused_in_capture(pool))
    throw AllocatorError("the cache cannot be emptied during a capture");
  reclaim_.release_all(pool, captures);
}

/// Emptying the cache waits for events, which is illegal in a capture; it does not wait where no
/// memory may be released.
template <class L>
bool CachingAllocator<L>::is_refused_in_capture(PoolId pool) const {
  if (pool == default_pool)
    return core_.version.empty_cache_in_capture == EmptyCacheInCapture::refused;
  const PrivatePool* only = core_.find_private_pool(pool);
  return only != nullptr && only->is_freeable();
}

template <class L>
std::optional<SettingsError> CachingAllocator<L>::set_options(std::string_view text) {
  core_.listeners.acted(rules::new_options_reset_three);
  core_.listeners.acted(rules::options_apply_from_next_call);
  ParsedSettings parsed = parse_settings(core_.settings, text, core_.version);
  core_.set_settings(std::move(parsed.settings));
  return std::move(parsed.error);
}

template <class L>
void CachingAllocator<L>::set_memory_fraction(double fraction) {
  if (!(fraction >= 0 && fraction <= 1))
    throw AllocatorError("a memory fraction lies between 0 and 1, found " +
                         std::to_string(fraction));
  core_.fraction = fraction;
  if (fraction == 1 && core_.version.whole_fraction == WholeFraction::removes_limit) {
    core_.listeners.acted(rules::whole_fraction_removes_limit);
    core_.allowed.reset();
  } else {
    core_.listeners.acted(rules::fraction_limits_to_its_share);
    core_.allowed = core_.allowed_on(core_.device_total);
  }
}

template <class L>
PrivatePool& CachingAllocator<L>::usable_pool(PoolId pool, const char* purpose) {
  PrivatePool* found = core_.find_private_pool(pool);
  if (found == nullptr)
    throw AllocatorError("the pool " + name_of(pool) + " cannot be " + purpose +
                         ": there is no such pool");
  if (found->is_freeable())
    throw AllocatorError("the pool " + name_of(pool) + " cannot be " + purpose +
                         ": nobody uses it any more");
  return *found;
}

template <class L>
PrivatePool& CachingAllocator<L>::open_pool(PoolId pool) {
  core_.listeners.acted(rules::scope_creates_or_uses_pool);
  if (core_.find_private_pool(pool) != nullptr) {
    PrivatePool& found = usable_pool(pool, "used again");
    ++found.use_count;
    return found;
  }
  auto made = std::make_unique<PrivatePool>(pool);
  if (no_split_pools_.contains(pool)) made->hand_out_whole();
  return *core_.private_pools.emplace(pool, std::move(made)).first->second;
}

template <class L>
void CachingAllocator<L>::begin_scope(PoolId pool, const StreamFilter& filter) {
  if (pool == default_pool)
    throw AllocatorError("a capture scope needs a private pool, found the device's own (0, 0)");
  if (scopes_.is_open(pool))
    throw AllocatorError("a capture scope of the pool " + name_of(pool) + " is open already");
  scopes_.open(open_pool(pool), filter);
}

template <class L>
void CachingAllocator<L>::end_scope(PoolId pool) {
  if (!scopes_.is_open(pool))
    throw AllocatorError("no capture scope of the pool " + name_of(pool) + " is open");
  core_.listeners.acted(rules::scope_end_leaves_blocks);
  if (core_.settings.graph_capture_record_stream_reuse) {
    core_.listeners.acted(rules::scope_end_handles_deferred);
    frees_.finish_deferred_of(*core_.find_private_pool(pool));
  }
  scopes_.close(pool);
  if (scopes_.is_empty()) frees_.forget_captures();
}

template <class L>
void CachingAllocator<L>::release_pool(PoolId pool) {
  --usable_pool(pool, "released").use_count;
  core_.listeners.acted(rules::unused_pool_may_be_released);
}

template <class L>
void CachingAllocator<L>::create_pool(PoolId pool, PoolTraits traits) {
  if (pool == default_pool)
    throw AllocatorError("a pool object needs another id than the device's own (0, 0)");
  PrivatePool& made = open_pool(pool);
  if (traits.use_on_oom) lending_pools_.insert(pool);
  if (traits.no_split) {
    // The reference keeps the registration by id, also when the pool is gone.
    no_split_pools_.insert(pool);
    made.hand_out_whole();
  }
}

template <class L>
void CachingAllocator<L>::destroy_pool(PoolId pool) {
  PrivatePool& used = usable_pool(pool, "destroyed");
  if (in_capture() == InCapture::yes && used.use_count == 1)
    throw AllocatorError("the pool " + name_of(pool) + " cannot be destroyed during a capture");
  core_.listeners.acted(rules::destroyed_pool_gives_up_use);
  lending_pools_.erase(pool);
  --used.use_count;
  reclaim_.release_all(pool, InCapture::no);
}

template <class L>
MallocResult CachingAllocator<L>::refuse_huge(Bytes request) {
  core_.listeners.acted(rules::huge_request_fails_at_once);
  last_failure_ = describe_failure(MallocOutcome::out_of_memory, request, request);
  return {MallocOutcome::out_of_memory, {}};
}

template <class L>
MallocResult CachingAllocator<L>::fail(MallocOutcome outcome, const Lane& lane, Bytes request,
                                       Bytes rounded) {
  last_failure_ = describe_failure(outcome, request, device_size_for_miss(rounded, core_.settings));
  if (outcome == MallocOutcome::out_of_memory) {
    core_.listeners.acted(rules::failure_is_recorded_and_counted);
    core_.listeners.ran_out_of_memory(last_failure_.device_free, rounded, lane);
  }
  return {outcome, {}};
}

template <class L>
OutOfMemory CachingAllocator<L>::describe_failure(MallocOutcome outcome, Bytes request,
                                                  Bytes device_size) {
  OutOfMemory failure;
  failure.outcome = outcome;
  failure.request = request;
  failure.device_size = device_size;
  failure.device_total = core_.device_total;
  failure.device_free = core_.device.memory_info().free;
  failure.allowed = core_.allowed;
  failure.reserved = core_.reserved;
  failure.exceeded_reserve = exceeded_reserve(device_size, core_.device_total, core_.settings);
  for (const auto& [base, segment] : core_.segments.by_address()) {
    for (BlockIndex i = core_.segments[segment].first; i != BlockIndex::none;
         i = core_.blocks[i].next) {
      const Block& block = core_.blocks[i];
      if (block.use() == BlockUse::live) failure.allocated += block.size();
      if (block.use() == BlockUse::free && core_.lane_of(block).pool->owner != nullptr)
        failure.free_in_private_pools += block.size();
    }
  }
  return failure;
}

template <class L>
std::vector<SegmentIndex> CachingAllocator<L>::segments_of(const PrivatePool& pool) const {
  std::vector<SegmentIndex> segments;
  for (const auto& [base, index] : core_.segments.by_address())
    if (core_[core_.segments[index].lane].pool->owner == &pool) segments.push_back(index);
  return segments;
}

template <class L>
BlockIndex CachingAllocator<L>::segment_start(Address address) const {
  const auto found = core_.segments.by_address().find(address);
  return found == core_.segments.by_address().end() ? BlockIndex::none
                                                    : core_.segments[found->second].first;
}

template <class L>
Checkpoint CachingAllocator<L>::take_checkpoint(PoolId pool) {
  const PrivatePool& noted_pool = usable_pool(pool, "noted in a checkpoint");
  check_nothing_awaited(noted_pool);
  core_.listeners.acted(rules::checkpoint_notes_all_blocks);
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

/// Restoring checks first and then changes: a pool of which one segment does not fit stays as it
/// is.
template <class L>
RestoreResult CachingAllocator<L>::restore_checkpoint(const Checkpoint& checkpoint) {
  const PrivatePool& pool = usable_pool(checkpoint.pool, "restored");
  check_restorable(pool, checkpoint);
  RestoreResult result;
  core_.listeners.acted(rules::restoring_frees_live_blocks);
  core_.listeners.acted(rules::restoring_cuts_as_noted);
  result.freed = free_all_of(pool);
  for (const CheckpointSegment& noted : checkpoint.segments)
    cut_along(noted, segment_start(noted.blocks.front().address), result);
  return result;
}

/// The memory that is free once every live block of the pool is freed must be as long as the noted
/// blocks.
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

inline BlockState block_state_of(const Block& block) {
  switch (block.use()) {
    case BlockUse::live:
      return BlockState::active_allocated;
    case BlockUse::waiting:
      return BlockState::active_pending_free;
    case BlockUse::free:
      return BlockState::inactive;
    case BlockUse::unmapped:
    case BlockUse::being_mapped:
    case BlockUse::unused:
      break;
  }
  check_failed("only mapped blocks are part of a snapshot", __FILE__, __LINE__);
}

/// The run of mapped blocks that begins at `at`; moves `at` behind it.
template <class L>
SnapshotSegment CachingAllocator<L>::snapshot_run(const Segment& segment, BlockIndex& at) const {
  const Lane& lane = core_[segment.lane];
  SnapshotSegment run;
  run.address = core_.blocks[at].address;
  run.stream = lane.stream;
  run.kind = lane.kind;
  run.pool = lane.pool->id;
  run.is_expandable = segment.is_expandable;
  for (; at != BlockIndex::none && core_.blocks[at].is_mapped(); at = core_.blocks[at].next) {
    const Block& block = core_.blocks[at];
    const BlockState state = block_state_of(block);
    run.blocks.push_back({block.address, block.size(), block.requested, state});
    run.total_size += block.size();
    if (state == BlockState::inactive) continue;
    run.active_size += block.size();
    run.requested_size += block.requested;
    if (state == BlockState::active_allocated) run.allocated_size += block.size();
  }
  return run;
}

template <class L>
Snapshot CachingAllocator<L>::take_snapshot() {
  Snapshot snapshot;
  Bytes active;
  for (const auto& [base, index] : core_.segments.by_address()) {
    const Segment& segment = core_.segments[index];
    for (BlockIndex at = segment.first; at != BlockIndex::none;) {
      if (!core_.blocks[at].is_mapped()) {
        at = core_.blocks[at].next;
        continue;
      }
      snapshot.segments.push_back(snapshot_run(segment, at));
      active += snapshot.segments.back().active_size;
    }
  }
  core_.listeners.snapshot_taken(active);
  return snapshot;
}

}  // namespace vramlab::allocator
