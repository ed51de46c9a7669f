// Expandable segments: reserved addresses that are mapped piece by piece, and unmapped again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_world.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr WorldSetup expandable{.device_total = 1_GiB, .options = "expandable_segments:True"};

TEST(ExpandableSegments, small_pools_map_units_of_two_mebibytes) {
  AllocatorWorld world(expandable);
  EXPECT_EQ(world.get(512_B), first_reservation);
  EXPECT_THAT(world.segments(), ElementsAre("512B live, 2096640B free"));
}

TEST(ExpandableSegments, large_pools_map_units_of_twenty_mebibytes) {
  AllocatorWorld world(expandable);
  EXPECT_EQ(world.get(25_MiB), first_reservation);
  EXPECT_THAT(world.segments(), ElementsAre("25MiB live, 15MiB free"));
}

TEST(ExpandableSegments, reserve_the_device_s_memory_and_an_eighth_in_whole_units) {
  AllocatorWorld world(expandable);
  const Address first = world.get(5_MiB, 1);
  const Address second = world.get(5_MiB, 2);
  EXPECT_EQ(second - first, 1160_MiB) << "1152 MiB in units of 20";
  const Address small = world.get(512_B, 1);
  const Address other_small = world.get(512_B, 2);
  EXPECT_EQ(other_small - small, 1152_MiB);
}

TEST(ExpandableSegments, each_stream_and_each_pool_has_its_own) {
  AllocatorWorld world(expandable);
  world.get(5_MiB, 1);
  world.get(5_MiB, 2);
  world.get(512_B, 1);
  world.begin_scope(1);
  world.get(5_MiB, 1);
  world.end_scope(1);
  EXPECT_EQ(world.segments().size(), 4U);
}

TEST(ExpandableSegments, grow_where_they_end) {
  AllocatorWorld world(expandable);
  const Address first = world.get(20_MiB);
  EXPECT_EQ(world.get(20_MiB), first + 20_MiB);
  EXPECT_THAT(world.segments(), ElementsAre("20MiB live, 20MiB live"));
}

TEST(ExpandableSegments, a_request_starts_at_the_free_block_before_the_unmapped_addresses) {
  AllocatorWorld world(expandable);
  const Address first = world.get(6_MiB);
  world.new_entries();
  EXPECT_EQ(world.get(30_MiB), first + 6_MiB);
  const auto entries = world.new_entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0], (AllocatorEvent{Action::segment_map, first + 20_MiB, 20_MiB, {0}, {}, 0}))
      << "the newly mapped range, not the block that it joined";
  EXPECT_THAT(world.segments(), ElementsAre("6MiB live, 30MiB live, 4MiB free"));
}

TEST(ExpandableSegments, one_map_counts_once_however_many_units_it_has) {
  AllocatorWorld world(expandable);
  world.get(90_MiB);
  EXPECT_EQ(world.statistics().num_device_alloc, 1);
  EXPECT_EQ(world.statistics().segment.all, StatisticValue{});
  EXPECT_EQ(world.statistics().reserved_bytes.all.current, 100 << 20);
  EXPECT_EQ(world.device.call_counts().units_created, 5U);
}

TEST(ExpandableSegments, a_map_without_room_gives_its_units_back_and_is_not_recorded) {
  AllocatorWorld world(expandable);
  world.leave_free(50_MiB);
  EXPECT_EQ(world.outcome_of(60_MiB), MallocOutcome::out_of_memory);
  EXPECT_THAT(world.new_actions(), ElementsAre("oom"));
  EXPECT_EQ(world.device.used_memory(), 0_B);
  EXPECT_EQ(world.device.call_counts().units_created, 4U) << "two in each of two attempts";
}

/// [20 live][20 unmapped][20 free][unmapped ...]
void make_hole(AllocatorWorld& world) {
  world.get(20_MiB);
  const Address hole = world.get(20_MiB);
  const Address after = world.get(20_MiB);
  world.free(hole);
  world.engine.empty_cache();
  world.free(after);
}

TEST(ExpandableSegments, a_hole_is_mapped_and_merged_with_the_free_block_behind_it) {
  AllocatorWorld world(expandable);
  make_hole(world);
  EXPECT_THAT(world.segments(), ElementsAre("20MiB live", "20MiB free"));
  world.new_actions();
  EXPECT_EQ(world.get(50_MiB), first_reservation + 20_MiB);
  EXPECT_THAT(world.new_actions(), ElementsAre("segment_map", "segment_map", "alloc"));
  EXPECT_THAT(world.segments(), ElementsAre("20MiB live, 50MiB live, 10MiB free"));
}

TEST(ExpandableSegments, what_was_mapped_before_a_failure_stays_mapped_and_free) {
  AllocatorWorld world(expandable);
  make_hole(world);
  world.leave_free(30_MiB);
  world.begin_scope(1, 9);
  world.new_actions();
  EXPECT_EQ(world.outcome_of(60_MiB), MallocOutcome::out_of_memory);
  EXPECT_THAT(world.new_actions(), ElementsAre("segment_map", "oom"));
  EXPECT_THAT(world.segments(), ElementsAre("20MiB live, 40MiB free"));
  world.end_scope(1);
}

TEST(ExpandableSegments, newly_mapped_memory_was_asked_for_nothing) {
  AllocatorWorld world(expandable);
  world.get(6_MiB);
  EXPECT_EQ(world.engine.take_snapshot().segments[0].blocks[1].requested, 0_B);
}

TEST(ExpandableSegments, only_whole_units_inside_a_free_block_are_unmapped) {
  AllocatorWorld world(expandable);
  world.get(6_MiB);
  const Address freed = world.get(40_MiB);
  world.get(6_MiB);
  world.free(freed);
  world.new_entries();
  world.engine.empty_cache();
  const auto entries = world.new_entries();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(
      entries[0],
      (AllocatorEvent{Action::segment_unmap, first_reservation + 20_MiB, 20_MiB, {0}, {}, 0}));
  EXPECT_THAT(world.segments(),
              ElementsAre("6MiB live, 14MiB free", "6MiB free, 6MiB live, 8MiB free"));
  EXPECT_EQ(world.statistics().num_device_free, 1);
}

TEST(ExpandableSegments, a_free_block_without_a_whole_unit_stays) {
  AllocatorWorld world(expandable);
  world.get(6_MiB);
  world.new_actions();
  world.engine.empty_cache();
  EXPECT_THAT(world.new_actions(), IsEmpty());
}

TEST(ExpandableSegments, unmapping_waits_for_the_segment_s_stream) {
  AllocatorWorld world(expandable);
  world.device.submit_work({3});
  world.device.submit_work({4});
  world.free(world.get(5_MiB, 3));
  world.engine.empty_cache();
  EXPECT_FALSE(world.device.has_pending_work({3}));
  EXPECT_TRUE(world.device.has_pending_work({4}));
}

TEST(ExpandableSegments, a_segment_that_is_all_unmapped_is_given_back) {
  AllocatorWorld world(expandable);
  world.free(world.get(5_MiB, 1));
  world.engine.empty_cache();
  EXPECT_TRUE(world.engine.core().segments.by_address().empty());
  EXPECT_EQ(world.get(5_MiB, 2), first_reservation) << "its addresses are free again";
}

TEST(ExpandableSegments, the_unmapped_middle_joins_the_unmapped_blocks_beside_it) {
  AllocatorWorld world(expandable);
  make_hole(world);
  world.engine.empty_cache();
  EXPECT_THAT(world.segments(), ElementsAre("20MiB live"));
  EXPECT_EQ(world.engine.core().large.lanes[0]->unmapped.size(), 1U);
}

TEST(ExpandableSegments, the_first_unmapped_place_with_enough_room_is_taken) {
  AllocatorWorld world(expandable);
  const Address first = world.get(20_MiB);
  const Address hole = world.get(20_MiB);
  world.get(20_MiB);
  world.free(hole);
  world.engine.empty_cache();
  EXPECT_EQ(world.get(40_MiB), first + 60_MiB) << "the hole is too small";
  EXPECT_EQ(world.get(20_MiB), hole);
}

TEST(ExpandableSegments, a_waiting_block_is_no_room) {
  AllocatorWorld world(expandable);
  const Address waiting = world.get(20_MiB);
  world.use_on(1, waiting);
  world.free(waiting);
  EXPECT_EQ(world.get(20_MiB), waiting + 20_MiB);
}

TEST(ExpandableSegments, the_limit_counts_the_classic_device_size) {
  AllocatorWorld world({.device_total = 100_MiB, .options = "expandable_segments:True"});
  world.engine.set_memory_fraction(0.5);
  world.get(20_MiB);
  world.get(20_MiB);
  EXPECT_EQ(world.outcome_of(5_MiB), MallocOutcome::out_of_memory) << "40 + 20 is above 50";
}

TEST(ExpandableSegments, turned_on_in_mid_run_live_beside_classic_ones) {
  AllocatorWorld world;
  world.get(20_MiB);
  world.set_options("expandable_segments:True");
  world.get(20_MiB);
  const Snapshot snapshot = world.engine.take_snapshot();
  EXPECT_TRUE(snapshot.segments.at(0).is_expandable);
  EXPECT_FALSE(snapshot.segments.at(1).is_expandable);
}

}  // namespace
}  // namespace vramlab::tests
