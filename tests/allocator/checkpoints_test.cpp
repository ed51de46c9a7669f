// Checkpoints of private pools: noting how a pool is cut, and cutting it the same way again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/types/answers.h"
#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr PoolId captured_pool{0, 7};

/// A pool with [4 live][4 free][rest free], noted.
class Checkpoints : public testing::Test {
 protected:
  explicit Checkpoints(const SetupOptions& setup = {}) : setup_(setup) {
    setup_.begin_scope(7);
    first_ = setup_.get(4_MiB);
    second_ = setup_.get(4_MiB);
    third_ = setup_.get(4_MiB);
    setup_.free(second_);
    noted_ = setup_.engine.take_checkpoint(captured_pool);
  }
  ~Checkpoints() override {
    if (!ended_) setup_.end_scope(7);
  }
  void end_scope() {
    setup_.end_scope(7);
    ended_ = true;
  }
  std::string refusal() {
    try {
      setup_.engine.restore_checkpoint(noted_);
      return "restored";
    } catch (const AllocatorError& error) {
      return error.what();
    }
  }

  AllocatorSetup setup_;
  Address first_, second_, third_;
  Checkpoint noted_;
  bool ended_ = false;
};

TEST_F(Checkpoints, note_every_block_in_order) {
  ASSERT_EQ(noted_.segments.size(), 1U);
  const auto& blocks = noted_.segments[0].blocks;
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(blocks[0], (CheckpointBlock{first_, 4_MiB, CheckpointBlockState::allocated}));
  EXPECT_EQ(blocks[1], (CheckpointBlock{second_, 4_MiB, CheckpointBlockState::free}));
  EXPECT_EQ(blocks[3].size, 8_MiB);
}

TEST_F(Checkpoints, restoring_frees_everything_and_cuts_the_pool_as_it_was) {
  setup_.free(first_);
  const Address other = setup_.get(2_MiB);
  const RestoreResult result = setup_.engine.restore_checkpoint(noted_);
  EXPECT_THAT(result.freed, ElementsAre(other, third_));
  ASSERT_EQ(result.created.size(), 2U);
  EXPECT_EQ(result.created[0].address, first_);
  EXPECT_EQ(result.created[1].address, third_);
  EXPECT_THAT(setup_.segments(), ElementsAre("4MiB live, 4MiB free, 4MiB live, 8MiB free"));
}

TEST_F(Checkpoints, restoring_is_recorded_as_the_normal_calls_would_be) {
  setup_.free(first_);
  setup_.free(third_);
  setup_.new_actions();
  setup_.engine.restore_checkpoint(noted_);
  EXPECT_THAT(setup_.new_actions(),
              ElementsAre("alloc", "alloc", "alloc", "alloc", "free_requested", "free_completed",
                          "free_requested", "free_completed"));
}

TEST_F(Checkpoints, the_noted_blocks_are_handed_out_with_their_size_as_request) {
  setup_.engine.restore_checkpoint(noted_);
  EXPECT_EQ(setup_.engine.take_snapshot().segments[0].blocks[0].requested, 4_MiB);
}

TEST_F(Checkpoints, segments_got_since_stay_and_become_free) {
  setup_.get(30_MiB);
  setup_.engine.restore_checkpoint(noted_);
  EXPECT_EQ(setup_.segments().at(1), "30MiB free");
}

TEST_F(Checkpoints, taking_one_handles_deferred_frees_first) {
  setup_.use_on(3, first_);
  setup_.free(first_);
  const Checkpoint after = setup_.engine.take_checkpoint(captured_pool);
  EXPECT_EQ(after.segments[0].blocks[0].state, CheckpointBlockState::free);
}

TEST_F(Checkpoints, none_is_taken_while_a_block_waits_for_an_event) {
  end_scope();
  setup_.use_on(3, first_);
  setup_.free(first_);
  EXPECT_THROW(setup_.engine.take_checkpoint(captured_pool), AllocatorError);
}

TEST_F(Checkpoints, a_segment_that_was_given_back_is_refused_and_nothing_changes) {
  setup_.free(first_);
  setup_.free(third_);
  end_scope();
  setup_.engine.release_pool(captured_pool);
  setup_.engine.empty_cache();
  setup_.begin_scope(7);
  ended_ = false;
  setup_.get(30_MiB);
  const Snapshot before = setup_.engine.take_snapshot();
  const StatisticValues statistics = setup_.statistics();
  setup_.new_actions();
  EXPECT_THAT(refusal(), HasSubstr("has changed since"));
  EXPECT_EQ(setup_.engine.take_snapshot(), before);
  EXPECT_EQ(setup_.statistics(), statistics);
  EXPECT_THAT(setup_.new_actions(), IsEmpty());
}

TEST_F(Checkpoints, a_block_that_waits_in_the_segment_is_refused_and_nothing_changes) {
  setup_.use_on(3, first_);
  setup_.free(first_);
  const Snapshot before = setup_.engine.take_snapshot();
  const StatisticValues statistics = setup_.statistics();
  EXPECT_THAT(refusal(), HasSubstr("cannot be restored"));
  EXPECT_EQ(setup_.engine.take_snapshot(), before);
  EXPECT_EQ(setup_.statistics(), statistics);
}

TEST_F(Checkpoints, a_pool_that_nobody_uses_any_more_is_refused) {
  end_scope();
  setup_.engine.release_pool(captured_pool);
  EXPECT_THAT(refusal(), HasSubstr("nobody uses it"));
  EXPECT_THROW(setup_.engine.take_checkpoint(captured_pool), AllocatorError);
}

TEST(CheckpointsOfUnknownPools, are_refused) {
  AllocatorSetup setup;
  EXPECT_THROW(setup.engine.take_checkpoint({0, 9}), AllocatorError);
  EXPECT_THROW(setup.engine.restore_checkpoint({{0, 9}, {}}), AllocatorError);
}

class ExpandableCheckpoints : public Checkpoints {
 protected:
  ExpandableCheckpoints()
      : Checkpoints({.device_total = 1_GiB, .options = "expandable_segments:True"}) {}
};

TEST_F(ExpandableCheckpoints, note_the_unmapped_rest) {
  const CheckpointBlock& rest = noted_.segments[0].blocks.back();
  EXPECT_EQ(rest.state, CheckpointBlockState::unmapped);
  EXPECT_EQ(rest.size, 1140_MiB);
}

TEST_F(ExpandableCheckpoints, are_restored_where_the_mapping_is_as_it_was) {
  setup_.free(first_);
  setup_.engine.restore_checkpoint(noted_);
  EXPECT_THAT(setup_.segments(), ElementsAre("4MiB live, 4MiB free, 4MiB live, 8MiB free"));
}

TEST_F(ExpandableCheckpoints, a_segment_that_has_grown_is_refused_and_nothing_changes) {
  setup_.get(30_MiB);
  const Snapshot before = setup_.engine.take_snapshot();
  EXPECT_THAT(refusal(), HasSubstr("has changed since"));
  EXPECT_EQ(setup_.engine.take_snapshot(), before);
}

class NewerExpandableCheckpoints : public Checkpoints {
 protected:
  NewerExpandableCheckpoints()
      : Checkpoints(
            {.device_total = 1_GiB, .version = "2.12", .options = "expandable_segments:True"}) {}
};

TEST_F(NewerExpandableCheckpoints, a_segment_that_has_grown_keeps_the_rest_free) {
  setup_.get(30_MiB);
  setup_.engine.restore_checkpoint(noted_);
  EXPECT_THAT(setup_.segments(), ElementsAre("4MiB live, 4MiB free, 4MiB live, 48MiB free"));
}

TEST_F(NewerExpandableCheckpoints, a_segment_that_has_shrunk_is_refused) {
  for (const Address address : {first_, third_}) setup_.free(address);
  end_scope();
  setup_.engine.release_pool(captured_pool);
  setup_.engine.empty_cache();
  setup_.begin_scope(7);
  ended_ = false;
  EXPECT_THAT(refusal(), HasSubstr("has changed since"));
}

}  // namespace
}  // namespace vramlab::tests
