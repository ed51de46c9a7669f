// Curves of fixed length over programs of any length, beside the level after every event.
#include "replay/metrics/memory_curve.h"

#include <gtest/gtest.h>

#include "tests/support/kit/random_numbers.h"

namespace vramlab::replay {
namespace {

MemoryLevel level(std::uint64_t allocated, std::uint64_t reserved) {
  return {{allocated}, {reserved}};
}

TEST(MemoryCurve, a_short_program_has_a_step_for_each_event) {
  MemoryCurve curve(4);
  curve.note(0, level(1, 2));
  curve.note(2, level(3, 4));
  EXPECT_EQ(curve.steps(), (std::vector<MemoryLevel>{level(1, 2), level(1, 2), level(3, 4)}));
  EXPECT_EQ(curve.events_per_step(), 1U);
}

TEST(MemoryCurve, steps_become_longer_and_keep_their_peaks) {
  MemoryCurve curve(4);
  for (std::uint64_t event = 0; event < 9; ++event)
    curve.note(event, level(event == 5 ? 100 : event, event == 2 ? 200 : 10));
  EXPECT_EQ(curve.events_per_step(), 4U);
  EXPECT_EQ(curve.last_event(), 8U);
  EXPECT_EQ(curve.steps(), (std::vector<MemoryLevel>{level(3, 200), level(100, 10), level(8, 10)}));
}

TEST(MemoryCurve, what_is_told_of_one_event_counts_with_all_its_levels) {
  MemoryCurve curve(4);
  curve.note(1, level(5, 50));
  curve.note(1, level(2, 20));
  curve.note(2, level(1, 20));
  EXPECT_EQ(curve.steps(), (std::vector<MemoryLevel>{level(0, 0), level(5, 50), level(1, 20)}));
}

TEST(MemoryCurve, an_event_before_the_last_counts_as_the_last) {
  MemoryCurve curve(4);
  curve.note(2, level(1, 1));
  curve.note(0, level(9, 9));
  EXPECT_EQ(curve.last_event(), 2U);
  EXPECT_EQ(curve.steps().back(), level(9, 9));
}

TEST(MemoryCurve, the_largest_event_number_is_reached) {
  MemoryCurve curve(4);
  curve.note(0, level(7, 7));
  curve.note(UINT64_MAX, level(1, 1));
  ASSERT_EQ(curve.steps().size(), 4U);
  for (const MemoryLevel& step : curve.steps()) EXPECT_EQ(step, level(7, 7));
}

/// The most of each step, from what was held after every single event.
std::vector<MemoryLevel> maxima(const std::vector<std::vector<MemoryLevel>>& after,
                                std::uint64_t events_per_step) {
  std::vector<MemoryLevel> steps;
  for (std::size_t event = 0; event < after.size(); ++event) {
    if (event % events_per_step == 0) steps.emplace_back();
    for (const MemoryLevel& one : after[event]) {
      steps.back().allocated = std::max(steps.back().allocated, one.allocated);
      steps.back().reserved = std::max(steps.back().reserved, one.reserved);
    }
  }
  return steps;
}

TEST(MemoryCurve, agrees_with_looking_at_every_event) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    tests::RandomNumbers random(seed);
    const std::size_t most_steps = 2 + random.below(9);
    MemoryCurve curve(most_steps);
    std::vector<std::vector<MemoryLevel>> after;
    MemoryLevel now;
    const std::uint64_t notes = 1 + random.below(200);
    const std::uint64_t longest_gap = 1 + random.below(20);
    for (std::uint64_t i = 0; i < notes; ++i) {
      const std::uint64_t event =
          (after.empty() ? 0 : after.size() - 1) + random.below(longest_gap);
      while (after.size() <= event)
        after.push_back(after.size() < event ? std::vector<MemoryLevel>{now}
                                             : std::vector<MemoryLevel>{});
      now = level(random.below(1000), random.below(1000));
      after[event].push_back(now);
      curve.note(event, now);
    }
    ASSERT_LE(curve.steps().size(), most_steps);
    EXPECT_EQ(curve.last_event(), after.size() - 1);
    EXPECT_EQ(curve.steps(), maxima(after, curve.events_per_step()));
    // No step is longer than it must be.
    EXPECT_TRUE(curve.events_per_step() == 1 ||
                2 * after.size() / curve.events_per_step() >= most_steps);
  }
}

}  // namespace
}  // namespace vramlab::replay
