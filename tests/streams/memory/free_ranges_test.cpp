// Free ranges are joined, and found by size and by address.
#include "streams/memory/free_ranges.h"

#include <gtest/gtest.h>

namespace vramlab::streams {
namespace {

AddressRange range(std::uint64_t begin, std::uint64_t end) { return {{begin}, {end}}; }

class FreeRangesTest : public ::testing::Test {
 protected:
  FreeRangesTest() {
    for (const AddressRange& free : {range(10, 20), range(30, 35), range(50, 55), range(70, 90)})
      ranges.add(free);
  }

  FreeRanges ranges;
};

TEST_F(FreeRangesTest, are_found_by_size_then_by_address) {
  EXPECT_EQ(ranges.largest(), Bytes{20});
  const auto smallest = ranges.smallest_with({4});
  ASSERT_EQ(smallest, range(30, 35));
  const auto second = ranges.next_larger(*smallest);
  ASSERT_EQ(second, range(50, 55));
  const auto third = ranges.next_larger(*second);
  ASSERT_EQ(third, range(10, 20));
  ASSERT_EQ(ranges.next_larger(*third), range(70, 90));
  EXPECT_EQ(ranges.next_larger(range(70, 90)), std::nullopt);
  EXPECT_EQ(ranges.smallest_with({21}), std::nullopt);
}

TEST_F(FreeRangesTest, highest_one_may_be_the_smallest) {
  ranges.add(range(100, 103));
  EXPECT_EQ(ranges.highest_with({3}), range(100, 103));
  EXPECT_EQ(ranges.highest_with({4}), range(70, 90));
  EXPECT_EQ(ranges.highest_with({21}), std::nullopt);
}

TEST_F(FreeRangesTest, are_joined_on_both_sides) {
  ranges.add(range(20, 30));
  EXPECT_EQ(ranges.smallest_with({20}), range(70, 90));
  EXPECT_EQ(ranges.smallest_with({21}), range(10, 35));
  EXPECT_EQ(ranges.by_address().size(), 3U);
}

TEST_F(FreeRangesTest, are_taken_in_part) {
  ranges.take(range(75, 80));
  EXPECT_EQ(ranges.next_larger(range(50, 55)), range(70, 75));
  EXPECT_EQ(ranges.highest_with({6}), range(80, 90));
  ranges.take(range(70, 75));
  ranges.take(range(80, 90));
  EXPECT_EQ(ranges.largest(), Bytes{10});
}

}  // namespace
}  // namespace vramlab::streams
