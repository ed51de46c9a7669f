// Changes that calls make in the statistics and in the snapshot, seen from the door.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;

std::int64_t in_bytes(Bytes size) { return static_cast<std::int64_t>(size.count); }

TEST(CountedCalls, a_block_counts_with_its_own_size_and_its_request) {
  AllocatorSetup setup;
  setup.get(1000_B);
  const StatisticValues values = setup.statistics();
  EXPECT_EQ(values.allocated_bytes.all.current, 1024);
  EXPECT_EQ(values.active_bytes.all.current, 1024);
  EXPECT_EQ(values.requested_bytes.all.current, 1000);
  EXPECT_EQ(values.reserved_bytes.all.current, in_bytes(2_MiB));
  EXPECT_EQ(values.segment.small_pool.current, 1);
}

TEST(CountedCalls, a_waiting_block_is_active_but_not_allocated) {
  AllocatorSetup setup;
  const Address address = setup.get(4_MiB);
  setup.use_on(1, address);
  setup.free(address);
  EXPECT_EQ(setup.statistics().allocation.all.current, 0);
  EXPECT_EQ(setup.statistics().active.all.current, 1);
  EXPECT_EQ(setup.statistics().requested_bytes.all.current, in_bytes(4_MiB));
}

TEST(CountedCalls, a_free_counts_the_block_s_size_before_it_merges) {
  AllocatorSetup setup;
  const Address a = setup.get(4_MiB);
  const Address b = setup.get(3_MiB);
  setup.free(a);
  setup.free(b);
  EXPECT_EQ(setup.statistics().active_bytes.all.freed, in_bytes(7_MiB));
}

TEST(CountedCalls, oversize_blocks_and_segments_count_by_the_limit_of_the_moment) {
  AllocatorSetup setup({.options = "max_split_size_mb:30"});
  const Address large = setup.get(40_MiB);
  setup.get(20_MiB);
  EXPECT_EQ(setup.statistics().oversize_allocations, (StatisticValue{1, 1, 1, 0}));
  EXPECT_EQ(setup.statistics().oversize_segments, (StatisticValue{1, 1, 1, 0}));
  setup.set_options("max_split_size_mb:50");
  setup.free(large);
  EXPECT_EQ(setup.statistics().oversize_allocations, (StatisticValue{1, 1, 1, 0}));
}

TEST(InactiveSplit, a_first_split_adds_one_block_and_the_remainder) {
  AllocatorSetup setup;
  setup.get(4_MiB);
  EXPECT_EQ(setup.statistics().inactive_split.all, (StatisticValue{1, 1, 1, 0}));
  EXPECT_EQ(setup.statistics().inactive_split_bytes.all.current, in_bytes(16_MiB));
}

TEST(InactiveSplit, a_further_split_takes_the_bytes_that_were_handed_out) {
  AllocatorSetup setup;
  setup.get(4_MiB);
  setup.get(4_MiB);
  EXPECT_EQ(setup.statistics().inactive_split.all, (StatisticValue{1, 1, 1, 0}));
  EXPECT_EQ(
      setup.statistics().inactive_split_bytes.all,
      (StatisticValue{in_bytes(12_MiB), in_bytes(16_MiB), in_bytes(16_MiB), in_bytes(4_MiB)}));
}

TEST(InactiveSplit, the_last_part_handed_out_whole_takes_one_block) {
  AllocatorSetup setup;
  setup.get(4_MiB);
  setup.get(9_MiB);
  setup.get(7_MiB);
  EXPECT_EQ(setup.statistics().inactive_split.all, (StatisticValue{0, 1, 1, 1}));
  EXPECT_EQ(setup.statistics().inactive_split_bytes.all.current, 0);
}

TEST(InactiveSplit, a_merge_is_booked_once_as_its_net_change) {
  AllocatorSetup setup;
  const Address a = setup.get(4_MiB);
  const Address b = setup.get(4_MiB);
  setup.get(4_MiB);
  setup.free(a);
  const StatisticValue before = setup.statistics().inactive_split.all;
  setup.free(b);
  EXPECT_EQ(setup.statistics().inactive_split.all, before) << "one less, one more: nothing";
  EXPECT_EQ(setup.statistics().inactive_split_bytes.all.current, in_bytes(16_MiB));
}

TEST(InactiveSplit, a_segment_that_becomes_whole_counts_no_more) {
  AllocatorSetup setup;
  setup.free(setup.get(4_MiB));
  EXPECT_EQ(setup.statistics().inactive_split.all, (StatisticValue{0, 1, 1, 1}));
  EXPECT_EQ(setup.statistics().inactive_split_bytes.all.current, 0);
}

TEST(InactiveSplit, expandable_blocks_do_not_count) {
  AllocatorSetup setup({.options = "expandable_segments:True"});
  const Address address = setup.get(4_MiB);
  setup.get(4_MiB);
  setup.free(address);
  EXPECT_EQ(setup.statistics().inactive_split.all, StatisticValue{});
}

TEST(Snapshots, list_segments_by_address_and_expandable_ones_by_runs) {
  AllocatorSetup setup({.options = "expandable_segments:True"});
  setup.get(20_MiB);
  const Address hole = setup.get(20_MiB);
  setup.get(20_MiB);
  setup.free(hole);
  setup.engine.empty_cache();
  setup.set_options("expandable_segments:False");
  setup.get(5_MiB);
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB live", "20MiB live", "5MiB live, 15MiB free"));
}

TEST(Snapshots, a_segment_adds_up_its_blocks) {
  AllocatorSetup setup;
  const Address waiting = setup.get(3_MiB, 6);
  setup.get(2000_KiB, 6);
  setup.use_on(1, waiting);
  setup.free(waiting);
  const SnapshotSegment segment = setup.engine.take_snapshot().segments.at(0);
  EXPECT_EQ(segment.total_size, 20_MiB);
  EXPECT_EQ(segment.allocated_size, 2000_KiB);
  EXPECT_EQ(segment.active_size, 3_MiB + 2000_KiB);
  EXPECT_EQ(segment.requested_size, 3_MiB + 2000_KiB);
  EXPECT_EQ(segment.stream, StreamId{6});
  EXPECT_FALSE(segment.is_expandable);
}

TEST(Snapshots, a_live_block_with_uses_elsewhere_is_allocated) {
  AllocatorSetup setup;
  setup.use_on(1, setup.get(4_MiB));
  EXPECT_THAT(setup.segments(), ElementsAre("4MiB live, 16MiB free"));
}

TEST(Snapshots, leave_an_entry_with_the_active_bytes) {
  AllocatorSetup setup;
  setup.get(1000_B);
  setup.engine.take_snapshot();
  const AllocatorEvent entry = setup.history().entries().back();
  EXPECT_EQ(entry, (AllocatorEvent{Action::snapshot, {0}, 1024_B, {0}, {}, 0}));
}

}  // namespace
}  // namespace vramlab::tests
