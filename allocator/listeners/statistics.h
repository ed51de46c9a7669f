// Statistics: the listener that keeps the reference's counters.
//
// On the hot path only figures that cannot be derived are kept: decreases follow from the sum of
// increases and the current value, the figure for all pools from the small and the large one
// (except its peak), and active blocks are the allocated ones and those that wait, which are few.
// In place of a current value stands its distance from the peak: one look at the signs of several
// distances tells that none reached a new peak, as is nearly always so.
#pragma once

#include <algorithm>
#include <array>
#include <map>

#include "allocator/listeners/listeners.h"
#include "allocator/types/snapshot.h"

namespace vramlab::allocator {

class Statistics : public Listener {
 public:
  void handed_out(const BlockFact& block, Oversize oversize) {
    const Flow flow = flow_of(block);
    Counters& sum = sum_[half_of(block)];
    ++sum[allocation];
    sum[allocated_bytes] += flow.bytes;
    sum[requested_bytes] += flow.requested;
    if ((raise(to_peak_[half_of(block)], flow) | raise(to_peak_[all], flow)) < 0) [[unlikely]]
      note_peaks();
    if (waiting_count_ > 0) [[unlikely]]
      note_active_peaks();
    if (oversize == Oversize::yes) [[unlikely]]
      increase_single(oversize_allocations_);
  }
  void freed_at_once(const BlockFact& block, Oversize oversize) {
    const Flow flow = flow_of(block);
    lower(to_peak_[half_of(block)], flow);
    lower(to_peak_[all], flow);
    if (oversize == Oversize::yes) [[unlikely]]
      decrease_single(oversize_allocations_);
  }
  void free_requested(const BlockFact& block, Oversize oversize);
  void free_completed(const BlockFact& block);
  void inactive_split_changed(PoolKind kind, std::int64_t count, std::int64_t bytes) {
    const auto half = static_cast<std::size_t>(kind);
    sum_[half][inactive_split] += increase_in(count);
    sum_[half][inactive_split_bytes] += increase_in(bytes);
    if (((to_peak_[half][inactive_split] -= count) | (to_peak_[all][inactive_split] -= count) |
         (to_peak_[half][inactive_split_bytes] -= bytes) |
         (to_peak_[all][inactive_split_bytes] -= bytes)) < 0) [[unlikely]]
      note_peaks();
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
  /// The reserved bytes of each private pool that ever had memory. A pool that is gone keeps its
  /// row.
  const std::map<PoolId, PooledStatistic>& reserved_by_private_pools() const {
    return in_private_pools_;
  }
  /// The peaks of all pools together.
  std::int64_t peak_allocated_bytes() const { return peak_[all][allocated_bytes]; }
  std::int64_t peak_reserved_bytes() const { return peak_[all][reserved_bytes]; }
  std::int64_t current_allocated_bytes() const { return current_of_all(allocated_bytes); }
  std::int64_t current_reserved_bytes() const { return current_of_all(reserved_bytes); }
  /// Bytes of freed blocks that wait for other streams.
  std::int64_t current_waiting_bytes() const {
    const auto& bytes = waiting_[allocated_bytes].current;
    return bytes[0] + bytes[1];
  }
  std::int64_t current_inactive_split_bytes() const { return current_of_all(inactive_split_bytes); }
  /// Counts what an allocator held when the counting began. Requires: no fact was counted yet.
  void start_from(const Snapshot& snapshot);
  void reset_peak();
  void reset_accumulated();

 private:
  /// Counters that change together stand together.
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
  /// The row of all pools, behind the small and the large ones.
  static constexpr std::size_t all = 2;
  using Counters = std::array<std::int64_t, counter_count + 1>;

  /// How a block that is handed out changes the counters of what is allocated.
  struct Flow {
    std::int64_t bytes = 0;
    std::int64_t requested = 0;
  };
  static std::size_t half_of(const BlockFact& block) {
    return static_cast<std::size_t>(block.lane.kind);
  }
  static Flow flow_of(const BlockFact& block) {
    return {static_cast<std::int64_t>(block.size.count),
            static_cast<std::int64_t>(block.requested.count)};
  }
  /// Takes the flow off the distances; below 0 if a peak is exceeded.
  static std::int64_t raise(Counters& to_peak, const Flow& flow) {
    return (to_peak[allocation] -= 1) | (to_peak[allocated_bytes] -= flow.bytes) |
           (to_peak[requested_bytes] -= flow.requested);
  }
  static void lower(Counters& to_peak, const Flow& flow) {
    ++to_peak[allocation];
    to_peak[allocated_bytes] += flow.bytes;
    to_peak[requested_bytes] += flow.requested;
  }
  /// The change if it is an increase, else 0; without a branch.
  static std::int64_t increase_in(std::int64_t change) { return change & ~(change >> 63); }
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
  /// Calls the change with every counter that is no sum.
  template <class Change>
  void for_each_single(const Change& change);
  static void decrease_single(StatisticValue& value);
  PooledStatistic value_of(Counter counter) const;
  /// The counter with waiting blocks added. Requires: `allocated` counts blocks or their bytes.
  PooledStatistic value_with_waiting(Counter allocated) const;

  /// One of the two active statistics.
  struct Waiting {
    std::array<std::int64_t, 2> current{};
    std::array<std::int64_t, 2> current_at_reset{};
    /// Peaks of allocated and waiting together, for each half and for all.
    std::array<std::int64_t, 3> active_peak{};
  };
  void add_waiting(const BlockFact& block, std::int64_t sign);
  static void add_reserved(PooledStatistic& pool, PoolKind kind, std::int64_t bytes);
  /// `bytes`: below 0 for memory that was given back.
  void change_reserved(const RangeFact& range, std::int64_t bytes);

  /// Peak less current value, for the small pools, the large pools and all pools.
  alignas(32) std::array<Counters, 3> to_peak_{};
  /// The sums of increases, and the current values when these were last set to 0.
  alignas(32) std::array<Counters, 2> sum_{};
  std::array<Counters, 2> current_at_reset_{};
  std::array<Counters, 3> peak_{};
  /// For allocated blocks and for their bytes.
  std::array<Waiting, 2> waiting_{};
  std::int64_t waiting_count_ = 0;
  std::map<PoolId, PooledStatistic> in_private_pools_;
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
