// Scopes and private pools of the default reference version: the pool of a request, and the end of
// a pool's memory.
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

PoolId pool_of_segment(AllocatorSetup& setup, std::size_t segment) {
  return setup.engine.take_snapshot().segments.at(segment).pool;
}

TEST(PrivatePools, requests_inside_a_scope_come_from_its_pool) {
  AllocatorSetup setup;
  setup.free(setup.get(5_MiB));
  setup.begin_scope(7);
  setup.get(5_MiB);
  setup.end_scope(7);
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB free", "5MiB live, 15MiB free"));
  EXPECT_EQ(pool_of_segment(setup, 0), default_pool);
  EXPECT_EQ(pool_of_segment(setup, 1), (PoolId{0, 7}));
}

TEST(PrivatePools, streams_that_the_filter_leaves_out_are_served_as_always) {
  AllocatorSetup setup;
  setup.begin_scope(7, 3);
  setup.get(5_MiB, 4);
  setup.get(5_MiB, 3);
  setup.end_scope(7);
  EXPECT_EQ(pool_of_segment(setup, 0), default_pool);
  EXPECT_EQ(pool_of_segment(setup, 1), (PoolId{0, 7}));
}

TEST(PrivatePools, after_the_scope_requests_come_from_the_device_s_own_pools) {
  AllocatorSetup setup;
  setup.begin_scope(7);
  const Address inside = setup.get(5_MiB);
  setup.end_scope(7);
  setup.free(inside);
  EXPECT_NE(setup.get(5_MiB), inside);
}

TEST(PrivatePools, a_block_stays_in_its_pool) {
  AllocatorSetup setup;
  setup.begin_scope(7);
  const Address inside = setup.get(5_MiB);
  setup.end_scope(7);
  setup.free(inside);
  setup.begin_scope(7);
  EXPECT_EQ(setup.get(5_MiB), inside);
  setup.end_scope(7);
}

TEST(PrivatePools, of_open_scopes_the_one_opened_first_takes_the_request) {
  AllocatorSetup setup;
  setup.begin_scope(1);
  setup.begin_scope(2);
  setup.get(5_MiB);
  EXPECT_EQ(pool_of_segment(setup, 0), (PoolId{0, 1}));
  setup.end_scope(1);
  setup.get(5_MiB);
  EXPECT_EQ(pool_of_segment(setup, 1), (PoolId{0, 2}));
  setup.end_scope(2);
}

TEST(PrivatePools, cached_memory_of_a_pool_in_use_stays) {
  AllocatorSetup setup;
  setup.begin_scope(7);
  setup.free(setup.get(5_MiB));
  setup.end_scope(7);
  setup.engine.empty_cache();
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB free"));
}

TEST(PrivatePools, cached_memory_of_a_pool_that_nobody_uses_goes) {
  AllocatorSetup setup;
  setup.begin_scope(7);
  setup.free(setup.get(5_MiB));
  setup.end_scope(7);
  setup.engine.release_pool({0, 7});
  setup.engine.empty_cache();
  EXPECT_THAT(setup.segments(), IsEmpty());
  EXPECT_EQ(setup.engine.core().private_pools.size(), 0U) << "the pool is forgotten";
}

TEST(PrivatePools, every_begin_is_a_use_that_must_be_given_back) {
  AllocatorSetup setup;
  setup.begin_scope(7);
  setup.free(setup.get(5_MiB));
  setup.end_scope(7);
  setup.begin_scope(7);
  setup.end_scope(7);
  setup.engine.release_pool({0, 7});
  setup.engine.empty_cache();
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB free"));
  setup.engine.release_pool({0, 7});
  setup.engine.empty_cache();
  EXPECT_THAT(setup.segments(), IsEmpty());
}

TEST(PrivatePools, a_pool_with_a_live_block_is_not_forgotten) {
  AllocatorSetup setup;
  setup.begin_scope(7);
  const Address alive = setup.get(5_MiB);
  setup.end_scope(7);
  setup.engine.release_pool({0, 7});
  setup.engine.empty_cache();
  EXPECT_EQ(setup.engine.core().private_pools.size(), 1U);
  setup.free(alive);
  setup.engine.empty_cache();
  EXPECT_EQ(setup.engine.core().private_pools.size(), 0U);
}

TEST(PrivatePools, an_expandable_pool_with_a_live_block_is_not_forgotten_either) {
  AllocatorSetup setup({.options = "expandable_segments:True"});
  setup.begin_scope(7);
  const Address freed = setup.get(60_MiB);
  const Address alive = setup.get(5_MiB);
  setup.free(freed);
  setup.end_scope(7);
  setup.engine.release_pool({0, 7});
  setup.engine.empty_cache();
  setup.engine.empty_cache();
  EXPECT_EQ(setup.engine.core().private_pools.size(), 1U);
  setup.free(alive);
  setup.engine.empty_cache();
  EXPECT_THAT(setup.segments(), IsEmpty());
}

TEST(PrivatePools, have_classic_segments_in_2_4_whatever_the_option_says) {
  std::vector<bool> are_expandable;
  for (const std::string_view version : {"2.4", "2.6"}) {
    AllocatorSetup setup({.version = version, .options = "expandable_segments:True"});
    setup.get(5_MiB);
    setup.begin_scope(7);
    setup.get(5_MiB);
    setup.end_scope(7);
    for (const SnapshotSegment& segment : setup.engine.take_snapshot().segments)
      are_expandable.push_back(segment.is_expandable);
  }
  EXPECT_THAT(are_expandable, ElementsAre(true, false, true, true));
}

TEST(PrivatePools, are_released_by_ascending_id_the_small_half_first) {
  AllocatorSetup setup;
  for (const std::uint64_t pool : {9U, 4U}) {
    setup.begin_scope(pool);
    setup.free(setup.get(5_MiB));
    setup.free(setup.get(512_B));
    setup.end_scope(pool);
    setup.engine.release_pool({0, pool});
  }
  setup.new_entries();
  setup.engine.empty_cache();
  const auto entries = setup.new_entries();
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].pool, (PoolId{0, 4}));
  EXPECT_EQ(entries[0].size, 2_MiB);
  EXPECT_EQ(entries[1].pool, (PoolId{0, 4}));
  EXPECT_EQ(entries[1].size, 20_MiB);
  EXPECT_EQ(entries[2].pool, (PoolId{0, 9}));
}

TEST(PrivatePools, a_failing_request_releases_pools_that_nobody_uses) {
  AllocatorSetup setup({.device_total = 100_MiB});
  setup.begin_scope(7);
  setup.free(setup.get(60_MiB));
  setup.end_scope(7);
  setup.engine.release_pool({0, 7});
  EXPECT_EQ(setup.outcome_of(80_MiB), MallocOutcome::allocated);
}

TEST(PrivatePools, count_as_small_or_large_in_the_statistics) {
  AllocatorSetup setup;
  setup.begin_scope(7);
  setup.get(512_B);
  setup.get(5_MiB);
  setup.end_scope(7);
  EXPECT_EQ(setup.statistics().allocation.small_pool.current, 1);
  EXPECT_EQ(setup.statistics().allocation.large_pool.current, 1);
}

TEST(PrivatePools, ids_of_graphs_and_of_users_are_different_pools) {
  AllocatorSetup setup;
  const auto every_stream = [](StreamId) { return true; };
  setup.engine.begin_scope({3, 0}, every_stream);
  const Address of_graph = setup.get(5_MiB);
  setup.engine.end_scope({3, 0});
  setup.free(of_graph);
  setup.begin_scope(3);
  EXPECT_NE(setup.get(5_MiB), of_graph);
  setup.end_scope(3);
}

}  // namespace
}  // namespace vramlab::tests
