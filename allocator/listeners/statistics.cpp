#include "allocator/listeners/statistics.h"

#include <cstdlib>

namespace vramlab::allocator {

void Statistics::increase_single(StatisticValue& value) {
  ++value.current;
  ++value.allocated;
  value.peak = std::max(value.peak, value.current);
}

void Statistics::decrease_single(StatisticValue& value) {
  --value.current;
  ++value.freed;
}

void Statistics::note_peaks() {
  for (std::size_t kind = 0; kind < to_peak_.size(); ++kind) {
    for (std::size_t counter = 0; counter < counter_count; ++counter) {
      std::int64_t& to_peak = to_peak_[kind][counter];
      if (to_peak >= 0) continue;
      peak_[kind][counter] -= to_peak;
      to_peak = 0;
    }
  }
}

void Statistics::increase(Counter counter, PoolKind kind, std::int64_t by) {
  decrease(counter, kind, -by);
  sum_[static_cast<std::size_t>(kind)][counter] += by;
  note_peaks();
}

void Statistics::add_reserved(PooledStatistic& pool, PoolKind kind, std::int64_t bytes) {
  StatisticValue& half = kind == PoolKind::small ? pool.small_pool : pool.large_pool;
  for (StatisticValue* value : {&pool.all, &half}) {
    value->current += bytes;
    (bytes < 0 ? value->freed : value->allocated) += std::abs(bytes);
    value->peak = std::max(value->peak, value->current);
  }
}

void Statistics::change_reserved(const RangeFact& range, std::int64_t bytes) {
  if (bytes < 0)
    decrease(reserved_bytes, range.lane.kind, -bytes);
  else
    increase(reserved_bytes, range.lane.kind, bytes);
  const Pool& pool = *range.lane.pool;
  if (pool.owner != nullptr) add_reserved(in_private_pools_[pool.id], range.lane.kind, bytes);
}

void Statistics::segment_got(const RangeFact& range, Oversize oversize) {
  increase(segment, range.lane.kind, 1);
  change_reserved(range, static_cast<std::int64_t>(range.size.count));
  if (oversize == Oversize::yes) increase_single(oversize_segments_);
  ++num_device_alloc_;
}

void Statistics::segment_released(const RangeFact& range, Oversize oversize) {
  decrease(segment, range.lane.kind, 1);
  change_reserved(range, -static_cast<std::int64_t>(range.size.count));
  if (oversize == Oversize::yes) decrease_single(oversize_segments_);
  ++num_device_free_;
}

void Statistics::range_mapped(const RangeFact& range) {
  change_reserved(range, static_cast<std::int64_t>(range.size.count));
  ++num_device_alloc_;
}

void Statistics::range_unmapped(const RangeFact& range) {
  change_reserved(range, -static_cast<std::int64_t>(range.size.count));
  ++num_device_free_;
}

void Statistics::start_from(const Snapshot& snapshot) {
  const auto signed_of = [](Bytes size) { return static_cast<std::int64_t>(size.count); };
  for (const SnapshotSegment& of : snapshot.segments) {
    if (!of.is_expandable) increase(segment, of.kind, 1);
    increase(reserved_bytes, of.kind, signed_of(of.total_size));
    if (of.pool != default_pool)
      add_reserved(in_private_pools_[of.pool], of.kind, signed_of(of.total_size));
    for (const SnapshotBlock& block : of.blocks) {
      if (block.state == BlockState::active_allocated) {
        increase(allocation, of.kind, 1);
        increase(allocated_bytes, of.kind, signed_of(block.size));
        increase(requested_bytes, of.kind, signed_of(block.requested));
      } else if (block.state == BlockState::inactive && !of.is_expandable && of.blocks.size() > 1) {
        increase(inactive_split, of.kind, 1);
        increase(inactive_split_bytes, of.kind, signed_of(block.size));
      }
    }
  }
  reset_accumulated();
}

void Statistics::add_waiting(const BlockFact& block, std::int64_t sign) {
  const auto half = static_cast<std::size_t>(block.lane.kind);
  waiting_count_ += sign;
  waiting_[allocation].current[half] += sign;
  waiting_[allocated_bytes].current[half] += sign * static_cast<std::int64_t>(block.size.count);
}

void Statistics::free_requested(const BlockFact& block, Oversize oversize) {
  decrease(allocation, block.lane.kind, 1);
  decrease(allocated_bytes, block.lane.kind, static_cast<std::int64_t>(block.size.count));
  add_waiting(block, 1);
  if (oversize == Oversize::yes) decrease_single(oversize_allocations_);
}

void Statistics::free_completed(const BlockFact& block) {
  decrease(requested_bytes, block.lane.kind, static_cast<std::int64_t>(block.requested.count));
  add_waiting(block, -1);
}

void Statistics::note_active_peaks() {
  for (const Counter counter : {allocation, allocated_bytes}) {
    Waiting& waiting = waiting_[counter];
    const std::int64_t small = current(0, counter) + waiting.current[0];
    const std::int64_t large = current(1, counter) + waiting.current[1];
    const std::array<std::int64_t, 3> active = {small, large, small + large};
    for (std::size_t i = 0; i < active.size(); ++i)
      waiting.active_peak[i] = std::max(waiting.active_peak[i], active[i]);
  }
}

PooledStatistic Statistics::value_of(Counter counter) const {
  const auto half = [&](std::size_t kind) {
    const std::int64_t now = current(kind, counter);
    const std::int64_t sum = sum_[kind][counter];
    return StatisticValue{now, peak_[kind][counter], sum,
                          sum - (now - current_at_reset_[kind][counter])};
  };
  PooledStatistic value;
  value.small_pool = half(0);
  value.large_pool = half(1);
  value.all.current = current_of_all(counter);
  value.all.peak = peak_[all][counter];
  value.all.allocated = value.small_pool.allocated + value.large_pool.allocated;
  value.all.freed = value.small_pool.freed + value.large_pool.freed;
  return value;
}

PooledStatistic Statistics::value_with_waiting(Counter allocated) const {
  PooledStatistic value = value_of(allocated);
  const Waiting& waiting = waiting_[allocated];
  const auto add = [&](StatisticValue& half, std::size_t i) {
    half.current += waiting.current[i];
    half.freed -= waiting.current[i] - waiting.current_at_reset[i];
    half.peak = std::max(half.peak, waiting.active_peak[i]);
  };
  add(value.small_pool, 0);
  add(value.large_pool, 1);
  value.all.current = value.small_pool.current + value.large_pool.current;
  value.all.freed = value.small_pool.freed + value.large_pool.freed;
  value.all.peak = std::max(value.all.peak, waiting.active_peak[2]);
  return value;
}

StatisticValues Statistics::values() const {
  StatisticValues values;
  values.allocation = value_of(allocation);
  values.segment = value_of(segment);
  values.active = value_with_waiting(allocation);
  values.inactive_split = value_of(inactive_split);
  values.allocated_bytes = value_of(allocated_bytes);
  values.reserved_bytes = value_of(reserved_bytes);
  values.active_bytes = value_with_waiting(allocated_bytes);
  values.inactive_split_bytes = value_of(inactive_split_bytes);
  values.requested_bytes = value_of(requested_bytes);
  values.oversize_allocations = oversize_allocations_;
  values.oversize_segments = oversize_segments_;
  values.num_alloc_retries = num_alloc_retries_;
  values.num_ooms = num_ooms_;
  values.num_sync_all_streams = num_sync_all_streams_;
  values.num_device_alloc = num_device_alloc_;
  values.num_device_free = num_device_free_;
  values.num_oom_rejections = num_oom_rejections_;
  return values;
}

template <class Change>
void Statistics::for_each_single(const Change& change) {
  change(oversize_allocations_);
  change(oversize_segments_);
  for (auto& [id, pool] : in_private_pools_)
    for (StatisticValue* value : {&pool.all, &pool.small_pool, &pool.large_pool}) change(*value);
}

void Statistics::reset_peak() {
  for (std::size_t kind = 0; kind < to_peak_.size(); ++kind) {
    for (std::size_t counter = 0; counter < counter_count; ++counter)
      peak_[kind][counter] -= to_peak_[kind][counter];
    to_peak_[kind] = {};
  }
  for (Waiting& waiting : waiting_) waiting.active_peak = {};
  note_active_peaks();
  for_each_single([](StatisticValue& value) { value.peak = value.current; });
}

void Statistics::reset_accumulated() {
  sum_ = {};
  for (std::size_t kind = 0; kind < sum_.size(); ++kind)
    for (std::size_t counter = 0; counter < counter_count; ++counter)
      current_at_reset_[kind][counter] = peak_[kind][counter] - to_peak_[kind][counter];
  for (Waiting& waiting : waiting_) waiting.current_at_reset = waiting.current;
  for_each_single([](StatisticValue& value) { value.allocated = value.freed = 0; });
  num_alloc_retries_ = num_ooms_ = num_sync_all_streams_ = 0;
  num_device_alloc_ = num_device_free_ = num_oom_rejections_ = 0;
}

}  // namespace vramlab::allocator
