// Statistics: the listener that keeps the reference's counters.
//
// On the hot path only sums that cannot be derived are kept: decreases follow from the sum of
// increases and the current value, and the figure for all pools from the small and the large one,
// except its peak.
#pragma once

#include <algorithm>
#include <array>

#include "allocator/listeners.h"
#include "allocator/statistic_values.h"

namespace vramlab::allocator {

class Statistics : public Listener {
 public:
  void handed_out(const BlockFact& block, Oversize oversize) {
    const PoolKind kind = block.lane.kind;
    const auto size = static_cast<std::int64_t>(block.size.count);
    increase(allocation, kind, 1);
    increase(allocated_bytes, kind, size);
    increase(active, kind, 1);
    increase(active_bytes, kind, size);
    increase(requested_bytes, kind, static_cast<std::int64_t>(block.requested.count));
    if (oversize == Oversize::yes) [[unlikely]]
      increase_single(oversize_allocations_);
  }
  void free_requested(const BlockFact& block, Oversize oversize) {
    decrease(allocation, block.lane.kind, 1);
    decrease(allocated_bytes, block.lane.kind, static_cast<std::int64_t>(block.size.count));
    if (oversize == Oversize::yes) [[unlikely]]
      decrease_single(oversize_allocations_);
  }
  void free_completed(const BlockFact& block) {
    const PoolKind kind = block.lane.kind;
    decrease(active, kind, 1);
    decrease(active_bytes, kind, static_cast<std::int64_t>(block.size.count));
    decrease(requested_bytes, kind, static_cast<std::int64_t>(block.requested.count));
  }
  void inactive_split_changed(PoolKind kind, std::int64_t count, std::int64_t bytes) {
    change(inactive_split, kind, count);
    change(inactive_split_bytes, kind, bytes);
  }
  void segment_got(const RangeFact& range, Oversize oversize);
  void segment_released(const RangeFact& range, Oversize oversize);
  void range_mapped(const RangeFact& range);
  void range_unmapped(const RangeFact& range);
  void retried() { ++num_alloc_retries_; }
  void synchronised() { ++num_sync_all_streams_; }
  void ran_out_of_memory(Bytes, Bytes, const Lane&) { ++num_ooms_; }
  void attempt_rejected() { ++num_oom_rejections_; }

  StatisticValues values() const;
  void reset_peak();
  void reset_accumulated();

 private:
  enum Counter : std::uint8_t {
    allocation,
    allocated_bytes,
    active,
    active_bytes,
    requested_bytes,
    inactive_split,
    inactive_split_bytes,
    segment,
    reserved_bytes,
    counter_count,
  };
  struct Series {
    std::int64_t current = 0;
    std::int64_t peak = 0;
    std::int64_t allocated = 0;
    /// The current value when the sums were last set to 0.
    std::int64_t current_at_reset = 0;
  };

  void increase(Counter counter, PoolKind kind, std::int64_t by) {
    auto& halves = series_[counter];
    Series& series = halves[static_cast<std::size_t>(kind)];
    series.current += by;
    series.allocated += by;
    series.peak = std::max(series.peak, series.current);
    peak_of_all_[counter] = std::max(peak_of_all_[counter], halves[0].current + halves[1].current);
  }
  void decrease(Counter counter, PoolKind kind, std::int64_t by) {
    series_[counter][static_cast<std::size_t>(kind)].current -= by;
  }
  void change(Counter counter, PoolKind kind, std::int64_t by) {
    if (by > 0)
      increase(counter, kind, by);
    else
      decrease(counter, kind, -by);
  }
  static void increase_single(StatisticValue& value);
  static void decrease_single(StatisticValue& value);
  PooledStatistic value_of(Counter counter) const;

  std::array<std::array<Series, 2>, counter_count> series_{};
  std::array<std::int64_t, counter_count> peak_of_all_{};
  StatisticValue oversize_allocations_;
  StatisticValue oversize_segments_;
  std::int64_t num_alloc_retries_ = 0;
  std::int64_t num_ooms_ = 0;
  std::int64_t num_sync_all_streams_ = 0;
  std::int64_t num_device_alloc_ = 0;
  std::int64_t num_device_free_ = 0;
  std::int64_t num_oom_rejections_ = 0;
};

}  // namespace vramlab::allocator
