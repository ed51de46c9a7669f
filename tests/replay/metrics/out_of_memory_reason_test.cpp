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

<<<<<<< HEAD:tests/replay/metrics/out_of_memory_reason_test.cpp
=======
/// A replay in which event 4 needs this much.
replay::ReplayTry needs(Bytes memory, std::vector<std::uint64_t>& asked) {
  return [memory, &asked](const replay::ReplayChange& change) {
    asked.push_back(change.memory ? change.memory->count >> 20 : 0);
    replay::ReplayReport report;
    report.devices.resize(1);
    if (!change.memory || *change.memory < memory)
      report.devices[0].failures.push_back({4, {}, {}, {}});
    return report;
  };
}

TEST(OutOfMemoryTries, the_least_memory_is_found_by_halving) {
  std::vector<std::uint64_t> asked;
  EXPECT_EQ(least_memory(needs(171_MiB, asked), {{0}, 4}, 100_MiB, 10_MiB), 172_MiB);
  EXPECT_THAT(asked, ElementsAre(110, 120, 140, 180, 160, 170, 174, 172));
}

TEST(OutOfMemoryTries, where_no_memory_helps_that_is_told) {
  std::vector<std::uint64_t> asked;
  EXPECT_EQ(least_memory(needs(allocator::unlimited, asked), {{0}, 4}, 100_MiB, 10_MiB),
            std::nullopt);
}

TEST(OutOfMemoryTries, options_are_tried_that_are_not_in_force) {
  std::vector<std::uint64_t> asked;
  allocator::Settings settings;
  settings.expandable_segments = true;
  EXPECT_TRUE(
      try_likely_options(needs(1_MiB, asked), {{0}, 4}, settings, replay::MemoryShare::whole)
          .empty());
  const auto tried =
      try_likely_options(needs(1_MiB, asked), {{0}, 3}, {}, replay::MemoryShare::limited);
  ASSERT_EQ(tried.size(), 5U);
  EXPECT_EQ(tried[1], (replay::TriedOptions{"garbage_collection_threshold:0.8", true, false,
                                            "garbage_collection_threshold:0.8"}));
}

TEST(OutOfMemoryTries, an_option_replaces_the_one_of_its_name) {
  EXPECT_EQ(replay::with_option("", "expandable_segments:True"), "expandable_segments:True");
  EXPECT_EQ(replay::with_option("max_split_size_mb:64,expandable_segments:False",
                                "expandable_segments:True"),
            "max_split_size_mb:64,expandable_segments:True");
  EXPECT_EQ(replay::with_option("roundup_power2_divisions:[256:1,>:4]", "max_split_size_mb:32"),
            "roundup_power2_divisions:[256:1,>:4],max_split_size_mb:32");
}

TEST(OutOfMemoryTries, a_failure_that_the_program_went_on_after_may_happen_again) {
  replay::ReplayReport report;
  report.devices.resize(1);
  report.devices[0].failures = {{2, {}, {}, {}}, {9, {}, {}, {}}};
  EXPECT_FALSE(passes(report, {{0}, 4}));
  EXPECT_TRUE(passes(report, {{0}, 4, {2}}));
  EXPECT_FALSE(passes(report, {{0}, 9, {2}}));
}

>>>>>>> 369792ff (replayer: a failed request keeps the stack that asked):tests/replay/recording/out_of_memory_test.cpp
}  // namespace
}  // namespace vramlab::tests
