// Replays that find what would have let a failed request pass: more memory, or other options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "replay/settings_search/out_of_memory_tries.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;
using allocator::Bytes;
using testing::ElementsAre;

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
  EXPECT_EQ(least_memory(needs(allocator::unlimited, asked), {{0}, 4}, 100_MiB,
                         Bytes{10'000'000'000'000}),
            std::nullopt);
  EXPECT_LE(std::ranges::max(asked), replay::boundless_memory.count >> 20);
}

TEST(OutOfMemoryTries, options_are_tried_that_are_not_in_force) {
  std::vector<std::uint64_t> asked;
  allocator::Settings settings;
  settings.expandable_segments = true;
  const auto turned_off =
      try_likely_options(needs(1_MiB, asked), {{0}, 4}, settings, replay::MemoryShare::whole);
  ASSERT_EQ(turned_off.size(), 1U);
  EXPECT_EQ(turned_off.front().added, "expandable_segments:False");
  const auto tried =
      try_likely_options(needs(1_MiB, asked), {{0}, 3}, {}, replay::MemoryShare::limited);
  ASSERT_EQ(tried.size(), 5U);
  EXPECT_EQ(tried[1], (replay::TriedOptions{"garbage_collection_threshold:0.8", true, false,
                                            "garbage_collection_threshold:0.8"}));
}

TEST(OutOfMemoryTries, a_request_that_failed_before_is_no_later_one) {
  replay::ReplayReport report;
  report.devices.resize(1);
  report.devices[0].failures.push_back({2, {}, {}, {}});
  const replay::FailedAt later{{0}, 4, {2}};
  EXPECT_TRUE(passes(report, later));
  EXPECT_TRUE(runs_through(report, later));
  report.devices[0].failures.push_back({7, {}, {}, {}});
  EXPECT_TRUE(passes(report, later));
  EXPECT_FALSE(runs_through(report, later));
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

}  // namespace
}  // namespace vramlab::tests
