// Statistics: the listener that keeps the reference's counters.
//
// On the hot path only what cannot be derived is kept: decreases follow from the sum of increases
// and the current value, the figure for all pools from the small and the large one (except its
// peak), and active blocks are the allocated ones and those that wait, which are few. In place of
// current values stands what is missing to each peak: one look at the signs of several counters
// tells that none reached a new peak, as is nearly always so.
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
    const auto of_kind = static_cast<std::size_t>(block.lane.kind);
    raise<allocation>(of_kind, flow_of(block));
    if (waiting_count_ > 0) [[unlikely]]
      note_active_peaks();
    if (oversize == Oversize::yes) [[unlikely]]
      increase_single(oversize_allocations_);
  }
  void freed_at_once(const BlockFact& block, Oversize oversize) {
    lower(static_cast<std::size_t>(block.lane.kind), flow_of(block));
    if (oversize == Oversize::yes) [[unlikely]]
      decrease_single(oversize_allocations_);
  }
  void free_requested(const BlockFact& block, Oversize oversize);
  void free_completed(const BlockFact& block);
  void inactive_split_changed(PoolKind kind, std::int64_t count, std::int64_t bytes) {
    raise<inactive_split>(static_cast<std::size_t>(kind), std::array{count, bytes});
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
  std::int64_t peak_allocated_bytes() const { return peak_[all][allocated_bytes]; }
  std::int64_t peak_reserved_bytes() const { return peak_[all][reserved_bytes]; }
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
  /// Those that change together stand together.
  enum Counter : std::uint8_t {
    allocation,
    allocated_bytes,
    requested_bytes,
    segment,
    inactive_split,
    inactive_split_bytes,
    reserved_bytes,
    counter_count,
  };
  /// After the small and the large pools.
  static constexpr std::size_t all = 2;
  using Counters = std::array<std::int64_t, counter_count + 1>;

  /// How a block that is handed out changes the counters from `allocation` on.
  static std::array<std::int64_t, 4> flow_of(const BlockFact& block) {
    return {1, static_cast<std::int64_t>(block.size.count),
            static_cast<std::int64_t>(block.requested.count), 0};
  }
  /// Adds to the counters from `first` on; what is negative takes away.
  template <std::size_t first, std::size_t count>
  void raise(std::size_t kind, const std::array<std::int64_t, count>& by) {
    std::int64_t signs = 0;
    for (std::size_t i = 0; i < count; ++i) {
      to_peak_[kind][first + i] -= by[i];
      to_peak_[all][first + i] -= by[i];
      sum_[kind][first + i] += by[i] > 0 ? by[i] : 0;
      signs |= to_peak_[kind][first + i] | to_peak_[all][first + i];
    }
    if (signs < 0) [[unlikely]]
      note_peaks();
  }
  void lower(std::size_t kind, const std::array<std::int64_t, 4>& by) {
    for (std::size_t i = 0; i < by.size(); ++i) {
      to_peak_[kind][i] += by[i];
      to_peak_[all][i] += by[i];
    }
  }
  [[gnu::noinline]] void note_peaks();
  void increase(Counter counter, PoolKind kind, std::int64_t by);
  void decrease(Counter counter, PoolKind kind, std::int64_t by) {
    to_peak_[static_cast<std::size_t>(kind)][counter] += by;
    to_peak_[all][counter] += by;
  }
  std::int64_t current(std::size_t kind, Counter counter) const {
    return peak_[kind][counter] - to_peak_[kind][counter];
  }
  /// Active blocks reach a peak of their own only while some wait.
  void note_active_peaks();
  std::int64_t current_of_all(Counter counter) const { return current(all, counter); }
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

  /// Peak less current value, of the small pools, the large ones and all of them.
  alignas(32) std::array<Counters, 3> to_peak_{};
  /// The sums of increases, and the current values when they were last set to 0.
  alignas(32) std::array<Counters, 2> sum_{};
  std::array<Counters, 2> current_at_reset_{};
  std::array<Counters, 3> peak_{};
  /// By the counter of what is allocated: blocks, bytes.
  std::array<Waiting, 2> waiting_{};
  std::int64_t waiting_count_ = 0;
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
