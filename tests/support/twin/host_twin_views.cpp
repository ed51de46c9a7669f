#include <algorithm>

#include "tests/support/twin/host_twin.h"

namespace vramlab::tests {

using namespace allocator;

void HostTwin::record(Action action, Address at, const Block& block, MaybeHostStack stack) {
  insert({action, at, block.size, block.pool, stack});
}

void HostTwin::insert(HostEvent entry) {
  if (!recording_) return;
  if (level_ != HostStackLevel::alloc && level_ != HostStackLevel::all) entry.stack = std::nullopt;
  if (ring_.size() < ring_limit_) {
    ring_.push_back(entry);
    return;
  }
  ring_[ring_position_] = entry;
  ring_position_ = ring_position_ + 1;
  if (ring_position_ == ring_limit_) ring_position_ = 0;
}

void HostTwin::record_history(const HostRecording& recording) {
  recording_ = recording.enabled;
  if (recording.enabled) {
    level_ = recording.level;
    ring_limit_ = recording.limit == 0 ? 1 : recording.limit;
  } else {
    level_ = HostStackLevel::never;
  }
  if (recording.clear) {
    ring_ = {};
    ring_position_ = 0;
  }
}

std::vector<HostEvent> HostTwin::history() const {
  std::vector<HostEvent> read;
  for (std::size_t i = ring_position_; i < ring_.size(); ++i) read.push_back(ring_[i]);
  for (std::size_t i = 0; i < ring_position_; ++i) read.push_back(ring_[i]);
  return read;
}

void HostTwin::register_external(Address at, Bytes size, HostStack stack) {
  if (!recording_) return;
  MaybeHostStack captured;
  if (level_ >= HostStackLevel::state) captured = stack;
  registrations_[at] = {size, captured};
  insert({Action::segment_alloc, at, size, default_pool, std::nullopt});
  insert({Action::alloc, at, size, default_pool, captured});
}

void HostTwin::unregister_external(Address at, HostStack stack) {
  if (!registrations_.contains(at)) return;
  const auto [size, registered_in] = registrations_.at(at);
  registrations_.erase(at);
  MaybeHostStack captured;
  if (level_ == HostStackLevel::all) captured = stack;
  insert({Action::free_requested, at, size, default_pool, captured});
  insert({Action::free_completed, at, size, default_pool, registered_in});
  insert({Action::segment_free, at, size, default_pool, std::nullopt});
}

HostSnapshot HostTwin::snapshot() const {
  HostSnapshot list;
  for (const auto& [at, block] : blocks_)
    list.push_back({at, block.size, block.allocated, block.allocated || block.events > 0,
                    block.pool, block.stack});
  for (const auto& [at, registration] : registrations_)
    list.push_back({at, registration.first, true, true, default_pool, registration.second});
  std::ranges::stable_sort(list, {}, &HostBlockState::address);
  return list;
}

void HostTwin::raise(StatisticValue& value, Bytes amount) {
  const auto signed_amount = static_cast<std::int64_t>(amount.count);
  value.current += signed_amount;
  value.allocated += signed_amount;
  if (value.current > value.peak) value.peak = value.current;
}

void HostTwin::lower(StatisticValue& value, Bytes amount) {
  const auto signed_amount = static_cast<std::int64_t>(amount.count);
  value.current -= signed_amount;
  value.freed += signed_amount;
}

void HostTwin::book(HostTimes& times, std::uint64_t us) {
  times.total += us;
  times.count += 1;
  if (us > times.max) times.max = us;
  if (times.min == 0 || us < times.min) times.min = us;
}

HostStatisticValues HostTwin::statistics() const {
  HostStatisticValues values = values_;
  const auto add = [](StatisticValue& sum, const StatisticValue& part) {
    sum.current += part.current;
    sum.peak += part.peak;
    sum.allocated += part.allocated;
    sum.freed += part.freed;
  };
  for (const auto& [bucket, requests] : active_requests_) add(values.active_requests, requests);
  for (const auto& [bucket, bytes] : active_bytes_) add(values.active_bytes, bytes);
  return values;
}

void HostTwin::reset_peak_statistics() {
  values_.allocations.peak = values_.allocations.current;
  values_.allocated_bytes.peak = values_.allocated_bytes.current;
  for (auto& [bucket, value] : active_requests_) value.peak = value.current;
  for (auto& [bucket, value] : active_bytes_) value.peak = value.current;
  values_.alloc_time.max = values_.alloc_time.min = 0;
  values_.free_time.max = values_.free_time.min = 0;
}

void HostTwin::reset_accumulated_statistics() {
  values_.allocations.allocated = values_.allocations.freed = 0;
  values_.allocated_bytes.allocated = values_.allocated_bytes.freed = 0;
  for (auto& [bucket, value] : active_requests_) value.allocated = value.freed = 0;
  for (auto& [bucket, value] : active_bytes_) value.allocated = value.freed = 0;
  values_.bucket_allocations = {};
  values_.alloc_time.total = values_.alloc_time.count = 0;
  values_.free_time.total = values_.free_time.count = 0;
}

}  // namespace vramlab::tests
