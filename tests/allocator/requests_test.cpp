// A request from its size to its block: sizes, pools, calls of the device, the ladder on a miss,
// and requests that fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_setup.h"
#include "tests/support/devices/fault_injecting_device.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Requests, zero_bytes_give_a_null_pointer_and_leave_no_trace) {
  AllocatorSetup setup;
  const MallocResult result = setup.engine.malloc(0_B, {0});
  EXPECT_EQ(result.outcome, MallocOutcome::nothing);
  EXPECT_EQ(result.address, Address{0});
  EXPECT_THAT(setup.new_actions(), IsEmpty());
  EXPECT_EQ(setup.statistics(), StatisticValues{});
}

TEST(Requests, two_to_the_sixty_bytes_fail_at_once_and_count_nothing) {
  AllocatorSetup setup;
  const Address waiting = setup.get(1_MiB);
  setup.use_on(3, waiting);
  setup.free(waiting);
  setup.complete(3);
  setup.new_actions();
  const StatisticValues before = setup.statistics();
  EXPECT_EQ(setup.outcome_of(Bytes{1ULL << 60}), MallocOutcome::out_of_memory);
  EXPECT_THAT(setup.new_actions(), IsEmpty()) << "not even finished events are looked at";
  EXPECT_EQ(setup.statistics(), before);
}

TEST(Requests, just_below_two_to_the_sixty_bytes_run_out_of_memory_as_others_do) {
  AllocatorSetup setup;
  EXPECT_EQ(setup.outcome_of(Bytes{(1ULL << 60) - 1}), MallocOutcome::out_of_memory);
  EXPECT_THAT(setup.new_actions(), ElementsAre("oom"));
}

TEST(Requests, one_byte_gets_a_block_of_512) {
  AllocatorSetup setup;
  setup.get(1_B);
  EXPECT_THAT(setup.segments(), ElementsAre("512B live, 2096640B free"));
}

TEST(Requests, up_to_one_mebibyte_come_from_a_small_segment_of_two) {
  AllocatorSetup setup;
  setup.get(1_MiB);
  EXPECT_THAT(setup.segments(), ElementsAre("1MiB live, 1MiB free"));
  EXPECT_EQ(setup.engine.take_snapshot().segments[0].kind, PoolKind::small);
}

TEST(Requests, above_one_mebibyte_come_from_a_large_segment_of_twenty) {
  AllocatorSetup setup;
  setup.get(1_MiB + 1_B);
  const SnapshotSegment segment = setup.engine.take_snapshot().segments[0];
  EXPECT_EQ(segment.kind, PoolKind::large);
  EXPECT_EQ(segment.total_size, 20_MiB);
}

TEST(Requests, from_ten_mebibytes_on_get_a_segment_of_their_own_size_in_steps_of_two) {
  AllocatorSetup setup;
  setup.get(10_MiB - 512_B, 1);
  setup.get(10_MiB, 2);
  setup.get(10_MiB + 1_B, 3);
  const Snapshot snapshot = setup.engine.take_snapshot();
  ASSERT_EQ(snapshot.segments.size(), 3U);
  EXPECT_EQ(snapshot.segments[0].total_size, 20_MiB);
  EXPECT_EQ(snapshot.segments[1].total_size, 10_MiB);
  EXPECT_EQ(snapshot.segments[2].total_size, 12_MiB);
}

TEST(Requests, small_and_large_blocks_never_share_a_segment) {
  AllocatorSetup setup;
  setup.free(setup.get(5_MiB));
  setup.get(1_MiB);
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB free", "1MiB live, 1MiB free"));
}

TEST(Requests, the_history_says_what_was_asked_of_the_device_before_what_was_handed_out) {
  AllocatorSetup setup;
  const Address address = setup.get(5_MiB + 7_B, 3);
  const auto entries = setup.new_entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0], (AllocatorEvent{Action::segment_alloc, address, 20_MiB, {3}, {}, 0}));
  EXPECT_EQ(entries[1], (AllocatorEvent{Action::alloc, address, 5_MiB + 7_B, {3}, {}, 0}));
}

TEST(Requests, a_miss_releases_what_is_cached_before_it_fails_and_counts_the_retry) {
  AllocatorSetup setup({.device_total = 100_MiB});
  setup.free(setup.get(60_MiB));
  setup.new_actions();
  setup.get(80_MiB);
  EXPECT_THAT(setup.new_actions(), ElementsAre("segment_free", "segment_alloc", "alloc"));
  EXPECT_EQ(setup.statistics().num_alloc_retries, 1);
  EXPECT_EQ(setup.statistics().num_ooms, 0);
}

TEST(Requests, nothing_is_flushed_while_a_scope_is_open) {
  AllocatorSetup setup({.device_total = 100_MiB});
  setup.free(setup.get(60_MiB));
  setup.begin_scope(1, 9);
  EXPECT_EQ(setup.outcome_of(80_MiB), MallocOutcome::out_of_memory);
  EXPECT_THAT(setup.segments(), ElementsAre("60MiB free"));
  EXPECT_EQ(setup.statistics().num_alloc_retries, 0);
}

TEST(Requests, a_failure_is_recorded_with_the_device_s_free_bytes_and_the_rounded_size) {
  AllocatorSetup setup({.device_total = 100_MiB});
  setup.get(30_MiB);
  setup.new_entries();
  EXPECT_EQ(setup.outcome_of(80_MiB + 1_B, 4), MallocOutcome::out_of_memory);
  const auto entries = setup.new_entries();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].action, Action::oom);
  EXPECT_EQ(entries[0].address.value, (70_MiB).count);
  EXPECT_EQ(entries[0].size, 80_MiB + 512_B);
  EXPECT_EQ(entries[0].stream, StreamId{4});
  EXPECT_EQ(setup.statistics().num_ooms, 1);
  EXPECT_THAT(setup.segments(), ElementsAre("30MiB live"));
}

TEST(Requests, the_figures_of_a_failure_are_those_of_the_moment) {
  AllocatorSetup setup({.device_total = 100_MiB});
  setup.engine.set_memory_fraction(0.75);
  setup.begin_scope(1);
  setup.free(setup.get(12_MiB));
  setup.end_scope(1);
  setup.get(5_MiB);
  EXPECT_EQ(setup.outcome_of(50_MiB + 1_B), MallocOutcome::out_of_memory);
  const OutOfMemory& failure = setup.engine.last_failure();
  EXPECT_EQ(failure.request, 50_MiB + 1_B);
  EXPECT_EQ(failure.device_size, 52_MiB) << "what was asked of the device, not the request";
  EXPECT_EQ(failure.device_total, 100_MiB);
  EXPECT_EQ(failure.device_free, 68_MiB);
  EXPECT_EQ(failure.allowed, 75_MiB);
  EXPECT_EQ(failure.allocated, 5_MiB);
  EXPECT_EQ(failure.free_in_private_pools, 12_MiB);
  EXPECT_EQ(failure.reserved, 32_MiB);
}

TEST(Requests, the_limit_is_the_fraction_of_the_device_rounded_down_and_may_be_reached) {
  AllocatorSetup setup({.device_total = 100_MiB});
  setup.engine.set_memory_fraction(0.5);
  EXPECT_EQ(setup.outcome_of(50_MiB + 1_B), MallocOutcome::out_of_memory);
  EXPECT_EQ(setup.outcome_of(50_MiB), MallocOutcome::allocated);
  EXPECT_EQ(setup.outcome_of(512_B), MallocOutcome::out_of_memory);
}

TEST(Requests, a_new_fraction_replaces_the_old_one) {
  AllocatorSetup setup({.device_total = 100_MiB});
  setup.engine.set_memory_fraction(0.1);
  EXPECT_EQ(setup.outcome_of(30_MiB), MallocOutcome::out_of_memory);
  setup.engine.set_memory_fraction(0.5);
  EXPECT_EQ(setup.outcome_of(30_MiB), MallocOutcome::allocated);
}

TEST(Requests, a_retry_counts_also_when_the_limit_then_refuses) {
  AllocatorSetup setup({.device_total = 100_MiB});
  setup.engine.set_memory_fraction(0.5);
  EXPECT_EQ(setup.outcome_of(60_MiB), MallocOutcome::out_of_memory);
  EXPECT_EQ(setup.statistics().num_alloc_retries, 1);
}

TEST(Requests, the_limit_refuses_without_asking_the_device) {
  streams::SimulatedDevice device(100_MiB);
  FaultInjectingDevice counted(device);
  BareAllocator engine(counted, default_reference_version());
  engine.set_memory_fraction(0.5);
  counted.set_fault(std::nullopt);
  EXPECT_EQ(engine.malloc(60_MiB, {0}).outcome, MallocOutcome::out_of_memory);
  EXPECT_EQ(counted.call_count(), 1U) << "only the free bytes for the report";
}

TEST(Requests, without_a_fraction_the_device_alone_is_the_limit) {
  AllocatorSetup setup({.device_total = 100_MiB});
  EXPECT_EQ(setup.outcome_of(100_MiB), MallocOutcome::allocated);
  EXPECT_FALSE(setup.engine.core().allowed);
}

TEST(Requests, large_steps_are_rounded_by_the_divisions_in_force) {
  AllocatorSetup setup({.options = "roundup_power2_divisions:4"});
  setup.get(5_MiB + 1_B);
  EXPECT_THAT(setup.segments(), ElementsAre("6MiB live, 14MiB free"));
}

}  // namespace
}  // namespace vramlab::tests
