// The door's other half: settings, streams, scopes and private pools, and what a failed request
// leaves behind. Included where an allocator with a set of listeners is instantiated.
#pragma once

#include <string>

#include "allocator/caching_allocator.h"
#include "allocator/options/size_rules.h"
#include "allocator/types/answers.h"
#include "allocator/types/ids.h"

namespace vramlab::allocator {

/// Nine eighths of it, the addresses that an expandable segment reserves, are one block.
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
    core_.listeners.acted({17, 7});
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
  if (captures != has_scope) core_.listeners.acted({17, 23});
  return captures ? InCapture::yes : InCapture::no;
}

template <class L>
void CachingAllocator<L>::empty_cache(PoolId pool) {
  const InCapture captures = in_capture();
  if (captures == InCapture::yes && is_refused_in_capture(pool))
    throw AllocatorError("the cache cannot be emptied during a capture");
  reclaim_.release_all(pool, captures);
}

/// Waiting for events would be illegal then. Nothing is waited for where nothing may be released.
template <class L>
bool CachingAllocator<L>::is_refused_in_capture(PoolId pool) const {
  if (pool == default_pool)
    return core_.version.empty_cache_in_capture == EmptyCacheInCapture::refused;
  const PrivatePool* only = core_.find_private_pool(pool);
  return only != nullptr && only->is_freeable();
}

template <class L>
std::optional<SettingsError> CachingAllocator<L>::set_options(std::string_view text) {
  core_.listeners.acted({2, 2});
  core_.listeners.acted({2, 5});
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
    core_.listeners.acted({17, 4});
    core_.allowed.reset();
  } else {
    core_.listeners.acted({3, 6});
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
  core_.listeners.acted({11, 1});
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
  core_.listeners.acted({11, 3});
  if (core_.settings.graph_capture_record_stream_reuse) {
    core_.listeners.acted({17, 17});
    frees_.finish_deferred_of(*core_.find_private_pool(pool));
  }
  scopes_.close(pool);
  if (scopes_.is_empty()) frees_.forget_captures();
}

template <class L>
void CachingAllocator<L>::release_pool(PoolId pool) {
  --usable_pool(pool, "released").use_count;
  core_.listeners.acted({11, 4});
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
  core_.listeners.acted({17, 13});
  lending_pools_.erase(pool);
  --used.use_count;
  reclaim_.release_all(pool, InCapture::no);
}

template <class L>
MallocResult CachingAllocator<L>::refuse_huge(Bytes request) {
  core_.listeners.acted({1, 5});
  last_failure_ = describe_failure(MallocOutcome::out_of_memory, request, request);
  return {MallocOutcome::out_of_memory, {}};
}

template <class L>
MallocResult CachingAllocator<L>::fail(MallocOutcome outcome, const Lane& lane, Bytes request,
                                       Bytes rounded) {
  last_failure_ = describe_failure(outcome, request, device_size_for_miss(rounded, core_.settings));
  if (outcome == MallocOutcome::out_of_memory) {
    core_.listeners.acted({4, 7});
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

}  // namespace vramlab::allocator
