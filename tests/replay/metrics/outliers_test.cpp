// Outliers: the few figures that lie far from the others.
#include "replay/metrics/outliers.h"

#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

TEST(Outliers, the_median_is_one_of_the_values) {
  EXPECT_EQ(median_of({}), 0U);
  EXPECT_EQ(median_of({7}), 7U);
  EXPECT_EQ(median_of({9, 1}), 1U);
  EXPECT_EQ(median_of({5, 9, 1}), 5U);
}

TEST(Outliers, one_of_equal_ranks_is_far_from_the_others) {
  const UsualRange usual = usual_range_of({1000, 1000, 1000, 1000, 1300, 1000});
  EXPECT_TRUE(usual.has(1000));
  EXPECT_FALSE(usual.has(1300));
  EXPECT_TRUE(usual.has(1010)) << "a hundredth is no difference";
  EXPECT_FALSE(usual.has(1011));
  EXPECT_FALSE(usual.has(989));
}

TEST(Outliers, values_that_are_spread_have_a_wide_range) {
  const UsualRange usual = usual_range_of({900, 950, 1000, 1050, 1100, 5000});
  EXPECT_TRUE(usual.has(900));
  EXPECT_TRUE(usual.has(1100));
  EXPECT_FALSE(usual.has(5000));
}

TEST(Outliers, few_values_have_none) {
  EXPECT_TRUE(usual_range_of({1, 1, 100}).has(100));
  EXPECT_TRUE(usual_range_of({}).has(100));
}

}  // namespace
}  // namespace vramlab::replay
