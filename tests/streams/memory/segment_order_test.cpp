// Segments in a given order, as long as their places are free.
#include "streams/memory/segment_order.h"

#include <gtest/gtest.h>

#include <vector>

namespace vramlab::streams {
namespace {

constexpr Bytes mib{1ULL << 20};

class SegmentOrderTest : public ::testing::TestWithParam<SegmentOrder> {
 protected:
  static MemoryOptions options() {
    MemoryOptions options{.total = mib * 4096};
    options.when_taken = WhenTaken::lowest_gap;
    set_order(options, GetParam());
    return options;
  }
  std::vector<Address> placed(const std::vector<std::uint64_t>& mebibytes) {
    std::vector<Address> places;
    for (const std::uint64_t size : mebibytes)
      places.push_back(memory.allocate(mib * size, {}).value());
    return places;
  }

  SimulatedMemory memory{options()};
};

class Upwards : public SegmentOrderTest {};
class Downwards : public SegmentOrderTest {};
class BySize : public SegmentOrderTest {};
INSTANTIATE_TEST_SUITE_P(Order, Upwards, ::testing::Values(SegmentOrder::upwards));
INSTANTIATE_TEST_SUITE_P(Order, Downwards, ::testing::Values(SegmentOrder::downwards));
INSTANTIATE_TEST_SUITE_P(Order, BySize, ::testing::Values(SegmentOrder::by_size));

TEST_P(Upwards, each_lies_above_those_before_or_in_a_gap) {
  const auto places = placed({2, 20, 2});
  EXPECT_EQ(places[1], places[0] + mib * 2);
  EXPECT_EQ(places[2], places[1] + mib * 20);
  memory.release(places[0]);
  EXPECT_EQ(placed({2}).front(), places[0]);
}

TEST_P(Downwards, each_ends_where_the_one_before_begins) {
  const auto places = placed({2, 20, 3});
  EXPECT_EQ(places[0], places[1] + mib * 20);
  // Whole units of the device's memory.
  EXPECT_EQ(places[1], places[2] + mib * 4);
  memory.release(places[0]);
  EXPECT_LT(placed({2}).front(), places[2]);
}

TEST_P(BySize, larger_ones_lie_above_smaller_ones) {
  const auto places = placed({20, 2, 512, 20, 2});
  EXPECT_LT(places[1], places[0]);
  EXPECT_LT(places[0], places[2]);
  EXPECT_EQ(places[3], places[0] + mib * 20);
  EXPECT_EQ(places[4], places[1] + mib * 2);
}

}  // namespace
}  // namespace vramlab::streams
