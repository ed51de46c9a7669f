// Pools as objects of version 2.12: pools that lend on out-of-memory, pools whose blocks are never
// split, the life of a pool object, and the early reuse of frees inside a capture.
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

constexpr PoolId pool_object{0, 1};

/// A device of 100 MiB where pool 1 holds a free block of 60 MiB that it lends.
class LendingPools : public testing::Test {
 protected:
  LendingPools() {
    setup_.engine.create_pool(pool_object, {.use_on_oom = true});
    setup_.begin_scope(1);
    lent_ = setup_.get(60_MiB);
    setup_.free(lent_);
    setup_.end_scope(1);
    setup_.new_actions();
  }
  AllocatorSetup setup_{{100_MiB, "2.12", {}}};
  Address lent_;
};

TEST_F(LendingPools, serve_a_request_that_would_run_out_of_memory) {
  EXPECT_EQ(setup_.get(50_MiB), lent_);
  EXPECT_THAT(setup_.new_actions(), ElementsAre("alloc"));
  EXPECT_THAT(setup_.segments(), ElementsAre("50MiB live, 10MiB free"));
  EXPECT_EQ(setup_.engine.take_snapshot().segments[0].pool, pool_object)
      << "the block stays the pool's";
  EXPECT_EQ(setup_.statistics().num_alloc_retries, 0);
}

TEST_F(LendingPools, are_asked_before_the_caches_are_flushed) {
  setup_.free(setup_.get(30_MiB));
  setup_.get(60_MiB);
  EXPECT_THAT(setup_.segments(), ElementsAre("60MiB live", "30MiB free"));
}

TEST_F(LendingPools, are_not_asked_while_the_device_has_room) {
  EXPECT_NE(setup_.get(30_MiB), lent_);
}

TEST_F(LendingPools, get_no_segments_for_it) {
  EXPECT_EQ(setup_.outcome_of(70_MiB), MallocOutcome::out_of_memory);
  EXPECT_THAT(setup_.segments(), ElementsAre("60MiB free"));
}

TEST_F(LendingPools, do_not_lend_to_other_private_pools) {
  setup_.begin_scope(2);
  EXPECT_EQ(setup_.outcome_of(50_MiB), MallocOutcome::out_of_memory);
  setup_.end_scope(2);
}

TEST_F(LendingPools, split_by_the_classic_rules_whatever_the_options_say) {
  setup_.set_options("expandable_segments:True");
  setup_.leave_free(0_B);
  setup_.get(59_MiB + 512_B);
  EXPECT_THAT(setup_.segments(), ElementsAre("60MiB live"));
}

TEST_F(LendingPools, do_not_lend_once_they_are_destroyed) {
  setup_.engine.create_pool(pool_object, {});
  setup_.engine.destroy_pool(pool_object);
  setup_.leave_free(0_B);
  EXPECT_EQ(setup_.outcome_of(50_MiB), MallocOutcome::out_of_memory);
  EXPECT_THAT(setup_.segments(), ElementsAre("60MiB free"));
}

TEST_F(LendingPools, the_lowest_id_lends_first) {
  AllocatorSetup setup({100_MiB, "2.12", {}});
  for (const std::uint64_t id : {8U, 3U}) {
    setup.engine.create_pool({0, id}, {.use_on_oom = true});
    setup.begin_scope(id);
    setup.free(setup.get(50_MiB));
    setup.end_scope(id);
  }
  EXPECT_EQ(setup.get(50_MiB), first_segment + 50_MiB);
}

TEST_F(LendingPools, one_that_is_captured_to_fails_the_request_and_keeps_a_use_more) {
  setup_.begin_scope(1, 9);
  EXPECT_EQ(setup_.outcome_of(50_MiB), MallocOutcome::scope_already_open);
  EXPECT_THAT(setup_.new_actions(), IsEmpty()) << "not an out-of-memory";
  EXPECT_EQ(setup_.statistics().num_ooms, 0);
  setup_.end_scope(1);
  // Uses: the object, two scopes, and a use that stays counted.
  for (int use = 0; use < 3; ++use) setup_.engine.release_pool(pool_object);
  setup_.engine.empty_cache();
  EXPECT_THAT(setup_.segments(), ElementsAre("60MiB free"));
}

TEST(NoSplitPools, hand_out_blocks_whole_also_small_ones) {
  AllocatorSetup setup({1_GiB, "2.12", {}});
  setup.engine.create_pool(pool_object, {.no_split = true});
  setup.begin_scope(1);
  setup.get(512_B);
  setup.get(5_MiB);
  setup.end_scope(1);
  EXPECT_THAT(setup.segments(), ElementsAre("2MiB live", "20MiB live"));
  EXPECT_EQ(setup.statistics().inactive_split.all, StatisticValue{});
  EXPECT_EQ(setup.statistics().allocated_bytes.all.current, 22 << 20);
}

TEST(NoSplitPools, the_registration_outlives_the_pool) {
  AllocatorSetup setup({1_GiB, "2.12", {}});
  setup.engine.create_pool(pool_object, {.no_split = true});
  setup.engine.destroy_pool(pool_object);
  ASSERT_TRUE(setup.engine.core().private_pools.empty());
  setup.begin_scope(1);
  setup.get(512_B);
  setup.end_scope(1);
  EXPECT_THAT(setup.segments(), ElementsAre("2MiB live"));
}

TEST(PoolObjects, destroying_one_gives_its_use_back_and_empties_its_cache) {
  AllocatorSetup setup({1_GiB, "2.12", {}});
  setup.engine.create_pool(pool_object, {});
  setup.begin_scope(1);
  setup.free(setup.get(5_MiB));
  setup.end_scope(1);
  setup.engine.release_pool(pool_object);
  setup.engine.destroy_pool(pool_object);
  EXPECT_THAT(setup.segments(), IsEmpty());
}

TEST(PoolObjects, one_that_a_graph_still_uses_keeps_its_memory) {
  AllocatorSetup setup({1_GiB, "2.12", {}});
  setup.engine.create_pool(pool_object, {});
  setup.begin_scope(1);
  setup.free(setup.get(5_MiB));
  setup.end_scope(1);
  setup.engine.destroy_pool(pool_object);
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB free"));
}

TEST(PoolObjects, none_is_destroyed_while_a_scope_is_open) {
  AllocatorSetup setup({1_GiB, "2.12", {}});
  setup.engine.create_pool(pool_object, {});
  setup.begin_scope(2, 9);
  EXPECT_THROW(setup.engine.destroy_pool(pool_object), AllocatorError);
  setup.end_scope(2);
}

/// A capture on stream 0 in pool 1, in which a block of stream 0 was used on stream 2 and freed.
class EarlyReuse : public testing::Test {
 protected:
  explicit EarlyReuse(std::string_view options = "graph_capture_record_stream_reuse:True")
      : setup_({1_GiB, "2.12", options}) {
    setup_.begin_scope(1);
    setup_.device.begin_capture({0});
    block_ = setup_.get(5_MiB);
    setup_.device.submit_work({0});
    setup_.device.wait_for_other_stream({2}, {0});
    setup_.use_on(2, block_);
  }
  void end() {
    setup_.device.end_capture({0});
    setup_.end_scope(1);
  }
  AllocatorSetup setup_;
  Address block_;
};

TEST_F(EarlyReuse, a_block_is_free_once_the_stream_has_waited_for_the_other_one) {
  setup_.free(block_);
  setup_.device.wait_for_other_stream({0}, {2});
  setup_.device.submit_work({0});
  EXPECT_EQ(setup_.get(5_MiB), block_);
  end();
}

TEST_F(EarlyReuse, a_block_waits_while_the_other_stream_s_work_is_not_behind_it) {
  setup_.free(block_);
  setup_.device.submit_work({0});
  EXPECT_NE(setup_.get(5_MiB), block_);
  end();
}

TEST_F(EarlyReuse, only_requests_on_the_block_s_own_stream_look) {
  setup_.free(block_);
  setup_.device.wait_for_other_stream({0}, {2});
  setup_.device.submit_work({0});
  setup_.get(5_MiB, 2);
  EXPECT_EQ(setup_.segments()[0], "5MiB waiting, 15MiB free");
  end();
}

TEST_F(EarlyReuse, a_use_on_a_stream_outside_the_graph_waits_for_the_end) {
  setup_.use_on(7, block_);
  setup_.free(block_);
  setup_.device.wait_for_other_stream({0}, {2});
  setup_.device.submit_work({0});
  EXPECT_NE(setup_.get(5_MiB), block_);
  end();
}

TEST_F(EarlyReuse, the_end_of_the_scope_frees_what_waits_for_it) {
  setup_.free(block_);
  setup_.new_actions();
  end();
  EXPECT_THAT(setup_.new_actions(), ElementsAre("free_completed"));
}

TEST_F(EarlyReuse, the_end_of_the_scope_leaves_frees_of_other_pools) {
  setup_.begin_scope(2);
  const Address other = setup_.get(5_MiB);
  setup_.use_on(2, other);
  setup_.free(other);
  setup_.free(block_);
  end();
  EXPECT_THAT(setup_.segments(), ElementsAre("20MiB free", "5MiB waiting, 15MiB free"));
  setup_.end_scope(2);
}

class NoEarlyReuse : public EarlyReuse {
 protected:
  NoEarlyReuse() : EarlyReuse("") {}
};

TEST_F(NoEarlyReuse, without_the_option_a_block_waits_for_the_request_after_the_scope) {
  setup_.free(block_);
  setup_.device.wait_for_other_stream({0}, {2});
  setup_.device.submit_work({0});
  EXPECT_NE(setup_.get(5_MiB), block_);
  end();
  EXPECT_EQ(setup_.segments()[0], "5MiB waiting, 5MiB live, 10MiB free");
}

}  // namespace
}  // namespace vramlab::tests
