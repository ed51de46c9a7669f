// Sums that events change, and the most that they ever came to.
#include "replay/metrics/memory_curve.h"

#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

using namespace allocator::literals;

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

}  // namespace
}  // namespace vramlab::replay
