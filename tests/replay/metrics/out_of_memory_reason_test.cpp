// Reasons of failed requests, held against the allocator: freeing the amount that a reason names is
// enough.
#include <gtest/gtest.h>

#include "replay/metrics/engine_rules.h"
#include "replay/metrics/out_of_memory_reason.h"
#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;
using allocator::Address;
using allocator::Bytes;
using allocator::MallocOutcome;
using replay::OutOfMemoryReason;

/// The explanation of a request that must fail.
OutOfMemoryReason reason_of(AllocatorSetup& setup, Bytes request, std::uint64_t stream = 0) {
  EXPECT_EQ(setup.outcome_of(request, stream), MallocOutcome::out_of_memory);
  replay::DeviceState state;
  state.snapshot = setup.engine.take_snapshot();
  state.rules = replay::rules_of(setup.engine, setup.device.memory_info().free);
  const Bytes rounded = round_up(request, 512_B);
  return explain_out_of_memory(
      state, {0, request, rounded, {stream}, {}, setup.device.memory_info().free});
}

TEST(OutOfMemoryReason, free_memory_of_others_is_told_by_whose_it_is) {
  AllocatorSetup setup({.device_total = 100_MiB});
  setup.get(5_MiB);
  setup.get(5_MiB, 7);
  setup.get(700_B);
  const OutOfMemoryReason reason = reason_of(setup, 60_MiB);
  EXPECT_EQ(reason.device_size, 60_MiB);
  EXPECT_EQ(reason.in_lane.free, 15_MiB);
  EXPECT_EQ(reason.free_on_other_streams, 15_MiB);
  EXPECT_EQ(reason.free_in_other_half, 2047_KiB);
  EXPECT_EQ(reason.refused.device_free, 58_MiB);
  EXPECT_EQ(reason.shortfall, 2_MiB);
}

TEST(OutOfMemoryReason, blocks_that_the_split_limit_keeps_are_told) {
  AllocatorSetup setup({.device_total = 100_MiB, .options = "max_split_size_mb:40"});
  const Address large = setup.get(60_MiB);
  setup.get(38_MiB);
  setup.begin_scope(1);
  setup.end_scope(1);
  setup.free(large);
  replay::DeviceState state;
  state.snapshot = setup.engine.take_snapshot();
  state.rules = replay::rules_of(setup.engine, 2_MiB);
  const OutOfMemoryReason reason =
      explain_out_of_memory(state, {0, 30_MiB, 30_MiB, {0}, {}, Bytes{2_MiB}});
  EXPECT_EQ(reason.kept_by_split_limit, 60_MiB);
}

TEST(OutOfMemoryReason, freeing_what_it_names_is_enough_and_less_is_not) {
  AllocatorSetup setup({.device_total = 100_MiB});
  setup.get(5_MiB);
  setup.get(5_MiB, 1);
  setup.get(5_MiB, 2);
  setup.get(5_MiB, 3);
  const OutOfMemoryReason reason = reason_of(setup, 50_MiB);
  EXPECT_EQ(reason.shortfall, 30_MiB);
  ASSERT_EQ(reason.enough_to_free.size(), 2U);
  setup.free(reason.enough_to_free[0].at);
  EXPECT_EQ(setup.outcome_of(50_MiB), MallocOutcome::out_of_memory);
  setup.free(reason.enough_to_free[1].at);
  EXPECT_EQ(setup.outcome_of(50_MiB), MallocOutcome::allocated);
}

TEST(OutOfMemoryReason, a_hole_that_would_have_served_it_shows_another_pool) {
  AllocatorSetup setup;
  setup.free(setup.get(60_MiB));
  replay::DeviceState state;
  state.snapshot = setup.engine.take_snapshot();
  state.rules = replay::rules_of(setup.engine, 2_MiB);
  const auto of = [&](Bytes size) {
    return explain_out_of_memory(state, {0, size, size, {0}, {}, Bytes{2_MiB}});
  };
  EXPECT_TRUE(of(30_MiB).is_of_unknown_pool);
  EXPECT_FALSE(of(70_MiB).is_of_unknown_pool);
}

TEST(OutOfMemoryReason, a_device_that_had_enough_shows_an_unknown_share) {
  AllocatorSetup setup;
  setup.get(5_MiB);
  replay::DeviceState state;
  state.snapshot = setup.engine.take_snapshot();
  const OutOfMemoryReason reason =
      explain_out_of_memory(state, {0, std::nullopt, 30_MiB, {0}, {}, Bytes{68_MiB}});
  EXPECT_TRUE(reason.is_limited_by_unknown_share);
  EXPECT_FALSE(reason.shortfall);
}

TEST(OutOfMemoryReason, reserve_that_is_too_small_for_the_request_is_no_lack_of_memory) {
  AllocatorSetup setup(
      {4_GiB, "2.15", "expandable_segments:True,expandable_segments_reserve:0.5G"});
  const OutOfMemoryReason reason = reason_of(setup, 600_MiB);
  EXPECT_EQ(reason.exceeded_reserve, 512_MiB);
  EXPECT_FALSE(reason.is_limited_by_unknown_share);
  EXPECT_FALSE(reason.shortfall);
}

}  // namespace
}  // namespace vramlab::tests
