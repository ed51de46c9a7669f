#include "tests/support/twin/host_twin.h"

#include <algorithm>

#include "allocator/pinned/host_pools.h"

namespace vramlab::tests {

using namespace allocator;

namespace {

/// The smallest k with 2^k at least as large.
int bucket_of(Bytes size) {
  int bucket = 0;
  while (bucket < 63 && (std::uint64_t{1} << bucket) < size.count) ++bucket;
  return bucket;
}

constexpr std::uint64_t half_of_all = std::uint64_t{1} << 63;

}  // namespace

std::optional<SettingsError> HostTwin::set_options(std::string_view text) {
  const ParsedSettings parsed = parse_settings(settings_, text, version_);
  settings_ = parsed.settings;
  return parsed.error;
}

PoolId HostTwin::choose_pool(StreamId current) const {
  for (const auto& [id, accepts] : scopes_)
    if (accepts(current)) {
      if (!pools_.contains(id)) throw HostError(HostErrorKind::internal, "the pool was forgotten");
      return id;
    }
  return default_pool;
}

Bytes HostTwin::round(Bytes size) const {
  if (size > settings_.pinned_max_round_threshold) return size;
  if (size > settings_.pinned_max_cached_size) return size;
  return {std::uint64_t{1} << bucket_of(size)};
}

HostMallocResult HostTwin::malloc(Bytes size, StreamId current, HostStack stack) {
  if (size.count == 0) return {MallocOutcome::nothing, {}, {}};
  MaybeHostStack captured;
  if (recording_ && level_ >= HostStackLevel::state) captured = stack;
  const PoolId id = choose_pool(current);
  const bool background = settings_.pinned_use_background_threads;
  if (!background || id != default_pool) handle(id, captured);
  const HostMallocResult failure{MallocOutcome::out_of_memory, {}, {}};
  if (size.count > half_of_all) return failure;

  const Bytes rounded = round(size);
  std::optional<Address> at = search(pools_.at(id), rounded);
  if (!at && background) {
    if (version_.host.miss == HostMiss::handles_events_of_its_size) {
      handle_of_size(id, rounded, captured);
      at = search(pools_.at(id), rounded);
    }
    if (!at) thread_started_ = true;
  }
  if (!at) {
    bool registered = false;
    at = obtain(rounded, registered);
    if (!at) return failure;
    Block made;
    made.size = rounded;
    made.pool = id;
    made.registered = registered;
    blocks_[*at] = made;
    record(Action::segment_alloc, *at, made, captured);
    raise(values_.allocations, {1});
    raise(values_.allocated_bytes, rounded);
    ++values_.bucket_allocations[static_cast<std::size_t>(bucket_of(rounded))];
  }
  Block& block = blocks_.at(*at);
  block.allocated = true;
  block.captured = !scopes_.empty() && system_.is_capturing(current);
  block.stack = captured;
  raise(active_requests_[counter_of(block)], {1});
  raise(active_bytes_[counter_of(block)], block.size);
  record(Action::alloc, *at, block, captured);
  return {MallocOutcome::allocated, *at, block.size};
}

std::optional<Address> HostTwin::search(Pool& pool, Bytes size) {
  std::list<Address>& list = pool.free_lists[bucket_of(size)];
  const bool looks_at_sizes = version_.host.free_block == HostFreeBlock::youngest_large_enough;
  for (auto place = list.end(); place != list.begin();) {
    --place;
    if (looks_at_sizes && blocks_.at(*place).size < size) continue;
    const Address at = *place;
    list.erase(place);
    return at;
  }
  return std::nullopt;
}

std::optional<Address> HostTwin::ask_system(Bytes size) {
  const auto way =
      settings_.pinned_use_cuda_host_register ? PinnedBy::registration : PinnedBy::allocation;
  const std::uint64_t before = system_.time_us();
  const auto at = system_.obtain(size, way);
  if (at) book(values_.alloc_time, system_.time_us() - before);
  return at;
}

std::optional<Address> HostTwin::obtain(Bytes size, bool& registered) {
  if (!reserve_decided_) {
    if (settings_.pinned_reserve_segment_size_mb > 0) {
      const Bytes wanted{
          std::min<std::uint64_t>(settings_.pinned_reserve_segment_size_mb, 17592186044415U) *
          1024 * 1024};
      const auto segment = ask_system(wanted);
      if (!segment) return std::nullopt;
      reserve_begin_ = reserve_mark_ = *segment;
      reserve_end_ = *segment + wanted;
    }
    reserve_decided_ = true;
  }
  const std::uint64_t left = (reserve_end_ - reserve_mark_).count;
  const std::uint64_t pages = size.count / 4096 + (size.count % 4096 == 0 ? 0 : 1);
  if (left / 4096 >= pages) {
    const Address at = reserve_mark_;
    reserve_mark_ = at + Bytes{pages * 4096};
    return at;
  }
  registered = settings_.pinned_use_cuda_host_register;
  return ask_system(size);
}

void HostTwin::release(Address at, const Block& block) {
  if (reserve_begin_ <= at && at < reserve_end_) return;
  bool registered = block.registered;
  if (version_.host.release == HostRelease::by_option)
    registered = settings_.pinned_use_cuda_host_register;
  const std::uint64_t before = system_.time_us();
  system_.release(at, registered ? PinnedBy::registration : PinnedBy::allocation);
  book(values_.free_time, system_.time_us() - before);
}

bool HostTwin::use(Address at, StreamId stream) {
  if (!blocks_.contains(at)) return false;
  Block& block = blocks_.at(at);
  if (!block.allocated) throw HostError(HostErrorKind::internal, "the block is not allocated");
  block.streams.insert(stream);
  return true;
}

void HostTwin::free(Address at, HostStack stack) {
  if (!blocks_.contains(at) || !blocks_.at(at).allocated)
    throw AllocatorError("freed but not allocated");
  Block& block = blocks_.at(at);
  MaybeHostStack captured;
  if (level_ == HostStackLevel::all) captured = stack;
  record(Action::free_requested, at, block, captured ? captured : block.stack);
  block.allocated = false;
  if (block.streams.empty()) {
    complete(at, captured);
    return;
  }
  const std::set<StreamId> streams = block.streams;
  Queue recorded;
  try {
    if (!block.captured)
      for (const StreamId stream : streams) recorded.emplace_back(system_.record_event(stream), at);
  } catch (const DeviceError&) {
    for (const auto& [event, address] : recorded) system_.forget_event(event);
    if (version_.host.failed_event == HostFailedEvent::keeps_waiting) {
      block.events += streams.size();
      block.streams.clear();
    }
    if (settings_.pinned_free_catch_all) return;
    throw;
  }
  block.events += streams.size();
  block.streams.clear();
  for (const auto& entry : recorded) pools_.at(block.pool).queue.push_back(entry);
}

void HostTwin::handle(PoolId id, MaybeHostStack stack) {
  Queue& queue = pools_.at(id).queue;
  while (!queue.empty()) {
    const auto [event, at] = queue.front();
    if (!system_.is_complete(event)) break;
    queue.pop_front();
    system_.forget_event(event);
    blocks_.at(at).events -= 1;
    if (blocks_.at(at).events == 0) complete(at, stack);
  }
}

void HostTwin::handle_of_size(PoolId id, Bytes size, MaybeHostStack stack) {
  Queue& queue = pools_.at(id).queue;
  const std::size_t m = queue.size();
  std::size_t c = 0;
  while (true) {
    if (queue.empty()) return;
    const auto e = queue.front();
    queue.pop_front();
    if (c == m + 1) {
      queue.push_back(e);
      return;
    }
    ++c;
    Block& block = blocks_.at(e.second);
    if (block.size != size || !system_.is_complete(e.first)) {
      queue.push_back(e);
      continue;
    }
    system_.forget_event(e.first);
    block.events -= 1;
    if (block.events == 0) {
      complete(e.second, stack);
      return;
    }
  }
}

std::pair<PoolId, int> HostTwin::counter_of(const Block& block) const {
  const bool by_pool = version_.host.peaks == allocator::HostPeaks::of_pools_and_buckets;
  return {by_pool ? block.pool : default_pool, bucket_of(block.size)};
}

void HostTwin::complete(Address at, MaybeHostStack stack) {
  Block& block = blocks_.at(at);
  record(Action::free_completed, at, block, stack ? stack : block.stack);
  if (recording_) block.stack = std::nullopt;
  lower(active_requests_[counter_of(block)], {1});
  lower(active_bytes_[counter_of(block)], block.size);
  if (block.size <= settings_.pinned_max_cached_size) {
    pools_.at(block.pool).free_lists[bucket_of(block.size)].push_back(at);
    return;
  }
  const Block gone = block;
  blocks_.erase(at);
  release(at, gone);
  record(Action::segment_free, at, gone, std::nullopt);
  lower(values_.allocations, {1});
  lower(values_.allocated_bytes, gone.size);
}

void HostTwin::release_free(PoolId id) {
  for (int bucket = 0; bucket < 64; ++bucket) {
    std::list<Address> list;
    list.swap(pools_.at(id).free_lists[bucket]);
    for (const Address at : list) {
      const Block gone = blocks_.at(at);
      blocks_.erase(at);
      release(at, gone);
      record(Action::segment_free, at, gone, std::nullopt);
      lower(values_.allocations, {1});
      lower(values_.allocated_bytes, gone.size);
    }
  }
}

bool HostTwin::holds_blocks(PoolId id) const {
  return std::ranges::any_of(blocks_, [id](const auto& entry) { return entry.second.pool == id; });
}

void HostTwin::empty_cache() {
  handle(default_pool, std::nullopt);
  release_free(default_pool);
  std::vector<PoolId> freeable;
  for (const auto& [id, pool] : pools_)
    if (id != default_pool && pool.uses <= 0) freeable.push_back(id);
  for (const PoolId id : freeable) {
    handle(id, std::nullopt);
    release_free(id);
    if (holds_blocks(id)) continue;
    pools_.erase(id);
    for (auto* counters : {&active_requests_, &active_bytes_})
      for (int bucket = 0; bucket < 64; ++bucket) {
        const StatisticValue old = (*counters)[{id, bucket}];
        StatisticValue& kept = (*counters)[{default_pool, bucket}];
        kept.current += old.current;
        kept.peak += old.peak;
        kept.allocated += old.allocated;
        kept.freed += old.freed;
        counters->erase({id, bucket});
      }
  }
}

void HostTwin::run_background_thread() {
  if (thread_started_) handle(default_pool, std::nullopt);
}

void HostTwin::begin_pool(PoolId id, StreamFilter filter) {
  if (!pools_.contains(id)) {
    pools_[id].uses = 1;
  } else {
    if (pools_[id].uses <= 0) throw HostError(HostErrorKind::internal, "nobody holds the pool");
    ++pools_[id].uses;
  }
  for (const auto& [open, accepts] : scopes_)
    if (open == id) throw HostError(HostErrorKind::already_recording, "already open");
  scopes_.emplace_back(id, std::move(filter));
}

void HostTwin::end_pool(PoolId id) {
  const auto scope =
      std::ranges::find_if(scopes_, [id](const auto& candidate) { return candidate.first == id; });
  if (scope == scopes_.end()) throw HostError(HostErrorKind::not_recording, "not open");
  scopes_.erase(scope);
}

void HostTwin::release_pool(PoolId id) {
  if (!pools_.contains(id)) throw HostError(HostErrorKind::unknown_pool, "no such pool");
  Pool& pool = pools_.at(id);
  --pool.uses;
  if (pool.uses < 0) throw HostError(HostErrorKind::internal, "released too often");
}

std::unique_ptr<replay::HostSubject> make_host_twin(HostSystem& system,
                                                    const ReferenceVersion& version) {
  return std::make_unique<HostTwin>(system, version);
}

}  // namespace vramlab::tests
