// Giving blocks back: merging, and blocks that other streams used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_world.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;

TEST(Frees, are_requested_and_completed_with_the_requested_size) {
  AllocatorWorld world;
  const Address address = world.get(1000_B, 2);
  world.new_entries();
  world.free(address);
  const auto entries = world.new_entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0], (AllocatorEvent{Action::free_requested, address, 1000_B, {2}, {}, 0}));
  EXPECT_EQ(entries[1], (AllocatorEvent{Action::free_completed, address, 1000_B, {2}, {}, 0}));
}

TEST(Frees, merge_with_the_free_blocks_before_and_after) {
  AllocatorWorld world;
  const Address a = world.get(4_MiB);
  const Address b = world.get(4_MiB);
  const Address c = world.get(4_MiB);
  world.get(4_MiB);
  world.free(a);
  world.free(c);
  EXPECT_THAT(world.segments(),
              ElementsAre("4MiB free, 4MiB live, 4MiB free, 4MiB live, 4MiB free"));
  world.free(b);
  EXPECT_THAT(world.segments(), ElementsAre("12MiB free, 4MiB live, 4MiB free"));
}

TEST(Frees, a_merged_block_keeps_the_requested_size_of_the_one_that_was_freed) {
  AllocatorWorld world;
  const Address a = world.get(2_MiB);
  const Address b = world.get(3_MiB);
  world.free(a);
  world.free(b);
  EXPECT_EQ(world.engine.take_snapshot().segments[0].blocks[0].requested, 3_MiB);
}

TEST(CrossStreamFrees, a_use_on_the_block_s_own_stream_is_nothing) {
  AllocatorWorld world;
  const Address address = world.get(4_MiB, 5);
  world.use_on(5, address);
  world.free(address);
  EXPECT_THAT(world.segments(), ElementsAre("20MiB free"));
}

TEST(CrossStreamFrees, a_block_waits_until_the_other_stream_is_done) {
  AllocatorWorld world;
  const Address address = world.get(4_MiB);
  world.use_on(1, address);
  world.free(address);
  EXPECT_THAT(world.segments(), ElementsAre("4MiB waiting, 16MiB free"));
  EXPECT_NE(world.get(4_MiB), address);
  world.complete(1);
  EXPECT_EQ(world.get(4_MiB), address);
}

TEST(CrossStreamFrees, an_event_is_looked_at_by_the_next_request_only) {
  AllocatorWorld world;
  const Address address = world.get(4_MiB);
  world.use_on(1, address);
  world.free(address);
  world.complete(1);
  world.new_actions();
  EXPECT_THAT(world.segments(), ElementsAre("4MiB waiting, 16MiB free"));
  world.get(512_B);
  EXPECT_THAT(world.new_actions(), ElementsAre("free_completed", "segment_alloc", "alloc"));
}

TEST(CrossStreamFrees, a_block_waits_for_every_stream_that_used_it) {
  AllocatorWorld world;
  const Address address = world.get(4_MiB);
  world.use_on(1, address);
  world.use_on(2, address);
  world.free(address);
  world.complete(1);
  world.get(512_B);
  EXPECT_EQ(world.segments()[0], "4MiB waiting, 16MiB free");
  world.complete(2);
  world.get(512_B);
  EXPECT_EQ(world.segments()[0], "20MiB free");
}

TEST(CrossStreamFrees, a_waiting_block_does_not_merge) {
  AllocatorWorld world;
  const Address a = world.get(4_MiB);
  const Address b = world.get(4_MiB);
  world.get(4_MiB);
  world.use_on(1, a);
  world.free(a);
  world.free(b);
  EXPECT_THAT(world.segments(), ElementsAre("4MiB waiting, 4MiB free, 4MiB live, 8MiB free"));
}

TEST(CrossStreamFrees, a_wait_lasts_while_hundreds_of_other_streams_come_and_go) {
  AllocatorWorld world;
  const Address on_thousand = world.get(4_MiB);
  const Address on_three = world.get(4_MiB);
  world.use_on(1000, on_thousand);
  world.use_on(3, on_three);
  world.free(on_thousand);
  world.free(on_three);
  for (std::uint64_t stream = 10; stream < 300; ++stream) {
    const Address address = world.get(1_MiB);
    world.use_on(stream, address);
    world.free(address);
    world.complete(stream);
  }
  world.get(512_B);
  EXPECT_EQ(world.segments()[0], "4MiB waiting, 4MiB waiting, 12MiB free");
  world.complete(1000);
  world.complete(3);
  world.new_entries();
  world.get(512_B);
  const auto entries = world.new_entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].address, on_three);
  EXPECT_EQ(entries[1].address, on_thousand);
}

TEST(CrossStreamFrees, streams_are_gone_through_in_ascending_order) {
  AllocatorWorld world;
  const Address on_nine = world.get(4_MiB);
  const Address on_three = world.get(4_MiB);
  world.use_on(9, on_nine);
  world.use_on(3, on_three);
  world.free(on_nine);
  world.free(on_three);
  world.complete(9);
  world.complete(3);
  world.new_entries();
  world.get(512_B);
  const auto entries = world.new_entries();
  EXPECT_EQ(entries.at(0).address, on_three);
  EXPECT_EQ(entries.at(1).address, on_nine);
}

TEST(CrossStreamFrees, a_stream_stops_at_its_first_event_that_is_not_complete) {
  AllocatorWorld world;
  const Address a = world.get(4_MiB);
  const Address b = world.get(4_MiB);
  const Address c = world.get(4_MiB);
  world.use_on(1, a);
  world.free(a);
  world.complete(1);
  world.use_on(1, b);
  world.free(b);
  world.use_on(2, c);
  world.free(c);
  world.complete(2);
  world.get(512_B);
  EXPECT_EQ(world.segments()[0], "4MiB free, 4MiB waiting, 12MiB free")
      << "stream 2 is asked although stream 1 is not done";
}

TEST(CrossStreamFrees, emptying_the_cache_waits_for_every_event) {
  AllocatorWorld world;
  const Address address = world.get(4_MiB);
  world.use_on(1, address);
  world.use_on(2, address);
  world.free(address);
  world.new_actions();
  world.engine.empty_cache();
  EXPECT_THAT(world.new_actions(), ElementsAre("free_completed", "segment_free"));
  EXPECT_EQ(world.device.call_counts().event_waits, 2U);
  EXPECT_EQ(world.statistics().num_sync_all_streams, 1);
  EXPECT_EQ(world.device.event_count(), 0U) << "every event was given back";
}

TEST(CrossStreamFrees, emptying_the_cache_counts_a_synchronisation_without_events_too) {
  AllocatorWorld world;
  world.engine.empty_cache();
  world.engine.empty_cache();
  EXPECT_EQ(world.statistics().num_sync_all_streams, 2);
}

TEST(DeferredFrees, no_event_is_recorded_while_a_scope_is_open) {
  AllocatorWorld world;
  const Address address = world.get(4_MiB);
  world.use_on(1, address);
  world.begin_scope(1, 9);
  world.free(address);
  EXPECT_EQ(world.device.event_count(), 0U);
  EXPECT_THAT(world.segments(), ElementsAre("4MiB waiting, 16MiB free"));
  world.get(512_B);
  EXPECT_EQ(world.segments()[0], "4MiB waiting, 16MiB free");
  world.end_scope(1);
}

TEST(DeferredFrees, a_use_before_the_scope_is_waited_for_after_it) {
  AllocatorWorld world;
  const Address address = world.get(4_MiB);
  world.use_on(1, address);
  world.begin_scope(1, 9);
  world.free(address);
  world.end_scope(1);
  world.get(512_B);
  EXPECT_EQ(world.device.event_count(), 1U);
  EXPECT_EQ(world.segments()[0], "4MiB waiting, 16MiB free");
  world.complete(1);
  world.get(512_B);
  EXPECT_EQ(world.segments()[0], "20MiB free");
}

TEST(DeferredFrees, a_use_inside_the_scope_needs_no_event) {
  AllocatorWorld world;
  const Address address = world.get(4_MiB);
  world.begin_scope(1, 9);
  world.use_on(1, address);
  world.free(address);
  world.end_scope(1);
  world.get(512_B);
  EXPECT_EQ(world.segments()[0], "20MiB free");
  EXPECT_EQ(world.device.event_count(), 0U);
}

TEST(DeferredFrees, a_stream_used_before_and_inside_the_scope_counts_as_inside) {
  AllocatorWorld world;
  const Address address = world.get(4_MiB);
  world.use_on(1, address);
  world.begin_scope(1, 9);
  world.use_on(1, address);
  world.free(address);
  world.end_scope(1);
  world.get(512_B);
  EXPECT_EQ(world.segments()[0], "20MiB free");
}

TEST(DeferredFrees, a_use_inside_a_scope_is_remembered_until_the_block_is_free) {
  AllocatorWorld world;
  const Address address = world.get(4_MiB);
  world.begin_scope(1, 9);
  world.use_on(1, address);
  world.end_scope(1);
  world.begin_scope(2, 9);
  world.free(address);
  world.end_scope(2);
  world.get(512_B);
  EXPECT_EQ(world.segments()[0], "20MiB free");
}

TEST(DeferredFrees, the_next_owner_of_the_memory_does_not_inherit_the_use) {
  AllocatorWorld world;
  const Address address = world.get(4_MiB);
  world.begin_scope(1, 9);
  world.use_on(1, address);
  world.free(address);
  world.end_scope(1);
  ASSERT_EQ(world.get(4_MiB), address);
  world.use_on(1, address);
  world.begin_scope(2, 9);
  world.free(address);
  world.end_scope(2);
  world.get(512_B);
  EXPECT_EQ(world.segments()[0], "4MiB waiting, 16MiB free");
}

TEST(DeferredFrees, are_handled_in_the_order_of_the_frees) {
  AllocatorWorld world;
  const Address a = world.get(4_MiB);
  const Address b = world.get(4_MiB);
  world.begin_scope(1, 9);
  world.use_on(1, a);
  world.use_on(1, b);
  world.free(b);
  world.free(a);
  world.end_scope(1);
  world.new_entries();
  world.get(512_B);
  const auto entries = world.new_entries();
  EXPECT_EQ(entries.at(0).address, b);
  EXPECT_EQ(entries.at(1).address, a);
}

}  // namespace
}  // namespace vramlab::tests
