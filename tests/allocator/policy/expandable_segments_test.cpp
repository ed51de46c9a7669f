// Expandable segments: reserved addresses that are mapped piece by piece, and unmapped again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr SetupOptions expandable{.device_total = 1_GiB, .options = "expandable_segments:True"};

TEST(ExpandableSegments, small_pools_map_units_of_two_mebibytes) {
  AllocatorSetup setup(expandable);
  EXPECT_EQ(setup.get(512_B), first_reservation);
  EXPECT_THAT(setup.segments(), ElementsAre("512B live, 2096640B free"));
}

TEST(ExpandableSegments, large_pools_map_units_of_twenty_mebibytes) {
  AllocatorSetup setup(expandable);
  EXPECT_EQ(setup.get(25_MiB), first_reservation);
  EXPECT_THAT(setup.segments(), ElementsAre("25MiB live, 15MiB free"));
}

TEST(ExpandableSegments, reserve_the_device_s_memory_and_an_eighth_in_whole_units) {
  AllocatorSetup setup(expandable);
  const Address first = setup.get(5_MiB, 1);
  const Address second = setup.get(5_MiB, 2);
  EXPECT_EQ(second - first, 1160_MiB) << "1152 MiB in units of 20";
  const Address small = setup.get(512_B, 1);
  const Address other_small = setup.get(512_B, 2);
  EXPECT_EQ(other_small - small, 1152_MiB);
}

TEST(ExpandableSegments, each_stream_and_each_pool_has_its_own) {
  AllocatorSetup setup(expandable);
  setup.get(5_MiB, 1);
  setup.get(5_MiB, 2);
  setup.get(512_B, 1);
  setup.begin_scope(1);
  setup.get(5_MiB, 1);
  setup.end_scope(1);
  EXPECT_EQ(setup.segments().size(), 4U);
}

TEST(ExpandableSegments, grow_where_they_end) {
  AllocatorSetup setup(expandable);
  const Address first = setup.get(20_MiB);
  EXPECT_EQ(setup.get(20_MiB), first + 20_MiB);
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB live, 20MiB live"));
}

TEST(ExpandableSegments, a_request_starts_at_the_free_block_before_the_unmapped_addresses) {
  AllocatorSetup setup(expandable);
  const Address first = setup.get(6_MiB);
  setup.new_entries();
  EXPECT_EQ(setup.get(30_MiB), first + 6_MiB);
  const auto entries = setup.new_entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0], (AllocatorEvent{Action::segment_map, first + 20_MiB, 20_MiB, {0}, {}, 0}))
      << "the newly mapped range, not the block that it joined";
  EXPECT_THAT(setup.segments(), ElementsAre("6MiB live, 30MiB live, 4MiB free"));
}

TEST(ExpandableSegments, one_map_counts_once_however_many_units_it_has) {
  AllocatorSetup setup(expandable);
  setup.get(90_MiB);
  EXPECT_EQ(setup.statistics().num_device_alloc, 1);
  EXPECT_EQ(setup.statistics().segment.all, StatisticValue{});
  EXPECT_EQ(setup.statistics().reserved_bytes.all.current, 100 << 20);
  EXPECT_EQ(setup.device.call_counts().units_created, 5U);
}

TEST(ExpandableSegments, a_map_without_room_gives_its_units_back_and_is_not_recorded) {
  AllocatorSetup setup(expandable);
  setup.leave_free(50_MiB);
  EXPECT_EQ(setup.outcome_of(60_MiB), MallocOutcome::out_of_memory);
  EXPECT_THAT(setup.new_actions(), ElementsAre("oom"));
  EXPECT_EQ(setup.device.used_memory(), 0_B);
  EXPECT_EQ(setup.device.call_counts().units_created, 4U) << "two in each of two attempts";
}

/// [20 live][20 unmapped][20 free][unmapped ...]
void make_hole(AllocatorSetup& setup) {
  setup.get(20_MiB);
  const Address hole = setup.get(20_MiB);
  const Address after = setup.get(20_MiB);
  setup.free(hole);
  setup.engine.empty_cache();
  setup.free(after);
}

TEST(ExpandableSegments, a_hole_is_mapped_and_merged_with_the_free_block_behind_it) {
  AllocatorSetup setup(expandable);
  make_hole(setup);
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB live", "20MiB free"));
  setup.new_actions();
  EXPECT_EQ(setup.get(50_MiB), first_reservation + 20_MiB);
  EXPECT_THAT(setup.new_actions(), ElementsAre("segment_map", "segment_map", "alloc"));
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB live, 50MiB live, 10MiB free"));
}

TEST(ExpandableSegments, what_was_mapped_before_a_failure_stays_mapped_and_free) {
  AllocatorSetup setup(expandable);
  make_hole(setup);
  setup.leave_free(30_MiB);
  setup.begin_scope(1, 9);
  setup.new_actions();
  EXPECT_EQ(setup.outcome_of(60_MiB), MallocOutcome::out_of_memory);
  EXPECT_THAT(setup.new_actions(), ElementsAre("segment_map", "oom"));
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB live, 40MiB free"));
  setup.end_scope(1);
}

TEST(ExpandableSegments, newly_mapped_memory_was_asked_for_nothing) {
  AllocatorSetup setup(expandable);
  setup.get(6_MiB);
  EXPECT_EQ(setup.engine.take_snapshot().segments[0].blocks[1].requested, 0_B);
}

TEST(ExpandableSegments, only_whole_units_inside_a_free_block_are_unmapped) {
  AllocatorSetup setup(expandable);
  setup.get(6_MiB);
  const Address freed = setup.get(40_MiB);
  setup.get(6_MiB);
  setup.free(freed);
  setup.new_entries();
  setup.engine.empty_cache();
  const auto entries = setup.new_entries();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(
      entries[0],
      (AllocatorEvent{Action::segment_unmap, first_reservation + 20_MiB, 20_MiB, {0}, {}, 0}));
  EXPECT_THAT(setup.segments(),
              ElementsAre("6MiB live, 14MiB free", "6MiB free, 6MiB live, 8MiB free"));
  EXPECT_EQ(setup.statistics().num_device_free, 1);
}

TEST(ExpandableSegments, a_free_block_without_a_whole_unit_stays) {
  AllocatorSetup setup(expandable);
  setup.get(6_MiB);
  setup.new_actions();
  setup.engine.empty_cache();
  EXPECT_THAT(setup.new_actions(), IsEmpty());
}

TEST(ExpandableSegments, unmapping_waits_for_the_segment_s_stream) {
  AllocatorSetup setup(expandable);
  setup.device.submit_work({3});
  setup.device.submit_work({4});
  setup.free(setup.get(5_MiB, 3));
  setup.engine.empty_cache();
  EXPECT_FALSE(setup.device.has_pending_work({3}));
  EXPECT_TRUE(setup.device.has_pending_work({4}));
}

TEST(ExpandableSegments, a_segment_that_is_all_unmapped_is_given_back) {
  AllocatorSetup setup(expandable);
  setup.free(setup.get(5_MiB, 1));
  setup.engine.empty_cache();
  EXPECT_TRUE(setup.engine.core().segments.by_address().empty());
  EXPECT_EQ(setup.get(5_MiB, 2), first_reservation) << "its addresses are free again";
}

TEST(ExpandableSegments, the_unmapped_middle_joins_the_unmapped_blocks_beside_it) {
  AllocatorSetup setup(expandable);
  make_hole(setup);
  setup.engine.empty_cache();
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB live"));
  EXPECT_EQ(setup.engine.core().large.lanes[0]->unmapped.size(), 1U);
}

TEST(ExpandableSegments, the_first_unmapped_place_with_enough_room_is_taken) {
  AllocatorSetup setup(expandable);
  const Address first = setup.get(20_MiB);
  const Address hole = setup.get(20_MiB);
  setup.get(20_MiB);
  setup.free(hole);
  setup.engine.empty_cache();
  EXPECT_EQ(setup.get(40_MiB), first + 60_MiB) << "the hole is too small";
  EXPECT_EQ(setup.get(20_MiB), hole);
}

TEST(ExpandableSegments, a_waiting_block_is_no_room) {
  AllocatorSetup setup(expandable);
  const Address waiting = setup.get(20_MiB);
  setup.use_on(1, waiting);
  setup.free(waiting);
  EXPECT_EQ(setup.get(20_MiB), waiting + 20_MiB);
}

TEST(ExpandableSegments, the_limit_counts_the_classic_device_size) {
  AllocatorSetup setup({.device_total = 100_MiB, .options = "expandable_segments:True"});
  setup.engine.set_memory_fraction(0.5);
  setup.get(20_MiB);
  setup.get(20_MiB);
  EXPECT_EQ(setup.outcome_of(5_MiB), MallocOutcome::out_of_memory) << "40 + 20 is above 50";
}

TEST(ExpandableSegments, turned_on_in_mid_run_live_beside_classic_ones) {
  AllocatorSetup setup;
  setup.get(20_MiB);
  setup.set_options("expandable_segments:True");
  setup.get(20_MiB);
  const Snapshot snapshot = setup.engine.take_snapshot();
  EXPECT_TRUE(snapshot.segments.at(0).is_expandable);
  EXPECT_FALSE(snapshot.segments.at(1).is_expandable);
}

}  // namespace
}  // namespace vramlab::tests
