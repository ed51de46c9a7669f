#include "allocator/pinned/pinned_allocator.h"

#include <algorithm>
#include <utility>

namespace vramlab::allocator {

PinnedAllocator::PinnedAllocator(HostSystem& system, const Settings& settings,
                                 const ReferenceVersion& version)
    : system_(system),
      settings_(settings),
      rules_(version.host),
      memory_(system, version.host.release, statistics_) {}

HostMallocResult PinnedAllocator::malloc(Bytes size, StreamId current, HostStack stack) {
  if (size == Bytes{}) return {};
  const MaybeHostStack kept = history_.of_request(stack);
  HostPool& pool = pools_.pool_for(current);
  if (!settings_.pinned_use_background_threads || !pools_.is_default(pool))
    handle_events(pool, kept);
  HostBlock* const block = find_or_make(pool, size, kept);
  if (block == nullptr) return {MallocOutcome::out_of_memory, {}, {}};
  hand_out(*block, current, kept);
  return {MallocOutcome::allocated, block->address, block->size};
}

HostBlock* PinnedAllocator::find_or_make(HostPool& pool, Bytes size, const MaybeHostStack& stack) {
  if (size > largest_host_block) return nullptr;
  const Bytes rounded = round_host_request(size, settings_);
  if (HostBlock* const block = take_free(pool, rounded)) return block;
  if (settings_.pinned_use_background_threads) {
    if (rules_.miss == HostMiss::handles_events_of_its_size) {
      handle_events_of_size(pool, rounded, stack);
      if (HostBlock* const block = take_free(pool, rounded)) return block;
    }
    has_background_thread_ = true;
  }
  return make_block(pool, rounded, stack);
}

HostBlock* PinnedAllocator::take_free(HostPool& pool, Bytes size) {
  std::vector<HostBlock*>& list = pool.free_lists[host_bucket_of(size)];
  auto found = list.rbegin();
  if (rules_.free_block == HostFreeBlock::youngest_large_enough)
    found = std::find_if(found, list.rend(),
                         [size](const HostBlock* block) { return block->size >= size; });
  if (found == list.rend()) return nullptr;
  HostBlock* const block = *found;
  list.erase(std::next(found).base());
  return block;
}

HostBlock* PinnedAllocator::make_block(HostPool& pool, Bytes size, const MaybeHostStack& stack) {
  const auto memory = memory_.obtain(size, settings_);
  if (!memory) return nullptr;
  HostBlock& block = blocks_[memory->address.value];
  block.address = memory->address;
  block.size = size;
  block.pool = &pool;
  block.obtained = memory->way;
  ++pool.block_count;
  statistics_.block_made(size);
  record(Action::segment_alloc, block, stack);
  return &block;
}

void PinnedAllocator::hand_out(HostBlock& block, StreamId current, const MaybeHostStack& stack) {
  block.allocated = true;
  block.is_captured = pools_.has_open_scope() && system_.is_capturing(current);
  block.stack = stack;
  statistics_.handed_out(counted_in(block), block.size);
  record(Action::alloc, block, stack);
}

bool PinnedAllocator::use(Address at, StreamId stream) {
  const auto found = blocks_.find(at.value);
  if (found == blocks_.end()) return false;
  HostBlock& block = found->second;
  if (!block.allocated)
    throw HostError(HostErrorKind::internal,
                    "The host block at " + name_of(at) + " is used but not allocated.");
  const auto place = std::ranges::lower_bound(block.streams, stream);
  if (place == block.streams.end() || *place != stream) block.streams.insert(place, stream);
  return true;
}

void PinnedAllocator::free(Address at, HostStack stack) {
  const auto found = blocks_.find(at.value);
  if (found == blocks_.end() || !found->second.allocated)
    throw AllocatorError("Host memory at " + name_of(at) + " is freed but not allocated.");
  HostBlock& block = found->second;
  const MaybeHostStack kept = history_.of_free(stack);
  record(Action::free_requested, block, kept ? kept : block.stack);
  block.allocated = false;
  if (block.streams.empty()) return complete_free(block, kept);
  wait_for_streams(block);
}

void PinnedAllocator::wait_for_streams(HostBlock& block) {
  std::vector<HostWait> waits;
  try {
    if (!block.is_captured)
      for (const StreamId stream : block.streams)
        waits.push_back({system_.record_event(stream), &block});
  } catch (const DeviceError&) {
    for (const HostWait& wait : waits) system_.forget_event(wait.event);
    if (rules_.failed_event == HostFailedEvent::keeps_waiting) {
      block.outstanding_events += static_cast<std::uint32_t>(block.streams.size());
      block.streams.clear();
    }
    if (settings_.pinned_free_catch_all) return;
    throw;
  }
  block.outstanding_events += static_cast<std::uint32_t>(block.streams.size());
  block.streams.clear();
  block.pool->waiting.insert(block.pool->waiting.end(), waits.begin(), waits.end());
}

bool PinnedAllocator::event_is_done(const HostWait& wait, const MaybeHostStack& stack) {
  system_.forget_event(wait.event);
  if (--wait.block->outstanding_events > 0) return false;
  complete_free(*wait.block, stack);
  return true;
}

void PinnedAllocator::handle_events(HostPool& pool, const MaybeHostStack& stack) {
  while (!pool.waiting.empty() && system_.is_complete(pool.waiting.front().event)) {
    const HostWait oldest = pool.waiting.front();
    pool.waiting.pop_front();
    event_is_done(oldest, stack);
  }
}

void PinnedAllocator::handle_events_of_size(HostPool& pool, Bytes size,
                                            const MaybeHostStack& stack) {
  const std::size_t length = pool.waiting.size();
  for (std::size_t looked_at = 0; !pool.waiting.empty(); ++looked_at) {
    const HostWait oldest = pool.waiting.front();
    pool.waiting.pop_front();
    // One more than there were: the queue ends up turned by two, as in the reference.
    const bool is_over = looked_at == length + 1;
    if (is_over || oldest.block->size != size || !system_.is_complete(oldest.event))
      pool.waiting.push_back(oldest);
    else if (event_is_done(oldest, stack))
      return;
    if (is_over) return;
  }
}

void PinnedAllocator::complete_free(HostBlock& block, const MaybeHostStack& stack) {
  record(Action::free_completed, block, stack ? stack : block.stack);
  if (history_.is_on()) block.stack.reset();
  statistics_.free_completed(counted_in(block), block.size);
  if (block.size > settings_.pinned_max_cached_size) return release(block);
  block.pool->free_lists[host_bucket_of(block.size)].push_back(&block);
}

PoolId PinnedAllocator::counted_in(const HostBlock& block) const {
  return rules_.peaks == HostPeaks::of_buckets ? default_pool : block.pool->id;
}

void PinnedAllocator::release(HostBlock& block) {
  const HostBlock gone = std::move(block);
  --gone.pool->block_count;
  blocks_.erase(gone.address.value);
  memory_.release({gone.address, gone.obtained}, settings_);
  statistics_.block_gone(gone.size);
  record(Action::segment_free, gone, std::nullopt);
}

void PinnedAllocator::release_free_blocks(HostPool& pool) {
  // A list is empty before its first block is released: what a failing release leaves of it is in
  // no list any more.
  for (std::vector<HostBlock*>& list : pool.free_lists)
    for (HostBlock* const block : std::exchange(list, {})) release(*block);
}

void PinnedAllocator::empty_cache() {
  handle_events(pools_.default_pool(), std::nullopt);
  release_free_blocks(pools_.default_pool());
  for (HostPool* const pool : pools_.freeable()) {
    handle_events(*pool, std::nullopt);
    release_free_blocks(*pool);
    if (pool->block_count > 0) continue;
    statistics_.pool_gone(pool->id);
    pools_.forget(*pool);
  }
}

void PinnedAllocator::run_background_thread() {
  if (has_background_thread_) handle_events(pools_.default_pool(), std::nullopt);
}

void PinnedAllocator::register_external(Address at, Bytes size, HostStack stack) {
  if (!history_.is_on()) return;
  const MaybeHostStack kept = history_.of_request(stack);
  externals_[at] = {size, kept};
  history_.record({Action::segment_alloc, at, size, default_pool, std::nullopt});
  history_.record({Action::alloc, at, size, default_pool, kept});
}

void PinnedAllocator::unregister_external(Address at, HostStack stack) {
  const auto found = externals_.find(at);
  if (found == externals_.end()) return;
  const External gone = found->second;
  externals_.erase(found);
  history_.record({Action::free_requested, at, gone.size, default_pool, history_.of_free(stack)});
  history_.record({Action::free_completed, at, gone.size, default_pool, gone.stack});
  history_.record({Action::segment_free, at, gone.size, default_pool, std::nullopt});
}

void PinnedAllocator::record(Action action, const HostBlock& block, const MaybeHostStack& stack) {
  history_.record({action, block.address, block.size, block.pool->id, stack});
}

HostSnapshot PinnedAllocator::snapshot() const {
  HostSnapshot snapshot;
  snapshot.reserve(blocks_.size() + externals_.size());
  for (const auto& [at, block] : blocks_)
    snapshot.push_back({block.address, block.size, block.allocated, block.is_active(),
                        block.pool->id, block.stack});
  for (const auto& [at, external] : externals_)
    snapshot.push_back({at, external.size, true, true, default_pool, external.stack});
  std::ranges::stable_sort(snapshot, {}, &HostBlockState::address);
  return snapshot;
}

}  // namespace vramlab::allocator
