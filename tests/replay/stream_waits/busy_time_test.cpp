// Time with one span or with two, against counting every nanosecond.
#include "replay/stream_waits/stream_activity.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>

#include "tests/support/kit/random_numbers.h"

namespace vramlab::replay {
namespace {

TEST(BusyTimes, spans_that_meet_count_once_and_what_they_share_twice) {
  BusyTime busy;
  busy.add({{10}, {20}});
  busy.add({{15}, {30}});
  busy.add({{40}, {40}});
  busy.add({{50}, {60}});
  busy.add({{5}, {70}});
  EXPECT_EQ(busy.at_least_one().ns, 65U);
  EXPECT_EQ(busy.at_least_two().ns, 30U);
}

TEST(BusyTimes, agree_with_counting_every_nanosecond) {
  constexpr std::uint64_t length = 200;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    tests::RandomNumbers random(seed);
    std::vector<BusySpan> spans(random.below(20));
    for (BusySpan& span : spans) {
      span.begin.ns = random.below(length);
      span.end.ns = span.begin.ns + random.below(length - span.begin.ns);
    }
    std::sort(spans.begin(), spans.end(),
              [](const BusySpan& a, const BusySpan& b) { return a.end < b.end; });
    BusyTime busy;
    std::array<int, length> running{};
    for (const BusySpan& span : spans) {
      busy.add(span);
      for (std::uint64_t i = span.begin.ns; i < span.end.ns; ++i) ++running[i];
    }
    const auto count = [&](int least) {
      return static_cast<std::uint64_t>(
          std::count_if(running.begin(), running.end(), [least](int n) { return n >= least; }));
    };
    ASSERT_EQ(busy.at_least_one().ns, count(1)) << "seed " << seed;
    ASSERT_EQ(busy.at_least_two().ns, count(2)) << "seed " << seed;
  }
}

}  // namespace

}  // namespace vramlab::replay
