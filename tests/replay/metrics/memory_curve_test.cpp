// Peaks of sums, curves of fixed length over programs of any length, and memory times time.
#include "replay/metrics/memory_curve.h"

#include <gtest/gtest.h>

#include "tests/support/kit/random_numbers.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;
using allocator::Bytes;

TEST(Peak, keeps_the_highest_sum_and_when_it_was_reached_first) {
  Peak peak;
  EXPECT_TRUE(peak.add(3_B, 1));
  EXPECT_TRUE(peak.add(4_B, 2));
  peak.subtract(7_B);
  EXPECT_FALSE(peak.add(7_B, 4));
  EXPECT_EQ(peak.now(), 7);
  EXPECT_EQ(peak.bytes(), 7_B);
  EXPECT_EQ(peak.moment(), 2U);
}

TEST(Peak, may_fall_below_what_it_begins_with) {
  Peak peak;
  peak.subtract(10_B);
  EXPECT_FALSE(peak.add(4_B, 1));
  EXPECT_EQ(peak.now(), -6);
  EXPECT_EQ(peak.highest(), 0);
  EXPECT_EQ(peak.moment(), 0U);
}

TEST(Peak, is_counted_from_a_start_that_only_the_end_tells) {
  Peak peak;
  peak.subtract(2_B);
  peak.add(5_B, 1);
  const std::int64_t start = peak.start_for(10_B);
  EXPECT_EQ(start, 7);
  EXPECT_EQ(peak.above(start), 10_B);
}

TEST(Peak, is_never_below_zero) { EXPECT_EQ(Peak().above(-5), 0_B); }

// Curves of fixed length over programs of any length, beside the level after every event.

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

/// The most held in each step, from the level after every single event.
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

// Curves in few steps, and memory times time in integers.

TEST(HeldCurve, keeps_the_most_of_each_step) {
  HeldCurve curve(0, 40, 4);
  curve.change(5, {10});
  curve.change(6, {30});
  curve.change(6, {20});
  curve.change(20, {0});
  curve.change(40, {7});
  const std::vector<HeldStep> steps = curve.finish();
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[0].most.count, 30U);
  EXPECT_EQ(steps[1].most.count, 20U);
  EXPECT_EQ(steps[2].most.count, 0U);
  EXPECT_EQ(steps[3].most.count, 7U);
}

TEST(HeldCurve, has_fewer_steps_where_time_is_short_and_one_where_none_goes_by) {
  EXPECT_EQ(HeldCurve(5, 8, 60).finish().size(), 3U);
  HeldCurve instant(5, 5, 60);
  instant.change(5, {9});
  const std::vector<HeldStep> steps = instant.finish();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps.front().most.count, 9U);
}

TEST(HeldCurve, agrees_with_looking_at_every_moment) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    tests::RandomNumbers random(seed);
    const std::uint64_t begin = random.below(1000);
    const std::uint64_t end = begin + 1 + random.below(300);
    HeldCurve curve(begin, end, 7);
    std::vector<std::uint64_t> most(end - begin + 1, 0);
    std::uint64_t level = 0;
    std::uint64_t now = begin;
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t next = std::min(end, now + random.below(30));
      for (; now < next; ++now) most[now - begin] = std::max(most[now - begin], level);
      level = random.below(100);
      most[now - begin] = std::max(most[now - begin], level);
      curve.change(now, {level});
    }
    for (; now <= end; ++now) most[now - begin] = std::max(most[now - begin], level);
    std::vector<HeldStep> steps = curve.finish();
    EXPECT_EQ(steps.front().from, begin);
    EXPECT_EQ(steps.back().to, end);
    ++steps.back().to;  // It reaches to the end.
    for (const HeldStep& step : steps) {
      std::uint64_t highest = 0;
      for (std::uint64_t at = step.from; at < step.to; ++at)
        highest = std::max(highest, most[at - begin]);
      EXPECT_EQ(step.most.count, highest) << step.from;
    }
  }
}

TEST(ByteTime, is_exact_where_64_bits_would_not_be_enough) {
  // 80 GiB for an hour.
  const ByteTime held = held_for(Bytes{80ULL << 30}, 3'600'000'000);
  EXPECT_EQ(held.byte_seconds, (80ULL << 30) * 3600);
  EXPECT_EQ(held.rest, 0U);
}

TEST(ByteTime, keeps_what_is_below_a_byte_second) {
  ByteTime held = held_for(Bytes{1'500'001}, 3);
  EXPECT_EQ(held, (ByteTime{4, 500'003}));
  held += held_for(Bytes{499'997}, 1);
  EXPECT_EQ(held, (ByteTime{5, 0}));
}

TEST(ByteTime, stays_at_the_most_there_is) {
  ByteTime held = held_for(Bytes{~0ULL}, ~0ULL);
  EXPECT_EQ(held.byte_seconds, ~0ULL);
  held += held;
  EXPECT_EQ(held.byte_seconds, ~0ULL);
}

}  // namespace

}  // namespace vramlab::replay
