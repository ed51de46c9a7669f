// Giving cached memory back to the device: by age, just enough oversize blocks, and all of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_setup.h"

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
    setup_.engine.set_memory_fraction(0.5);
    on_other_stream_ = setup_.get(10_MiB, 100);
  }
  /// Searches in another lane of the pool, so that blocks that are free now get older.
  void age(int searches) {
    for (int i = 0; i < searches; ++i) {
      setup_.free(on_other_stream_);
      on_other_stream_ = setup_.get(10_MiB, 100);
    }
  }
  AllocatorSetup setup_{{.options = "garbage_collection_threshold:0.5"}};
  Address on_other_stream_;
};

TEST_F(GarbageCollection, releases_what_is_at_least_as_old_as_the_average) {
  const Address a = setup_.get(130_MiB);
  const Address b = setup_.get(130_MiB);
  setup_.free(a);
  age(3);
  setup_.free(b);
  age(3);
  setup_.new_entries();
  setup_.get(140_MiB);
  const auto entries = setup_.new_entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].action, Action::segment_free);
  EXPECT_EQ(entries[0].address, a);
  EXPECT_EQ(entries[1].action, Action::segment_alloc);
}

TEST_F(GarbageCollection, a_pass_does_not_stop_early) {
  for (const Address address : {setup_.get(100_MiB), setup_.get(100_MiB), setup_.get(100_MiB)})
    setup_.free(address);
  setup_.new_actions();
  setup_.get(120_MiB);
  EXPECT_THAT(setup_.new_actions(), ElementsAre("segment_free", "segment_free", "segment_free",
                                                "segment_alloc", "alloc"));
}

TEST_F(GarbageCollection, passes_go_on_until_enough_is_back) {
  const Address a = setup_.get(10_MiB);
  const Address b = setup_.get(60_MiB);
  const Address c = setup_.get(200_MiB);
  setup_.free(a);
  age(6);
  setup_.free(b);
  setup_.free(c);
  setup_.new_actions();
  setup_.get(210_MiB);
  EXPECT_THAT(setup_.new_actions(),
              ElementsAre("segment_free", "segment_free", "segment_free", "segment_alloc", "alloc"))
      << "280 MiB are 24 too many; the oldest gives 10, so a second pass takes the others";
}

TEST_F(GarbageCollection, does_nothing_up_to_the_threshold) {
  setup_.free(setup_.get(100_MiB));
  setup_.get(146_MiB);
  setup_.new_actions();
  setup_.get(120_MiB);
  EXPECT_THAT(setup_.new_actions(), ElementsAre("segment_alloc", "alloc"));
}

TEST_F(GarbageCollection, a_small_request_collects_too) {
  setup_.free(setup_.get(300_MiB));
  setup_.new_actions();
  setup_.get(512_B);
  EXPECT_THAT(setup_.new_actions(), ElementsAre("segment_free", "segment_alloc", "alloc"));
}

TEST_F(GarbageCollection, a_request_in_a_private_pool_collects_from_the_device_s_own_large_pool) {
  setup_.free(setup_.get(300_MiB));
  setup_.begin_scope(1);
  setup_.new_actions();
  setup_.get(20_MiB);
  EXPECT_THAT(setup_.new_actions(), ElementsAre("segment_free", "segment_alloc", "alloc"));
  setup_.end_scope(1);
}

TEST_F(GarbageCollection, blocks_of_split_segments_stay) {
  const Address half = setup_.get(150_MiB);
  const Address whole = setup_.get(160_MiB);
  setup_.free(half);
  setup_.get(50_MiB);
  setup_.free(whole);
  setup_.new_entries();
  setup_.get(200_MiB);
  const auto entries = setup_.new_entries();
  EXPECT_EQ(entries.at(0).action, Action::segment_free);
  EXPECT_EQ(entries.at(0).address, whole);
  EXPECT_EQ(setup_.segments().at(1), "50MiB live, 100MiB free");
}

TEST_F(GarbageCollection, nothing_to_collect_is_no_error) {
  setup_.get(300_MiB);
  setup_.new_actions();
  setup_.get(100_MiB);
  EXPECT_THAT(setup_.new_actions(), ElementsAre("segment_alloc", "alloc"));
}

TEST(GarbageCollectionOptions, without_a_fraction_nothing_is_collected) {
  AllocatorSetup setup({.options = "garbage_collection_threshold:0.5"});
  setup.free(setup.get(600_MiB));
  setup.new_actions();
  setup.get(512_B);
  EXPECT_THAT(setup.new_actions(), ElementsAre("segment_alloc", "alloc"));
}

TEST(GarbageCollectionOptions, without_a_threshold_nothing_is_collected) {
  AllocatorSetup setup;
  setup.engine.set_memory_fraction(1.0);
  setup.free(setup.get(600_MiB));
  setup.new_actions();
  setup.get(512_B);
  EXPECT_THAT(setup.new_actions(), ElementsAre("segment_alloc", "alloc"));
}

TEST(OversizeRelease, releases_the_first_block_that_is_large_enough) {
  AllocatorSetup setup({.device_total = 80_MiB, .options = "max_split_size_mb:30"});
  setup.free(setup.get(60_MiB));
  setup.new_actions();
  setup.get(35_MiB);
  EXPECT_THAT(setup.new_actions(), ElementsAre("segment_free", "segment_alloc", "alloc"));
  EXPECT_EQ(setup.statistics().num_alloc_retries, 0);
  EXPECT_EQ(setup.statistics().num_sync_all_streams, 0);
}

TEST(OversizeRelease, adds_up_smaller_ones_from_the_largest_down) {
  AllocatorSetup setup({.device_total = 140_MiB, .options = "max_split_size_mb:30"});
  const Address a = setup.get(30_MiB);
  const Address b = setup.get(40_MiB);
  const Address c = setup.get(50_MiB);
  for (const Address address : {a, b, c}) setup.free(address);
  setup.new_entries();
  setup.get(80_MiB);
  const auto entries = setup.new_entries();
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].address, c);
  EXPECT_EQ(entries[1].address, b);
  EXPECT_EQ(setup.statistics().num_alloc_retries, 0);
  EXPECT_EQ(setup.segments().size(), 2U) << "30 MiB stay cached";
}

TEST(OversizeRelease, a_small_request_releases_one_block_of_the_split_limit) {
  AllocatorSetup setup({.device_total = 70_MiB, .options = "max_split_size_mb:30"});
  const Address large = setup.get(40_MiB);
  setup.free(setup.get(30_MiB));
  setup.free(large);
  setup.new_entries();
  setup.get(5_MiB);
  const auto entries = setup.new_entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].size, 30_MiB);
}

TEST(OversizeRelease, what_was_released_in_vain_stays_released) {
  AllocatorSetup setup({.device_total = 100_MiB, .options = "max_split_size_mb:30"});
  setup.free(setup.get(40_MiB));
  setup.begin_scope(1, 9);
  EXPECT_EQ(setup.outcome_of(120_MiB), MallocOutcome::out_of_memory);
  EXPECT_THAT(setup.segments(), IsEmpty());
  setup.end_scope(1);
}

TEST(OversizeRelease, takes_blocks_of_the_same_stream_only) {
  AllocatorSetup setup({.device_total = 80_MiB, .options = "max_split_size_mb:30"});
  setup.free(setup.get(60_MiB, 1));
  setup.begin_scope(1, 9);
  EXPECT_EQ(setup.outcome_of(35_MiB, 2), MallocOutcome::out_of_memory);
  EXPECT_THAT(setup.segments(), ElementsAre("60MiB free"));
  setup.end_scope(1);
}

TEST(OversizeRelease, without_a_split_limit_everything_is_flushed_at_once) {
  AllocatorSetup setup({.device_total = 80_MiB});
  setup.free(setup.get(60_MiB, 1));
  setup.get(35_MiB, 2);
  EXPECT_EQ(setup.statistics().num_alloc_retries, 1);
}

TEST(OversizeRelease, passes_over_a_part_of_a_split_segment) {
  AllocatorSetup setup({.device_total = 100_MiB});
  const Address whole = setup.get(90_MiB);
  setup.free(whole);
  setup.get(20_MiB);
  setup.set_options("max_split_size_mb:30");
  setup.begin_scope(1, 9);
  setup.new_actions();
  EXPECT_EQ(setup.outcome_of(31_MiB), MallocOutcome::out_of_memory);
  EXPECT_THAT(setup.new_actions(), ElementsAre("oom"));
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB live, 70MiB free"));
  setup.end_scope(1);
}

TEST(EmptyCache, releases_the_large_pool_before_the_small_one) {
  AllocatorSetup setup;
  const Address small = setup.get(512_B);
  const Address large = setup.get(5_MiB);
  setup.free(small);
  setup.free(large);
  setup.new_entries();
  setup.engine.empty_cache();
  const auto entries = setup.new_entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].address, large);
  EXPECT_EQ(entries[0].size, 20_MiB);
  EXPECT_EQ(entries[1].address, small);
  EXPECT_EQ(setup.device.used_memory(), 0_B);
}

TEST(EmptyCache, releases_in_the_order_of_the_free_set) {
  AllocatorSetup setup;
  const Address thirty = setup.get(30_MiB, 2);
  const Address twenty = setup.get(20_MiB, 2);
  const Address other_stream = setup.get(40_MiB, 1);
  for (const Address address : {thirty, twenty, other_stream}) setup.free(address);
  setup.new_entries();
  setup.engine.empty_cache();
  const auto entries = setup.new_entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].address, other_stream);
  EXPECT_EQ(entries[1].address, twenty);
  EXPECT_EQ(entries[2].address, thirty);
}

TEST(EmptyCache, leaves_blocks_of_split_segments) {
  AllocatorSetup setup;
  setup.get(5_MiB);
  setup.engine.empty_cache();
  EXPECT_THAT(setup.segments(), ElementsAre("5MiB live, 15MiB free"));
}

TEST(EmptyCache, unmaps_expandable_blocks_after_the_classic_ones_of_their_pool) {
  AllocatorSetup setup;
  const Address classic = setup.get(40_MiB);
  setup.set_options("expandable_segments:True");
  const Address mapped = setup.get(20_MiB);
  setup.free(classic);
  setup.free(mapped);
  setup.new_actions();
  setup.engine.empty_cache();
  EXPECT_THAT(setup.new_actions(), ElementsAre("segment_free", "segment_unmap"));
}

TEST(EmptyCache, a_released_segment_counts_as_a_device_call_and_frees_its_bytes) {
  AllocatorSetup setup;
  setup.free(setup.get(5_MiB));
  setup.engine.empty_cache();
  EXPECT_EQ(setup.statistics().num_device_free, 1);
  EXPECT_EQ(setup.statistics().segment.all, (StatisticValue{0, 1, 1, 1}));
  EXPECT_EQ(setup.statistics().reserved_bytes.all.current, 0);
}

}  // namespace
}  // namespace vramlab::tests
