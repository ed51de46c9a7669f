// Curves in few steps, and memory times time in integers.
#include "replay/metrics/memory_curve.h"

#include <gtest/gtest.h>

#include "tests/support/kit/random_numbers.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;

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
