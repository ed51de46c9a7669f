// The counters by themselves: the changes of each fact, the derived figures, the resets.
#include "allocator/listeners/statistics.h"

#include <gtest/gtest.h>

#include "allocator/blocks/pool.h"

namespace vramlab::allocator {
namespace {

using namespace literals;

class StatisticsTest : public testing::Test {
 protected:
  BlockFact small_block(Bytes size, Bytes requested) const {
    return {{4096}, size, requested, small_lane_};
  }
  BlockFact large_block(Bytes size, Bytes requested) const {
    return {{8192}, size, requested, large_lane_};
  }
  void hand_out_and_free(const BlockFact& block) {
    statistics_.handed_out(block, Oversize::no);
    statistics_.free_requested(block, Oversize::no);
    statistics_.free_completed(block);
  }

  Pool small_{default_pool, PoolKind::small};
  Pool large_{default_pool, PoolKind::large};
  Lane small_lane_{{0}, small_};
  Lane large_lane_{{0}, large_};
  Statistics statistics_;
};

TEST_F(StatisticsTest, start_at_zero) { EXPECT_EQ(statistics_.values(), StatisticValues{}); }

TEST_F(StatisticsTest, a_block_handed_out_counts_with_its_size_and_its_request) {
  statistics_.handed_out(small_block(1_KiB, 1000_B), Oversize::no);
  const StatisticValues values = statistics_.values();
  EXPECT_EQ(values.allocation.small_pool, (StatisticValue{1, 1, 1, 0}));
  EXPECT_EQ(values.allocated_bytes.small_pool, (StatisticValue{1024, 1024, 1024, 0}));
  EXPECT_EQ(values.active_bytes.all, (StatisticValue{1024, 1024, 1024, 0}));
  EXPECT_EQ(values.requested_bytes.all, (StatisticValue{1000, 1000, 1000, 0}));
  EXPECT_EQ(values.allocation.large_pool, StatisticValue{});
}

TEST_F(StatisticsTest, a_free_that_is_not_complete_leaves_the_block_active) {
  const BlockFact block = small_block(1_KiB, 1000_B);
  statistics_.handed_out(block, Oversize::no);
  statistics_.free_requested(block, Oversize::no);
  EXPECT_EQ(statistics_.values().allocation.all, (StatisticValue{0, 1, 1, 1}));
  EXPECT_EQ(statistics_.values().active.all, (StatisticValue{1, 1, 1, 0}));
  statistics_.free_completed(block);
  EXPECT_EQ(statistics_.values().active.all, (StatisticValue{0, 1, 1, 1}));
}

TEST_F(StatisticsTest, the_sum_over_both_pools_has_a_peak_of_its_own) {
  hand_out_and_free(small_block(1_KiB, 1_KiB));
  hand_out_and_free(large_block(2_MiB, 2_MiB));
  const PooledStatistic allocation = statistics_.values().allocation;
  EXPECT_EQ(allocation.small_pool.peak, 1);
  EXPECT_EQ(allocation.large_pool.peak, 1);
  EXPECT_EQ(allocation.all.peak, 1) << "the two blocks never lived at one time";
  EXPECT_EQ(allocation.all.allocated, 2);
  EXPECT_EQ(allocation.all.freed, 2);
}

TEST_F(StatisticsTest, a_reset_of_the_peaks_sets_them_to_what_is_current) {
  statistics_.handed_out(small_block(1_KiB, 1_KiB), Oversize::yes);
  hand_out_and_free(large_block(2_MiB, 2_MiB));
  const BlockFact gone = large_block(2_MiB, 2_MiB);
  statistics_.handed_out(gone, Oversize::yes);
  statistics_.free_requested(gone, Oversize::yes);
  statistics_.reset_peak();
  const StatisticValues values = statistics_.values();
  EXPECT_EQ(values.allocated_bytes.all.peak, 1024);
  EXPECT_EQ(values.allocated_bytes.large_pool.peak, 0);
  EXPECT_EQ(values.oversize_allocations, (StatisticValue{1, 1, 2, 1}));
}

TEST_F(StatisticsTest, a_reset_of_the_sums_keeps_what_is_current_and_the_peaks) {
  statistics_.handed_out(small_block(1_KiB, 1_KiB), Oversize::yes);
  statistics_.handed_out(small_block(1_KiB, 1_KiB), Oversize::no);
  statistics_.retried();
  statistics_.synchronised();
  statistics_.attempt_rejected();
  statistics_.ran_out_of_memory(0_B, 0_B, small_lane_);
  statistics_.reset_accumulated();
  EXPECT_EQ(statistics_.values().allocation.all, (StatisticValue{2, 2, 0, 0}));
  EXPECT_EQ(statistics_.values().oversize_allocations, (StatisticValue{1, 1, 0, 0}));
  EXPECT_EQ(statistics_.values().num_alloc_retries, 0);
  EXPECT_EQ(statistics_.values().num_ooms, 0);
  EXPECT_EQ(statistics_.values().num_sync_all_streams, 0);
  EXPECT_EQ(statistics_.values().num_oom_rejections, 0);
}

TEST_F(StatisticsTest, sums_after_a_reset_count_what_happened_since) {
  const BlockFact block = small_block(1_KiB, 1_KiB);
  statistics_.handed_out(block, Oversize::no);
  statistics_.reset_accumulated();
  statistics_.free_requested(block, Oversize::no);
  hand_out_and_free(block);
  EXPECT_EQ(statistics_.values().allocation.all, (StatisticValue{0, 1, 1, 2}));
}

TEST_F(StatisticsTest, a_classic_segment_counts_as_segment_as_bytes_and_as_device_call) {
  const RangeFact range{{1 << 20}, 20_MiB, large_lane_};
  statistics_.segment_got(range, Oversize::yes);
  EXPECT_EQ(statistics_.values().segment.large_pool.current, 1);
  EXPECT_EQ(statistics_.values().reserved_bytes.all.current, 20 << 20);
  EXPECT_EQ(statistics_.values().oversize_segments.current, 1);
  statistics_.segment_released(range, Oversize::yes);
  const StatisticValues values = statistics_.values();
  EXPECT_EQ(values.segment.all, (StatisticValue{0, 1, 1, 1}));
  EXPECT_EQ(values.oversize_segments, (StatisticValue{0, 1, 1, 1}));
  EXPECT_EQ(values.num_device_alloc, 1);
  EXPECT_EQ(values.num_device_free, 1);
}

TEST_F(StatisticsTest, a_mapped_range_counts_as_bytes_and_as_device_call_only) {
  const RangeFact range{{1 << 20}, 20_MiB, large_lane_};
  statistics_.range_mapped(range);
  statistics_.range_unmapped(range);
  const StatisticValues values = statistics_.values();
  EXPECT_EQ(values.segment.all, StatisticValue{});
  EXPECT_EQ(values.reserved_bytes.all, (StatisticValue{0, 20 << 20, 20 << 20, 20 << 20}));
  EXPECT_EQ(values.num_device_alloc, 1);
  EXPECT_EQ(values.num_device_free, 1);
}

TEST_F(StatisticsTest, one_booking_of_inactive_splits_is_an_increase_or_a_decrease) {
  statistics_.inactive_split_changed(PoolKind::large, 2, 100);
  statistics_.inactive_split_changed(PoolKind::large, 0, -30);
  statistics_.inactive_split_changed(PoolKind::large, -1, 10);
  EXPECT_EQ(statistics_.values().inactive_split.all, (StatisticValue{1, 2, 2, 1}));
  EXPECT_EQ(statistics_.values().inactive_split_bytes.all, (StatisticValue{80, 100, 110, 30}));
}

TEST_F(StatisticsTest, reserved_memory_of_private_pools_is_counted_for_each_and_the_row_stays) {
  PrivatePool pool({0, 7});
  const Lane lane({0}, pool.large);
  statistics_.segment_got({{1 << 20}, 20_MiB, large_lane_}, Oversize::no);
  EXPECT_TRUE(statistics_.reserved_by_private_pools().empty());
  statistics_.segment_got({{64 << 20}, 30_MiB, lane}, Oversize::no);
  statistics_.range_mapped({{128 << 20}, 20_MiB, lane});
  statistics_.range_unmapped({{128 << 20}, 20_MiB, lane});
  statistics_.segment_released({{64 << 20}, 30_MiB, lane}, Oversize::no);
  const PooledStatistic row = statistics_.reserved_by_private_pools().at({0, 7});
  EXPECT_EQ(row.all, (StatisticValue{0, 50 << 20, 50 << 20, 50 << 20}));
  EXPECT_EQ(row.large_pool, row.all);
  EXPECT_EQ(row.small_pool, StatisticValue{});
  statistics_.reset_peak();
  statistics_.reset_accumulated();
  EXPECT_EQ(statistics_.reserved_by_private_pools().at({0, 7}), PooledStatistic{});
}

}  // namespace
}  // namespace vramlab::allocator
