// Limits of a comparison: how they are written, and when they are broken.
#include "replay/compare/limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using testing::HasSubstr;

Limit limit(const char* text) { return parse_limit(text, "--fail-if"); }

std::string refusal(const char* text) {
  try {
    limit(text);
  } catch (const traces::InputError& error) {
    return error.what();
  }
  return "none";
}

struct Written {
  const char* text;
  LimitSign sign;
  LimitKind kind;
  std::int64_t value;
};

TEST(Limits, are_read_as_they_are_written) {
  using enum LimitSign;
  using enum LimitKind;
  const std::vector<Written> all = {
      {"peak_reserved > +2%", above, relative_change, 20'000},
      {"stranded > 512MiB", above, value, 512LL << 20},
      {"device_allocs > +10", above, change, 10},
      {"  peak_allocated>=1.5 GiB ", at_least, value, 3LL << 29},
      {"peak_allocated < -1.25%", below, relative_change, -12'500},
      {"largest_free <= 100MB", at_most, value, 100'000'000},
      {"external_fragmentation > 0.25", above, value, 250'000},
      {"external_fragmentation > 25%", above, value, 250'000},
      {"external_fragmentation > +0.1", above, change, 100'000},
      {"external_fragmentation > +10%", above, relative_change, 100'000},
      {"reserved > 12", above, value, 12},
      {"alloc_retries > 0", above, value, 0},
  };
  for (const Written& written : all) {
    const Limit read = limit(written.text);
    EXPECT_EQ(read.sign, written.sign) << written.text;
    EXPECT_EQ(read.kind, written.kind) << written.text;
    EXPECT_EQ(read.value, written.value) << written.text;
    EXPECT_EQ(read.text, written.text);
  }
  EXPECT_EQ(limit("stranded > 1").metric->name, "stranded");
}

TEST(Limits, that_mean_nothing_are_refused_with_the_place) {
  EXPECT_EQ(refusal("speed > 1"),
            "--fail-if 'speed > 1' at letter 1: expected the name of a metric "
            "(docs/reference/metrics.md), "
            "found 'speed'; the nearest is free");
  EXPECT_THAT(refusal("stranded = 1"), HasSubstr("letter 10: expected one of > >= < <="));
  EXPECT_THAT(refusal("stranded >"), HasSubstr("expected a number, found the end"));
  EXPECT_THAT(refusal("stranded > 5%"), HasSubstr("expected a change in percent, with + or -"));
  EXPECT_THAT(refusal("stranded > 5 apples"), HasSubstr("expected a unit such as MiB or GiB"));
  EXPECT_THAT(refusal("device_allocs > 5MiB"), HasSubstr("expected % or nothing, found 'MiB'"));
  EXPECT_THAT(refusal("device_allocs > 1.5"), HasSubstr("expected a whole number"));
  EXPECT_THAT(refusal("usable_share > 1GiB"), HasSubstr("expected a share"));
  EXPECT_THAT(refusal("group_growth > +5%"), HasSubstr("this metric is a change already"));
  EXPECT_THAT(refusal("stranded > 1 and more"), HasSubstr("expected a unit"));
  EXPECT_THAT(refusal("device_allocs > 1 2"), HasSubstr("expected the end, found '2'"));
  EXPECT_THAT(refusal("stranded > 99999999999999"), HasSubstr("expected a smaller number"));
  EXPECT_THAT(refusal("stranded > 999999999999TiB"), HasSubstr("expected a smaller amount"));
  EXPECT_THAT(refusal("stranded > 1.2345678"), HasSubstr("at most six digits"));
}

TEST(Limits, of_values_look_at_the_new_one) {
  EXPECT_TRUE(is_broken(limit("stranded > 100"), 0, 101));
  EXPECT_FALSE(is_broken(limit("stranded > 100"), 500, 100));
  EXPECT_TRUE(is_broken(limit("largest_free < 100"), 500, 99));
}

TEST(Limits, of_changes_look_at_the_difference) {
  EXPECT_TRUE(is_broken(limit("device_allocs > +10"), 100, 111));
  EXPECT_FALSE(is_broken(limit("device_allocs > +10"), 100, 110));
  EXPECT_FALSE(is_broken(limit("device_allocs > +10"), 100, 5));
  EXPECT_TRUE(is_broken(limit("largest_free < -10"), 100, 89));
}

TEST(Limits, in_percent_are_exact_to_the_byte) {
  const Limit two_percent = limit("peak_reserved > +2%");
  EXPECT_FALSE(is_broken(two_percent, 1'000'000'000'000, 1'020'000'000'000));
  EXPECT_TRUE(is_broken(two_percent, 1'000'000'000'000, 1'020'000'000'001));
  EXPECT_TRUE(is_broken(limit("peak_reserved < -50%"), 100, 49));
  EXPECT_FALSE(is_broken(limit("peak_reserved < -50%"), 100, 50));
}

TEST(Limits, what_comes_from_nothing_is_above_every_share) {
  EXPECT_TRUE(is_broken(limit("stranded > +1000%"), 0, 1));
  EXPECT_FALSE(is_broken(limit("stranded > +2%"), 0, 0));
}

}  // namespace
}  // namespace vramlab::replay
