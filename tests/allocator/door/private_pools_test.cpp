// Scopes and private pools of the default reference version: where requests are taken to, and when
// a pool's memory goes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/words/answers.h"
#include "tests/support/devices/allocator_world.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::IsEmpty;

PoolId pool_of_segment(AllocatorWorld& world, std::size_t segment) {
  return world.engine.take_snapshot().segments.at(segment).pool;
}

TEST(PrivatePools, requests_inside_a_scope_come_from_its_pool) {
  AllocatorWorld world;
  world.free(world.get(5_MiB));
  world.begin_scope(7);
  world.get(5_MiB);
  world.end_scope(7);
  EXPECT_THAT(world.segments(), ElementsAre("20MiB free", "5MiB live, 15MiB free"));
  EXPECT_EQ(pool_of_segment(world, 0), default_pool);
  EXPECT_EQ(pool_of_segment(world, 1), (PoolId{0, 7}));
}

TEST(PrivatePools, streams_that_the_filter_leaves_out_are_served_as_always) {
  AllocatorWorld world;
  world.begin_scope(7, 3);
  world.get(5_MiB, 4);
  world.get(5_MiB, 3);
  world.end_scope(7);
  EXPECT_EQ(pool_of_segment(world, 0), default_pool);
  EXPECT_EQ(pool_of_segment(world, 1), (PoolId{0, 7}));
}

TEST(PrivatePools, after_the_scope_requests_come_from_the_device_s_own_pools) {
  AllocatorWorld world;
  world.begin_scope(7);
  const Address inside = world.get(5_MiB);
  world.end_scope(7);
  world.free(inside);
  EXPECT_NE(world.get(5_MiB), inside);
}

TEST(PrivatePools, a_block_stays_in_its_pool) {
  AllocatorWorld world;
  world.begin_scope(7);
  const Address inside = world.get(5_MiB);
  world.end_scope(7);
  world.free(inside);
  world.begin_scope(7);
  EXPECT_EQ(world.get(5_MiB), inside);
  world.end_scope(7);
}

TEST(PrivatePools, of_open_scopes_the_one_opened_first_takes_the_request) {
  AllocatorWorld world;
  world.begin_scope(1);
  world.begin_scope(2);
  world.get(5_MiB);
  EXPECT_EQ(pool_of_segment(world, 0), (PoolId{0, 1}));
  world.end_scope(1);
  world.get(5_MiB);
  EXPECT_EQ(pool_of_segment(world, 1), (PoolId{0, 2}));
  world.end_scope(2);
}

TEST(PrivatePools, cached_memory_of_a_pool_in_use_stays) {
  AllocatorWorld world;
  world.begin_scope(7);
  world.free(world.get(5_MiB));
  world.end_scope(7);
  world.engine.empty_cache();
  EXPECT_THAT(world.segments(), ElementsAre("20MiB free"));
}

TEST(PrivatePools, cached_memory_of_a_pool_that_nobody_uses_goes) {
  AllocatorWorld world;
  world.begin_scope(7);
  world.free(world.get(5_MiB));
  world.end_scope(7);
  world.engine.release_pool({0, 7});
  world.engine.empty_cache();
  EXPECT_THAT(world.segments(), IsEmpty());
  EXPECT_EQ(world.engine.core().private_pools.size(), 0U) << "the pool is forgotten";
}

TEST(PrivatePools, every_begin_is_a_use_that_must_be_given_back) {
  AllocatorWorld world;
  world.begin_scope(7);
  world.free(world.get(5_MiB));
  world.end_scope(7);
  world.begin_scope(7);
  world.end_scope(7);
  world.engine.release_pool({0, 7});
  world.engine.empty_cache();
  EXPECT_THAT(world.segments(), ElementsAre("20MiB free"));
  world.engine.release_pool({0, 7});
  world.engine.empty_cache();
  EXPECT_THAT(world.segments(), IsEmpty());
}

TEST(PrivatePools, a_pool_with_a_live_block_is_not_forgotten) {
  AllocatorWorld world;
  world.begin_scope(7);
  const Address alive = world.get(5_MiB);
  world.end_scope(7);
  world.engine.release_pool({0, 7});
  world.engine.empty_cache();
  EXPECT_EQ(world.engine.core().private_pools.size(), 1U);
  world.free(alive);
  world.engine.empty_cache();
  EXPECT_EQ(world.engine.core().private_pools.size(), 0U);
}

TEST(PrivatePools, an_expandable_pool_with_a_live_block_is_not_forgotten_either) {
  AllocatorWorld world({.options = "expandable_segments:True"});
  world.begin_scope(7);
  const Address freed = world.get(60_MiB);
  const Address alive = world.get(5_MiB);
  world.free(freed);
  world.end_scope(7);
  world.engine.release_pool({0, 7});
  world.engine.empty_cache();
  world.engine.empty_cache();
  EXPECT_EQ(world.engine.core().private_pools.size(), 1U);
  world.free(alive);
  world.engine.empty_cache();
  EXPECT_THAT(world.segments(), IsEmpty());
}

TEST(PrivatePools, are_released_by_ascending_id_the_small_half_first) {
  AllocatorWorld world;
  for (const std::uint64_t pool : {9U, 4U}) {
    world.begin_scope(pool);
    world.free(world.get(5_MiB));
    world.free(world.get(512_B));
    world.end_scope(pool);
    world.engine.release_pool({0, pool});
  }
  world.new_entries();
  world.engine.empty_cache();
  const auto entries = world.new_entries();
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].pool, (PoolId{0, 4}));
  EXPECT_EQ(entries[0].size, 2_MiB);
  EXPECT_EQ(entries[1].pool, (PoolId{0, 4}));
  EXPECT_EQ(entries[1].size, 20_MiB);
  EXPECT_EQ(entries[2].pool, (PoolId{0, 9}));
}

TEST(PrivatePools, a_failing_request_releases_pools_that_nobody_uses) {
  AllocatorWorld world({.device_total = 100_MiB});
  world.begin_scope(7);
  world.free(world.get(60_MiB));
  world.end_scope(7);
  world.engine.release_pool({0, 7});
  EXPECT_EQ(world.outcome_of(80_MiB), MallocOutcome::allocated);
}

TEST(PrivatePools, count_as_small_or_large_in_the_statistics) {
  AllocatorWorld world;
  world.begin_scope(7);
  world.get(512_B);
  world.get(5_MiB);
  world.end_scope(7);
  EXPECT_EQ(world.statistics().allocation.small_pool.current, 1);
  EXPECT_EQ(world.statistics().allocation.large_pool.current, 1);
}

TEST(PrivatePools, ids_of_graphs_and_of_users_are_different_pools) {
  AllocatorWorld world;
  const auto every_stream = [](StreamId) { return true; };
  world.engine.begin_scope({3, 0}, every_stream);
  const Address of_graph = world.get(5_MiB);
  world.engine.end_scope({3, 0});
  world.free(of_graph);
  world.begin_scope(3);
  EXPECT_NE(world.get(5_MiB), of_graph);
  world.end_scope(3);
}

}  // namespace
}  // namespace vramlab::tests
