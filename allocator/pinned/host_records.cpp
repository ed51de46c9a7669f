#include "allocator/pinned/host_records.h"

#include <algorithm>

#include "allocator/pinned/host_pools.h"

namespace vramlab::allocator {
namespace {

void increase(StatisticValue& value, std::uint64_t amount) {
  value.current += static_cast<std::int64_t>(amount);
  value.allocated += static_cast<std::int64_t>(amount);
  value.peak = std::max(value.peak, value.current);
}

void decrease(StatisticValue& value, std::uint64_t amount) {
  value.current -= static_cast<std::int64_t>(amount);
  value.freed += static_cast<std::int64_t>(amount);
}

void add_each_number(StatisticValue& sum, const StatisticValue& value) {
  sum.current += value.current;
  sum.peak += value.peak;
  sum.allocated += value.allocated;
  sum.freed += value.freed;
}

}  // namespace

void HostStatistics::block_made(Bytes size) {
  increase(allocations_, 1);
  increase(allocated_bytes_, size.count);
  ++made_[host_bucket_of(size)];
}

void HostStatistics::block_gone(Bytes size) {
  decrease(allocations_, 1);
  decrease(allocated_bytes_, size.count);
}

HostStatistics::Bucket& HostStatistics::bucket_for(PoolId pool, Bytes size) {
  Buckets& buckets = pool == default_pool ? in_default_pool_ : in_private_pools_[pool];
  return buckets[host_bucket_of(size)];
}

void HostStatistics::handed_out(PoolId pool, Bytes size) {
  Bucket& bucket = bucket_for(pool, size);
  increase(bucket.active_requests, 1);
  increase(bucket.active_bytes, size.count);
}

void HostStatistics::free_completed(PoolId pool, Bytes size) {
  Bucket& bucket = bucket_for(pool, size);
  decrease(bucket.active_requests, 1);
  decrease(bucket.active_bytes, size.count);
}

void HostStatistics::add(Buckets& sum, const Buckets& part) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    add_each_number(sum[i].active_requests, part[i].active_requests);
    add_each_number(sum[i].active_bytes, part[i].active_bytes);
  }
}

void HostStatistics::pool_gone(PoolId pool) {
  const auto found = in_private_pools_.find(pool);
  if (found == in_private_pools_.end()) return;
  add(in_default_pool_, found->second);
  in_private_pools_.erase(found);
}

void HostStatistics::add(HostTimes& times, std::uint64_t us) {
  times.total += us;
  ++times.count;
  times.max = std::max(times.max, us);
  times.min = times.min == 0 ? us : std::min(times.min, us);
}

template <typename Change>
void HostStatistics::for_each_counter(Change change) {
  change(allocations_);
  change(allocated_bytes_);
  const auto change_all = [&](Buckets& buckets) {
    for (Bucket& bucket : buckets) {
      change(bucket.active_requests);
      change(bucket.active_bytes);
    }
  };
  change_all(in_default_pool_);
  for (auto& [pool, buckets] : in_private_pools_) change_all(buckets);
}

void HostStatistics::reset_peak() {
  for_each_counter([](StatisticValue& value) { value.peak = value.current; });
  for (HostTimes* times : {&alloc_time_, &free_time_}) times->max = times->min = 0;
}

void HostStatistics::reset_accumulated() {
  for_each_counter([](StatisticValue& value) { value.allocated = value.freed = 0; });
  for (HostTimes* times : {&alloc_time_, &free_time_}) times->total = times->count = 0;
  made_.fill(0);
}

HostStatisticValues HostStatistics::values() const {
  HostStatisticValues values;
  values.allocations = allocations_;
  values.allocated_bytes = allocated_bytes_;
  values.alloc_time = alloc_time_;
  values.free_time = free_time_;
  Buckets all = in_default_pool_;
  for (const auto& [pool, buckets] : in_private_pools_) add(all, buckets);
  for (const Bucket& bucket : all) {
    add_each_number(values.active_requests, bucket.active_requests);
    add_each_number(values.active_bytes, bucket.active_bytes);
  }
  values.bucket_allocations = made_;
  return values;
}

void HostHistory::set(const HostRecording& recording) {
  is_on_ = recording.enabled;
  level_ = recording.enabled ? recording.level : HostStackLevel::never;
  if (recording.enabled) limit_ = std::max<std::uint64_t>(recording.limit, 1);
  if (!recording.clear) return;
  ring_.clear();
  position_ = 0;
}

MaybeHostStack HostHistory::of_request(HostStack stack) const {
  if (!is_on_ || level_ < HostStackLevel::state) return std::nullopt;
  return stack;
}

MaybeHostStack HostHistory::of_free(HostStack stack) const {
  if (level_ < HostStackLevel::all) return std::nullopt;
  return stack;
}

void HostHistory::record(HostEvent event) {
  if (!is_on_) return;
  if (level_ < HostStackLevel::alloc) event.stack.reset();
  if (ring_.size() < limit_) {
    ring_.push_back(event);
    return;
  }
  ring_[position_++] = event;
  // A limit below the number of entries, which the reference does not define, starts over too.
  if (position_ >= limit_) position_ = 0;
}

std::vector<HostEvent> HostHistory::events() const {
  const auto oldest = ring_.begin() + static_cast<std::ptrdiff_t>(position_);
  std::vector<HostEvent> events(oldest, ring_.end());
  events.insert(events.end(), ring_.begin(), oldest);
  return events;
}

}  // namespace vramlab::allocator
