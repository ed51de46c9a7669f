// Statistics: the listener that keeps the reference's counters.
//
// On the hot path only what cannot be derived is kept: decreases follow from the sum of increases
// and the current value, the figure for all pools from the small and the large one (except its
// peak), and active blocks are the allocated ones and those that wait, which are few.
#pragma once

#include <algorithm>
#include <array>

#include "allocator/listeners/listeners.h"
#include "allocator/words/snapshot.h"
#include "allocator/words/statistic_values.h"

namespace vramlab::allocator {

class Statistics : public Listener {
 public:
  void handed_out(const BlockFact& block, Oversize oversize) {
    const PoolKind kind = block.lane.kind;
    const auto size = static_cast<std::int64_t>(block.size.count);
    increase(allocation, kind, 1);
    increase(allocated_bytes, kind, size);
    increase(requested_bytes, kind, static_cast<std::int64_t>(block.requested.count));
    if (waiting_count_ > 0) [[unlikely]]
      note_active_peaks();
    if (oversize == Oversize::yes) [[unlikely]]
      increase_single(oversize_allocations_);
  }
  void freed_at_once(const BlockFact& block, Oversize oversize) {
    const PoolKind kind = block.lane.kind;
    decrease(allocation, kind, 1);
    decrease(allocated_bytes, kind, static_cast<std::int64_t>(block.size.count));
    decrease(requested_bytes, kind, static_cast<std::int64_t>(block.requested.count));
    if (oversize == Oversize::yes) [[unlikely]]
      decrease_single(oversize_allocations_);
  }
  void free_requested(const BlockFact& block, Oversize oversize);
  void free_completed(const BlockFact& block);
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
  /// The highest values of all pools together: of allocated and of reserved bytes.
  std::int64_t peak_allocated_bytes() const { return peak_of_all_[allocated_bytes]; }
  std::int64_t peak_reserved_bytes() const { return peak_of_all_[reserved_bytes]; }
  std::int64_t current_allocated_bytes() const { return current_of_all(allocated_bytes); }
  std::int64_t current_reserved_bytes() const { return current_of_all(reserved_bytes); }
  /// Freed, and not over on other streams.
  std::int64_t current_waiting_bytes() const {
    const auto& bytes = waiting_[allocated_bytes].current;
    return bytes[0] + bytes[1];
  }
  std::int64_t current_inactive_split_bytes() const { return current_of_all(inactive_split_bytes); }
  /// The allocator was not empty when the counting began. Requires: nothing was counted yet.
  void start_from(const Snapshot& snapshot);
  void reset_peak();
  void reset_accumulated();

 private:
  enum Counter : std::uint8_t {
    allocation,
    allocated_bytes,
    requested_bytes,
    inactive_split,
    inactive_split_bytes,
    segment,
    reserved_bytes,
    counter_count,
  };
  /// One counter of one half.
  struct Series {
    std::int64_t current = 0;
    std::int64_t peak = 0;
    /// The sum of increases.
    std::int64_t sum = 0;
    /// The current value when the sums were last set to 0.
    std::int64_t current_at_reset = 0;
  };

  void raise(Counter counter, PoolKind kind, std::int64_t by) {
    auto& halves = series_[counter];
    Series& series = halves[static_cast<std::size_t>(kind)];
    series.current += by;
    // A new peak is rare once a program runs evenly.
    if (series.current > series.peak) [[unlikely]]
      series.peak = series.current;
    const std::int64_t all = halves[0].current + halves[1].current;
    if (all > peak_of_all_[counter]) [[unlikely]]
      peak_of_all_[counter] = all;
  }
  void add_to_sum(Counter counter, PoolKind kind, std::int64_t by) {
    series_[counter][static_cast<std::size_t>(kind)].sum += by;
  }
  void increase(Counter counter, PoolKind kind, std::int64_t by) {
    raise(counter, kind, by);
    add_to_sum(counter, kind, by);
  }
  void decrease(Counter counter, PoolKind kind, std::int64_t by) {
    series_[counter][static_cast<std::size_t>(kind)].current -= by;
  }
  /// Up or down; written so that the two need no branch.
  void change(Counter counter, PoolKind kind, std::int64_t by) {
    raise(counter, kind, by);
    add_to_sum(counter, kind, std::max<std::int64_t>(by, 0));
  }
  /// Active blocks reach a peak of their own only while some wait.
  void note_active_peaks();
  std::int64_t current_of_all(Counter counter) const {
    return series_[counter][0].current + series_[counter][1].current;
  }
  static void increase_single(StatisticValue& value);
  static void decrease_single(StatisticValue& value);
  PooledStatistic value_of(Counter counter) const;
  /// What is allocated or waits. Requires: `allocated` counts blocks or their bytes.
  PooledStatistic value_with_waiting(Counter allocated) const;

  /// One of the two active statistics.
  struct Waiting {
    std::array<std::int64_t, 2> current{};
    std::array<std::int64_t, 2> current_at_reset{};
    /// Peaks of allocated and waiting together, for each half and for all.
    std::array<std::int64_t, 3> active_peak{};
  };
  void add_waiting(const BlockFact& block, std::int64_t sign);

  std::array<std::array<Series, 2>, counter_count> series_{};
  /// By the counter of what is allocated: blocks, bytes.
  std::array<Waiting, 2> waiting_{};
  std::int64_t waiting_count_ = 0;
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
