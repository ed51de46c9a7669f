// Differences of version 2.12 of the reference, seen from the door: limits, scopes, sizes,
// and emptying the cache. Pools as objects and rejection have files of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/types/answers.h"
#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::IsEmpty;

SetupOptions newer(std::string_view options = {}, Bytes device_total = 1_GiB) {
  return {device_total, "2.12", options};
}

TEST(WholeFractionOfOlderVersion, limits_to_the_device_and_turns_garbage_collection_on) {
  AllocatorSetup setup({.options = "garbage_collection_threshold:0.5"});
  setup.engine.set_memory_fraction(1.0);
  EXPECT_EQ(setup.engine.core().allowed, 1_GiB);
  setup.free(setup.get(600_MiB));
  setup.new_actions();
  setup.get(512_B);
  EXPECT_THAT(setup.new_actions(), ElementsAre("segment_free", "segment_alloc", "alloc"));
}

TEST(WholeFractionOfNewerVersion, removes_the_limit_and_garbage_collection) {
  AllocatorSetup setup(newer("garbage_collection_threshold:0.5"));
  setup.engine.set_memory_fraction(0.75);
  EXPECT_EQ(setup.engine.core().allowed, 768_MiB);
  setup.engine.set_memory_fraction(1.0);
  EXPECT_FALSE(setup.engine.core().allowed);
  setup.free(setup.get(600_MiB));
  setup.new_actions();
  setup.get(512_B);
  EXPECT_THAT(setup.new_actions(), ElementsAre("segment_alloc", "alloc"));
  EXPECT_EQ(setup.engine.core().large.lookup_count, 0U) << "searches are not counted either";
}

TEST(StartFraction, of_the_options_is_a_limit_from_the_start) {
  AllocatorSetup setup(newer("per_process_memory_fraction:0.5", 100_MiB));
  EXPECT_EQ(setup.outcome_of(60_MiB), MallocOutcome::out_of_memory);
  EXPECT_EQ(setup.engine.last_failure().allowed, 50_MiB);
}

TEST(StartFraction, set_later_in_the_options_does_not_change_the_limit) {
  AllocatorSetup setup(newer({}, 100_MiB));
  setup.set_options("per_process_memory_fraction:0.5");
  EXPECT_EQ(setup.outcome_of(60_MiB), MallocOutcome::allocated);
}

TEST(StartFraction, of_nothing_lets_every_segment_fail) {
  AllocatorSetup setup(newer("per_process_memory_fraction:0.0"));
  EXPECT_EQ(setup.outcome_of(512_B), MallocOutcome::out_of_memory);
}

TEST(LargeSegmentSize, is_what_a_miss_below_ten_mebibytes_asks_for) {
  AllocatorSetup setup(newer("large_segment_size_mb:31"));
  setup.get(5_MiB);
  setup.get(12_MiB, 1);
  const Snapshot snapshot = setup.engine.take_snapshot();
  EXPECT_EQ(snapshot.segments.at(0).total_size, 31_MiB);
  EXPECT_EQ(snapshot.segments.at(1).total_size, 12_MiB);
}

TEST(LargeSegmentSize, is_the_unit_of_expandable_segments_reserved_from_then_on) {
  AllocatorSetup setup(newer("expandable_segments:True"));
  setup.get(5_MiB, 1);
  setup.set_options("expandable_segments:True,large_segment_size_mb:32");
  setup.get(20_MiB, 1);
  setup.get(5_MiB, 2);
  const Snapshot snapshot = setup.engine.take_snapshot();
  EXPECT_EQ(snapshot.segments.at(0).total_size, 40_MiB) << "its unit stays";
  EXPECT_EQ(snapshot.segments.at(1).total_size, 32_MiB);
}

TEST(NewerScopes, of_open_scopes_the_one_opened_last_takes_the_request) {
  AllocatorSetup setup(newer());
  setup.begin_scope(1);
  setup.begin_scope(2);
  setup.get(5_MiB);
  EXPECT_EQ(setup.engine.take_snapshot().segments.at(0).pool, (PoolId{0, 2}));
  setup.end_scope(2);
  setup.end_scope(1);
}

TEST(NewerScopes, the_cache_may_be_emptied_inside_one_and_the_device_s_own_pools_are_left) {
  AllocatorSetup setup(newer());
  setup.free(setup.get(5_MiB));
  setup.begin_scope(1);
  setup.free(setup.get(5_MiB));
  setup.end_scope(1);
  setup.engine.release_pool({0, 1});
  setup.begin_scope(2, 9);
  setup.engine.empty_cache();
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB free")) << "the pool that nobody uses went";
  EXPECT_EQ(setup.engine.take_snapshot().segments[0].pool, default_pool);
  EXPECT_EQ(setup.statistics().num_sync_all_streams, 0);
  setup.end_scope(2);
}

TEST(EmptyingOnePool, releases_that_pool_only_and_waits_for_its_blocks_only) {
  AllocatorSetup setup(newer());
  const Address other = setup.get(5_MiB);
  setup.use_on(3, other);
  setup.free(other);
  for (const std::uint64_t pool : {1U, 2U}) {
    setup.begin_scope(pool);
    setup.free(setup.get(5_MiB));
    setup.end_scope(pool);
    setup.engine.release_pool({0, pool});
  }
  setup.engine.empty_cache({0, 1});
  EXPECT_THAT(setup.segments(), ElementsAre("5MiB waiting, 15MiB free", "20MiB free"));
  EXPECT_EQ(setup.engine.take_snapshot().segments[1].pool, (PoolId{0, 2}));
  EXPECT_EQ(setup.statistics().num_sync_all_streams, 1);
}

TEST(EmptyingOnePool, waits_for_blocks_of_that_pool) {
  AllocatorSetup setup(newer());
  setup.begin_scope(1);
  const Address address = setup.get(5_MiB);
  setup.end_scope(1);
  setup.use_on(3, address);
  setup.free(address);
  setup.engine.release_pool({0, 1});
  setup.engine.empty_cache({0, 1});
  EXPECT_THAT(setup.segments(), IsEmpty());
}

TEST(EmptyingOnePool, that_is_in_use_does_nothing) {
  AllocatorSetup setup(newer());
  setup.begin_scope(1);
  setup.free(setup.get(5_MiB));
  setup.end_scope(1);
  setup.engine.empty_cache({0, 1});
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB free"));
  EXPECT_EQ(setup.statistics().num_sync_all_streams, 0);
}

TEST(EmptyingOnePool, is_refused_while_any_scope_is_open_if_nobody_uses_the_pool) {
  AllocatorSetup setup(newer());
  setup.begin_scope(1);
  setup.free(setup.get(5_MiB));
  setup.end_scope(1);
  setup.begin_scope(2);
  EXPECT_NO_THROW(setup.engine.empty_cache({0, 1}));
  setup.engine.release_pool({0, 1});
  EXPECT_THROW(setup.engine.empty_cache({0, 1}), AllocatorError);
  setup.end_scope(2);
}

TEST(TraceEntries, name_the_pool_that_owns_the_block) {
  AllocatorSetup setup(newer());
  setup.begin_scope(5);
  const Address address = setup.get(5_MiB);
  setup.end_scope(5);
  setup.free(address);
  for (const AllocatorEvent& entry : setup.new_entries()) EXPECT_EQ(entry.pool, (PoolId{0, 5}));
}

/// throw_on_cudamalloc_oom: a request that would go beyond the configured share is rejected before
/// the device is asked.
constexpr std::string_view rejecting = "throw_on_cudamalloc_oom:True";

TEST(Rejection, comes_before_any_cached_memory_is_released) {
  AllocatorSetup setup(newer(rejecting, 100_MiB));
  setup.free(setup.get(60_MiB));
  setup.new_actions();
  EXPECT_EQ(setup.outcome_of(70_MiB), MallocOutcome::rejected);
  EXPECT_THAT(setup.new_actions(), IsEmpty()) << "no oom entry";
  EXPECT_THAT(setup.segments(), ElementsAre("60MiB free"));
  EXPECT_EQ(setup.statistics().num_oom_rejections, 1);
  EXPECT_EQ(setup.statistics().num_ooms, 0);
  EXPECT_EQ(setup.statistics().num_alloc_retries, 0);
  EXPECT_EQ(setup.engine.last_failure().request, 70_MiB);
}

TEST(Rejection, allows_the_share_to_be_reached) {
  AllocatorSetup setup(newer(rejecting, 100_MiB));
  EXPECT_EQ(setup.outcome_of(100_MiB), MallocOutcome::allocated);
  EXPECT_EQ(setup.outcome_of(512_B), MallocOutcome::rejected);
}

TEST(Rejection, follows_the_fraction_that_the_options_say_now) {
  AllocatorSetup setup(newer(rejecting, 100_MiB));
  setup.set_options("throw_on_cudamalloc_oom:True,per_process_memory_fraction:0.5");
  EXPECT_EQ(setup.outcome_of(60_MiB), MallocOutcome::rejected);
  EXPECT_EQ(setup.outcome_of(50_MiB), MallocOutcome::allocated);
}

TEST(Rejection, comes_after_the_ordinary_limit) {
  AllocatorSetup setup(
      newer("throw_on_cudamalloc_oom:True,per_process_memory_fraction:0.5", 100_MiB));
  EXPECT_EQ(setup.outcome_of(60_MiB), MallocOutcome::out_of_memory);
  EXPECT_EQ(setup.statistics().num_oom_rejections, 0);
}

TEST(Rejection, of_a_later_attempt_makes_the_failure_a_rejection) {
  AllocatorSetup setup(newer(rejecting, 100_MiB));
  setup.set_options("throw_on_cudamalloc_oom:True,per_process_memory_fraction:0.5");
  setup.engine.set_memory_fraction(0.75);
  setup.get(20_MiB);
  setup.free(setup.get(30_MiB));
  EXPECT_EQ(setup.outcome_of(40_MiB), MallocOutcome::rejected)
      << "90 is above the limit of 75; after the flush 60 is below it, and above the cap of 50";
  EXPECT_EQ(setup.statistics().num_alloc_retries, 1);
  EXPECT_EQ(setup.statistics().num_oom_rejections, 1);
  EXPECT_EQ(setup.statistics().num_ooms, 0);
}

TEST(Rejection, asks_no_lending_pool) {
  AllocatorSetup setup(newer(rejecting, 100_MiB));
  setup.engine.create_pool({0, 1}, {.use_on_oom = true});
  setup.begin_scope(1);
  setup.free(setup.get(60_MiB));
  setup.end_scope(1);
  EXPECT_EQ(setup.outcome_of(50_MiB), MallocOutcome::rejected);
}

TEST(Rejection, does_not_count_the_use_of_cached_blocks) {
  AllocatorSetup setup(newer(rejecting, 100_MiB));
  setup.free(setup.get(100_MiB));
  EXPECT_EQ(setup.outcome_of(90_MiB), MallocOutcome::allocated);
}

}  // namespace
}  // namespace vramlab::tests
