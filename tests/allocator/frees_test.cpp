// Giving blocks back: merging, and blocks that other streams used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;

TEST(Frees, are_requested_and_completed_with_the_requested_size) {
  AllocatorSetup setup;
  const Address address = setup.get(1000_B, 2);
  setup.new_entries();
  setup.free(address);
  const auto entries = setup.new_entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0], (AllocatorEvent{Action::free_requested, address, 1000_B, {2}, {}, 0}));
  EXPECT_EQ(entries[1], (AllocatorEvent{Action::free_completed, address, 1000_B, {2}, {}, 0}));
}

TEST(Frees, merge_with_the_free_blocks_before_and_after) {
  AllocatorSetup setup;
  const Address a = setup.get(4_MiB);
  const Address b = setup.get(4_MiB);
  const Address c = setup.get(4_MiB);
  setup.get(4_MiB);
  setup.free(a);
  setup.free(c);
  EXPECT_THAT(setup.segments(),
              ElementsAre("4MiB free, 4MiB live, 4MiB free, 4MiB live, 4MiB free"));
  setup.free(b);
  EXPECT_THAT(setup.segments(), ElementsAre("12MiB free, 4MiB live, 4MiB free"));
}

TEST(Frees, a_merged_block_keeps_the_requested_size_of_the_one_that_was_freed) {
  AllocatorSetup setup;
  const Address a = setup.get(2_MiB);
  const Address b = setup.get(3_MiB);
  setup.free(a);
  setup.free(b);
  EXPECT_EQ(setup.engine.take_snapshot().segments[0].blocks[0].requested, 3_MiB);
}

TEST(CrossStreamFrees, a_use_on_the_block_s_own_stream_is_nothing) {
  AllocatorSetup setup;
  const Address address = setup.get(4_MiB, 5);
  setup.use_on(5, address);
  setup.free(address);
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB free"));
}

TEST(CrossStreamFrees, a_block_waits_until_the_other_stream_is_done) {
  AllocatorSetup setup;
  const Address address = setup.get(4_MiB);
  setup.use_on(1, address);
  setup.free(address);
  EXPECT_THAT(setup.segments(), ElementsAre("4MiB waiting, 16MiB free"));
  EXPECT_NE(setup.get(4_MiB), address);
  setup.complete(1);
  EXPECT_EQ(setup.get(4_MiB), address);
}

TEST(CrossStreamFrees, an_event_is_looked_at_by_the_next_request_only) {
  AllocatorSetup setup;
  const Address address = setup.get(4_MiB);
  setup.use_on(1, address);
  setup.free(address);
  setup.complete(1);
  setup.new_actions();
  EXPECT_THAT(setup.segments(), ElementsAre("4MiB waiting, 16MiB free"));
  setup.get(512_B);
  EXPECT_THAT(setup.new_actions(), ElementsAre("free_completed", "segment_alloc", "alloc"));
}

TEST(CrossStreamFrees, a_block_waits_for_every_stream_that_used_it) {
  AllocatorSetup setup;
  const Address address = setup.get(4_MiB);
  setup.use_on(1, address);
  setup.use_on(2, address);
  setup.free(address);
  setup.complete(1);
  setup.get(512_B);
  EXPECT_EQ(setup.segments()[0], "4MiB waiting, 16MiB free");
  setup.complete(2);
  setup.get(512_B);
  EXPECT_EQ(setup.segments()[0], "20MiB free");
}

TEST(CrossStreamFrees, a_waiting_block_does_not_merge) {
  AllocatorSetup setup;
  const Address a = setup.get(4_MiB);
  const Address b = setup.get(4_MiB);
  setup.get(4_MiB);
  setup.use_on(1, a);
  setup.free(a);
  setup.free(b);
  EXPECT_THAT(setup.segments(), ElementsAre("4MiB waiting, 4MiB free, 4MiB live, 8MiB free"));
}

TEST(CrossStreamFrees, a_wait_lasts_while_hundreds_of_other_streams_come_and_go) {
  AllocatorSetup setup;
  const Address on_thousand = setup.get(4_MiB);
  const Address on_three = setup.get(4_MiB);
  setup.use_on(1000, on_thousand);
  setup.use_on(3, on_three);
  setup.free(on_thousand);
  setup.free(on_three);
  for (std::uint64_t stream = 10; stream < 300; ++stream) {
    const Address address = setup.get(1_MiB);
    setup.use_on(stream, address);
    setup.free(address);
    setup.complete(stream);
  }
  setup.get(512_B);
  EXPECT_EQ(setup.segments()[0], "4MiB waiting, 4MiB waiting, 12MiB free");
  setup.complete(1000);
  setup.complete(3);
  setup.new_entries();
  setup.get(512_B);
  const auto entries = setup.new_entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].address, on_three);
  EXPECT_EQ(entries[1].address, on_thousand);
}

TEST(CrossStreamFrees, streams_are_gone_through_in_ascending_order) {
  AllocatorSetup setup;
  const Address on_nine = setup.get(4_MiB);
  const Address on_three = setup.get(4_MiB);
  setup.use_on(9, on_nine);
  setup.use_on(3, on_three);
  setup.free(on_nine);
  setup.free(on_three);
  setup.complete(9);
  setup.complete(3);
  setup.new_entries();
  setup.get(512_B);
  const auto entries = setup.new_entries();
  EXPECT_EQ(entries.at(0).address, on_three);
  EXPECT_EQ(entries.at(1).address, on_nine);
}

TEST(CrossStreamFrees, a_stream_stops_at_its_first_event_that_is_not_complete) {
  AllocatorSetup setup;
  const Address a = setup.get(4_MiB);
  const Address b = setup.get(4_MiB);
  const Address c = setup.get(4_MiB);
  setup.use_on(1, a);
  setup.free(a);
  setup.complete(1);
  setup.use_on(1, b);
  setup.free(b);
  setup.use_on(2, c);
  setup.free(c);
  setup.complete(2);
  setup.get(512_B);
  EXPECT_EQ(setup.segments()[0], "4MiB free, 4MiB waiting, 12MiB free")
      << "stream 2 is asked although stream 1 is not done";
}

TEST(CrossStreamFrees, emptying_the_cache_waits_for_every_event) {
  AllocatorSetup setup;
  const Address address = setup.get(4_MiB);
  setup.use_on(1, address);
  setup.use_on(2, address);
  setup.free(address);
  setup.new_actions();
  setup.engine.empty_cache();
  EXPECT_THAT(setup.new_actions(), ElementsAre("free_completed", "segment_free"));
  EXPECT_EQ(setup.device.call_counts().event_waits, 2U);
  EXPECT_EQ(setup.statistics().num_sync_all_streams, 1);
  EXPECT_EQ(setup.device.event_count(), 0U) << "every event was given back";
}

TEST(CrossStreamFrees, emptying_the_cache_counts_a_synchronisation_without_events_too) {
  AllocatorSetup setup;
  setup.engine.empty_cache();
  setup.engine.empty_cache();
  EXPECT_EQ(setup.statistics().num_sync_all_streams, 2);
}

TEST(DeferredFrees, no_event_is_recorded_while_a_scope_is_open) {
  AllocatorSetup setup;
  const Address address = setup.get(4_MiB);
  setup.use_on(1, address);
  setup.begin_scope(1, 9);
  setup.free(address);
  EXPECT_EQ(setup.device.event_count(), 0U);
  EXPECT_THAT(setup.segments(), ElementsAre("4MiB waiting, 16MiB free"));
  setup.get(512_B);
  EXPECT_EQ(setup.segments()[0], "4MiB waiting, 16MiB free");
  setup.end_scope(1);
}

TEST(DeferredFrees, a_use_before_the_scope_is_waited_for_after_it) {
  AllocatorSetup setup;
  const Address address = setup.get(4_MiB);
  setup.use_on(1, address);
  setup.begin_scope(1, 9);
  setup.free(address);
  setup.end_scope(1);
  setup.get(512_B);
  EXPECT_EQ(setup.device.event_count(), 1U);
  EXPECT_EQ(setup.segments()[0], "4MiB waiting, 16MiB free");
  setup.complete(1);
  setup.get(512_B);
  EXPECT_EQ(setup.segments()[0], "20MiB free");
}

TEST(DeferredFrees, a_use_inside_the_scope_needs_no_event) {
  AllocatorSetup setup;
  const Address address = setup.get(4_MiB);
  setup.begin_scope(1, 9);
  setup.use_on(1, address);
  setup.free(address);
  setup.end_scope(1);
  setup.get(512_B);
  EXPECT_EQ(setup.segments()[0], "20MiB free");
  EXPECT_EQ(setup.device.event_count(), 0U);
}

TEST(DeferredFrees, a_stream_used_before_and_inside_the_scope_counts_as_inside) {
  AllocatorSetup setup;
  const Address address = setup.get(4_MiB);
  setup.use_on(1, address);
  setup.begin_scope(1, 9);
  setup.use_on(1, address);
  setup.free(address);
  setup.end_scope(1);
  setup.get(512_B);
  EXPECT_EQ(setup.segments()[0], "20MiB free");
}

TEST(DeferredFrees, a_use_inside_a_scope_is_remembered_until_the_block_is_free) {
  AllocatorSetup setup;
  const Address address = setup.get(4_MiB);
  setup.begin_scope(1, 9);
  setup.use_on(1, address);
  setup.end_scope(1);
  setup.begin_scope(2, 9);
  setup.free(address);
  setup.end_scope(2);
  setup.get(512_B);
  EXPECT_EQ(setup.segments()[0], "20MiB free");
}

TEST(DeferredFrees, the_next_owner_of_the_memory_does_not_inherit_the_use) {
  AllocatorSetup setup;
  const Address address = setup.get(4_MiB);
  setup.begin_scope(1, 9);
  setup.use_on(1, address);
  setup.free(address);
  setup.end_scope(1);
  ASSERT_EQ(setup.get(4_MiB), address);
  setup.use_on(1, address);
  setup.begin_scope(2, 9);
  setup.free(address);
  setup.end_scope(2);
  setup.get(512_B);
  EXPECT_EQ(setup.segments()[0], "4MiB waiting, 16MiB free");
}

TEST(DeferredFrees, are_handled_in_the_order_of_the_frees) {
  AllocatorSetup setup;
  const Address a = setup.get(4_MiB);
  const Address b = setup.get(4_MiB);
  setup.begin_scope(1, 9);
  setup.use_on(1, a);
  setup.use_on(1, b);
  setup.free(b);
  setup.free(a);
  setup.end_scope(1);
  setup.new_entries();
  setup.get(512_B);
  const auto entries = setup.new_entries();
  EXPECT_EQ(entries.at(0).address, b);
  EXPECT_EQ(entries.at(1).address, a);
}

}  // namespace
}  // namespace vramlab::tests
