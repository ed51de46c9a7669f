// Getting cached memory back to the device: by age, just enough oversize blocks, and all of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_world.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// Half of the device is allowed, and half of that may be reserved: 256 MiB.
class GarbageCollection : public testing::Test {
 protected:
  GarbageCollection() {
    world_.engine.set_memory_fraction(0.5);
    on_other_stream_ = world_.get(10_MiB, 100);
  }
  /// Searches in another lane of the pool: what is free now gets older.
  void age(int searches) {
    for (int i = 0; i < searches; ++i) {
      world_.free(on_other_stream_);
      on_other_stream_ = world_.get(10_MiB, 100);
    }
  }
  AllocatorWorld world_{{.options = "garbage_collection_threshold:0.5"}};
  Address on_other_stream_;
};

TEST_F(GarbageCollection, releases_what_is_at_least_as_old_as_the_average) {
  const Address a = world_.get(130_MiB);
  const Address b = world_.get(130_MiB);
  world_.free(a);
  age(3);
  world_.free(b);
  age(3);
  world_.new_entries();
  world_.get(140_MiB);
  const auto entries = world_.new_entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].action, Action::segment_free);
  EXPECT_EQ(entries[0].address, a);
  EXPECT_EQ(entries[1].action, Action::segment_alloc);
}

TEST_F(GarbageCollection, a_pass_does_not_stop_early) {
  for (const Address address : {world_.get(100_MiB), world_.get(100_MiB), world_.get(100_MiB)})
    world_.free(address);
  world_.new_actions();
  world_.get(120_MiB);
  EXPECT_THAT(world_.new_actions(), ElementsAre("segment_free", "segment_free", "segment_free",
                                                "segment_alloc", "alloc"));
}

TEST_F(GarbageCollection, passes_go_on_until_enough_is_back) {
  const Address a = world_.get(10_MiB);
  const Address b = world_.get(60_MiB);
  const Address c = world_.get(200_MiB);
  world_.free(a);
  age(6);
  world_.free(b);
  world_.free(c);
  world_.new_actions();
  world_.get(210_MiB);
  EXPECT_THAT(world_.new_actions(),
              ElementsAre("segment_free", "segment_free", "segment_free", "segment_alloc", "alloc"))
      << "280 MiB are 24 too many; the oldest gives 10, so a second pass takes the others";
}

TEST_F(GarbageCollection, does_nothing_up_to_the_threshold) {
  world_.free(world_.get(100_MiB));
  world_.get(146_MiB);
  world_.new_actions();
  world_.get(120_MiB);
  EXPECT_THAT(world_.new_actions(), ElementsAre("segment_alloc", "alloc"));
}

TEST_F(GarbageCollection, a_small_request_collects_too) {
  world_.free(world_.get(300_MiB));
  world_.new_actions();
  world_.get(512_B);
  EXPECT_THAT(world_.new_actions(), ElementsAre("segment_free", "segment_alloc", "alloc"));
}

TEST_F(GarbageCollection, a_request_in_a_private_pool_collects_from_the_device_s_own_large_pool) {
  world_.free(world_.get(300_MiB));
  world_.begin_scope(1);
  world_.new_actions();
  world_.get(20_MiB);
  EXPECT_THAT(world_.new_actions(), ElementsAre("segment_free", "segment_alloc", "alloc"));
  world_.end_scope(1);
}

TEST_F(GarbageCollection, blocks_of_split_segments_stay) {
  const Address half = world_.get(150_MiB);
  const Address whole = world_.get(160_MiB);
  world_.free(half);
  world_.get(50_MiB);
  world_.free(whole);
  world_.new_entries();
  world_.get(200_MiB);
  const auto entries = world_.new_entries();
  EXPECT_EQ(entries.at(0).action, Action::segment_free);
  EXPECT_EQ(entries.at(0).address, whole);
  EXPECT_EQ(world_.segments().at(1), "50MiB live, 100MiB free");
}

TEST_F(GarbageCollection, nothing_to_collect_is_no_error) {
  world_.get(300_MiB);
  world_.new_actions();
  world_.get(100_MiB);
  EXPECT_THAT(world_.new_actions(), ElementsAre("segment_alloc", "alloc"));
}

TEST(GarbageCollectionOptions, without_a_fraction_nothing_is_collected) {
  AllocatorWorld world({.options = "garbage_collection_threshold:0.5"});
  world.free(world.get(600_MiB));
  world.new_actions();
  world.get(512_B);
  EXPECT_THAT(world.new_actions(), ElementsAre("segment_alloc", "alloc"));
}

TEST(GarbageCollectionOptions, without_a_threshold_nothing_is_collected) {
  AllocatorWorld world;
  world.engine.set_memory_fraction(1.0);
  world.free(world.get(600_MiB));
  world.new_actions();
  world.get(512_B);
  EXPECT_THAT(world.new_actions(), ElementsAre("segment_alloc", "alloc"));
}

TEST(OversizeRelease, releases_the_first_block_that_is_large_enough) {
  AllocatorWorld world({.device_total = 80_MiB, .options = "max_split_size_mb:30"});
  world.free(world.get(60_MiB));
  world.new_actions();
  world.get(35_MiB);
  EXPECT_THAT(world.new_actions(), ElementsAre("segment_free", "segment_alloc", "alloc"));
  EXPECT_EQ(world.statistics().num_alloc_retries, 0);
  EXPECT_EQ(world.statistics().num_sync_all_streams, 0);
}

TEST(OversizeRelease, adds_up_smaller_ones_from_the_largest_down) {
  AllocatorWorld world({.device_total = 140_MiB, .options = "max_split_size_mb:30"});
  const Address a = world.get(30_MiB);
  const Address b = world.get(40_MiB);
  const Address c = world.get(50_MiB);
  for (const Address address : {a, b, c}) world.free(address);
  world.new_entries();
  world.get(80_MiB);
  const auto entries = world.new_entries();
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].address, c);
  EXPECT_EQ(entries[1].address, b);
  EXPECT_EQ(world.statistics().num_alloc_retries, 0);
  EXPECT_EQ(world.segments().size(), 2U) << "30 MiB stay cached";
}

TEST(OversizeRelease, a_small_request_releases_one_block_of_the_split_limit) {
  AllocatorWorld world({.device_total = 70_MiB, .options = "max_split_size_mb:30"});
  const Address large = world.get(40_MiB);
  world.free(world.get(30_MiB));
  world.free(large);
  world.new_entries();
  world.get(5_MiB);
  const auto entries = world.new_entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].size, 30_MiB);
}

TEST(OversizeRelease, what_was_released_in_vain_stays_released) {
  AllocatorWorld world({.device_total = 100_MiB, .options = "max_split_size_mb:30"});
  world.free(world.get(40_MiB));
  world.begin_scope(1, 9);
  EXPECT_EQ(world.outcome_of(120_MiB), MallocOutcome::out_of_memory);
  EXPECT_THAT(world.segments(), IsEmpty());
  world.end_scope(1);
}

TEST(OversizeRelease, takes_blocks_of_the_same_stream_only) {
  AllocatorWorld world({.device_total = 80_MiB, .options = "max_split_size_mb:30"});
  world.free(world.get(60_MiB, 1));
  world.begin_scope(1, 9);
  EXPECT_EQ(world.outcome_of(35_MiB, 2), MallocOutcome::out_of_memory);
  EXPECT_THAT(world.segments(), ElementsAre("60MiB free"));
  world.end_scope(1);
}

TEST(OversizeRelease, without_a_split_limit_everything_is_flushed_at_once) {
  AllocatorWorld world({.device_total = 80_MiB});
  world.free(world.get(60_MiB, 1));
  world.get(35_MiB, 2);
  EXPECT_EQ(world.statistics().num_alloc_retries, 1);
}

TEST(OversizeRelease, passes_over_a_part_of_a_split_segment) {
  AllocatorWorld world({.device_total = 100_MiB});
  const Address whole = world.get(90_MiB);
  world.free(whole);
  world.get(20_MiB);
  world.set_options("max_split_size_mb:30");
  world.begin_scope(1, 9);
  world.new_actions();
  EXPECT_EQ(world.outcome_of(31_MiB), MallocOutcome::out_of_memory);
  EXPECT_THAT(world.new_actions(), ElementsAre("oom"));
  EXPECT_THAT(world.segments(), ElementsAre("20MiB live, 70MiB free"));
  world.end_scope(1);
}

TEST(EmptyCache, releases_the_large_pool_before_the_small_one) {
  AllocatorWorld world;
  const Address small = world.get(512_B);
  const Address large = world.get(5_MiB);
  world.free(small);
  world.free(large);
  world.new_entries();
  world.engine.empty_cache();
  const auto entries = world.new_entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].address, large);
  EXPECT_EQ(entries[0].size, 20_MiB);
  EXPECT_EQ(entries[1].address, small);
  EXPECT_EQ(world.device.used_memory(), 0_B);
}

TEST(EmptyCache, releases_in_the_order_of_the_free_set) {
  AllocatorWorld world;
  const Address thirty = world.get(30_MiB, 2);
  const Address twenty = world.get(20_MiB, 2);
  const Address other_stream = world.get(40_MiB, 1);
  for (const Address address : {thirty, twenty, other_stream}) world.free(address);
  world.new_entries();
  world.engine.empty_cache();
  const auto entries = world.new_entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].address, other_stream);
  EXPECT_EQ(entries[1].address, twenty);
  EXPECT_EQ(entries[2].address, thirty);
}

TEST(EmptyCache, leaves_blocks_of_split_segments) {
  AllocatorWorld world;
  world.get(5_MiB);
  world.engine.empty_cache();
  EXPECT_THAT(world.segments(), ElementsAre("5MiB live, 15MiB free"));
}

TEST(EmptyCache, unmaps_expandable_blocks_after_the_classic_ones_of_their_pool) {
  AllocatorWorld world;
  const Address classic = world.get(40_MiB);
  world.set_options("expandable_segments:True");
  const Address mapped = world.get(20_MiB);
  world.free(classic);
  world.free(mapped);
  world.new_actions();
  world.engine.empty_cache();
  EXPECT_THAT(world.new_actions(), ElementsAre("segment_free", "segment_unmap"));
}

TEST(EmptyCache, a_released_segment_counts_as_a_device_call_and_frees_its_bytes) {
  AllocatorWorld world;
  world.free(world.get(5_MiB));
  world.engine.empty_cache();
  EXPECT_EQ(world.statistics().num_device_free, 1);
  EXPECT_EQ(world.statistics().segment.all, (StatisticValue{0, 1, 1, 1}));
  EXPECT_EQ(world.statistics().reserved_bytes.all.current, 0);
}

}  // namespace
}  // namespace vramlab::tests
