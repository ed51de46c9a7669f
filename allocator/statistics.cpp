#include "allocator/statistics.h"

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

void Statistics::segment_got(const RangeFact& range, Oversize oversize) {
  increase(segment, range.lane.kind, 1);
  increase(reserved_bytes, range.lane.kind, static_cast<std::int64_t>(range.size.count));
  if (oversize == Oversize::yes) increase_single(oversize_segments_);
  ++num_device_alloc_;
}

void Statistics::segment_released(const RangeFact& range, Oversize oversize) {
  decrease(segment, range.lane.kind, 1);
  decrease(reserved_bytes, range.lane.kind, static_cast<std::int64_t>(range.size.count));
  if (oversize == Oversize::yes) decrease_single(oversize_segments_);
  ++num_device_free_;
}

void Statistics::range_mapped(const RangeFact& range) {
  increase(reserved_bytes, range.lane.kind, static_cast<std::int64_t>(range.size.count));
  ++num_device_alloc_;
}

void Statistics::range_unmapped(const RangeFact& range) {
  decrease(reserved_bytes, range.lane.kind, static_cast<std::int64_t>(range.size.count));
  ++num_device_free_;
}

PooledStatistic Statistics::value_of(Counter counter, Counter sum_of) const {
  const auto half = [this, counter, sum_of](std::size_t kind) {
    const Series& series = series_[counter][kind];
    const std::int64_t sum = series_[sum_of][kind].sum;
    return StatisticValue{series.current, series.peak, sum,
                          sum - (series.current - series.current_at_reset)};
  };
  PooledStatistic value;
  value.small_pool = half(0);
  value.large_pool = half(1);
  value.all.current = value.small_pool.current + value.large_pool.current;
  value.all.peak = peak_of_all_[counter];
  value.all.allocated = value.small_pool.allocated + value.large_pool.allocated;
  value.all.freed = value.small_pool.freed + value.large_pool.freed;
  return value;
}

StatisticValues Statistics::values() const {
  StatisticValues values;
  values.allocation = value_of(allocation);
  values.segment = value_of(segment);
  values.active = value_of(active, allocation);
  values.inactive_split = value_of(inactive_split);
  values.allocated_bytes = value_of(allocated_bytes);
  values.reserved_bytes = value_of(reserved_bytes);
  values.active_bytes = value_of(active_bytes, allocated_bytes);
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

void Statistics::reset_peak() {
  for (std::size_t counter = 0; counter < counter_count; ++counter) {
    auto& halves = series_[counter];
    for (Series& series : halves) series.peak = series.current;
    peak_of_all_[counter] = halves[0].current + halves[1].current;
  }
  oversize_allocations_.peak = oversize_allocations_.current;
  oversize_segments_.peak = oversize_segments_.current;
}

void Statistics::reset_accumulated() {
  for (auto& halves : series_) {
    for (Series& series : halves) {
      series.sum = 0;
      series.current_at_reset = series.current;
    }
  }
  for (StatisticValue* value : {&oversize_allocations_, &oversize_segments_})
    value->allocated = value->freed = 0;
  num_alloc_retries_ = num_ooms_ = num_sync_all_streams_ = 0;
  num_device_alloc_ = num_device_free_ = num_oom_rejections_ = 0;
}

}  // namespace vramlab::allocator
