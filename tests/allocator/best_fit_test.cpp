// Best fit: the free block that a request takes, and requests that take none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;

TEST(BestFit, takes_the_smallest_block_that_is_large_enough) {
  AllocatorSetup setup;
  const Address large = setup.get(40_MiB);
  const Address medium = setup.get(30_MiB);
  const Address small = setup.get(20_MiB);
  for (const Address address : {large, medium, small}) setup.free(address);
  EXPECT_EQ(setup.get(25_MiB), medium);
}

TEST(BestFit, takes_the_lowest_address_of_equal_sizes) {
  AllocatorSetup setup;
  const Address first = setup.get(30_MiB);
  const Address second = setup.get(30_MiB);
  setup.free(second);
  setup.free(first);
  EXPECT_EQ(setup.get(30_MiB), first);
  EXPECT_EQ(setup.get(30_MiB), second);
}

TEST(BestFit, a_stream_takes_nothing_from_another) {
  AllocatorSetup setup;
  setup.free(setup.get(30_MiB, 1));
  setup.get(30_MiB, 2);
  EXPECT_THAT(setup.segments(), ElementsAre("30MiB free", "30MiB live"));
}

TEST(BestFit, a_request_below_the_split_limit_takes_no_oversize_block) {
  AllocatorSetup setup({.options = "max_split_size_mb:30"});
  setup.free(setup.get(40_MiB));
  setup.get(24_MiB);
  EXPECT_THAT(setup.segments(), ElementsAre("40MiB free", "24MiB live"));
}

TEST(BestFit, an_oversize_request_takes_no_block_that_is_larger_by_the_rounding_size) {
  AllocatorSetup setup({.options = "max_split_size_mb:30"});
  setup.free(setup.get(60_MiB));
  setup.get(40_MiB);
  EXPECT_THAT(setup.segments(), ElementsAre("60MiB free", "40MiB live"));
}

TEST(BestFit, an_oversize_request_takes_a_block_that_is_larger_by_less) {
  AllocatorSetup setup({.options = "max_split_size_mb:30"});
  const Address address = setup.get(60_MiB);
  setup.free(address);
  EXPECT_EQ(setup.get(40_MiB + 512_B), address);
  EXPECT_THAT(setup.segments(), ElementsAre("60MiB live"));
}

TEST(BestFit, the_rounding_size_is_an_option) {
  AllocatorSetup setup({.options = "max_split_size_mb:30,max_non_split_rounding_mb:40"});
  const Address address = setup.get(60_MiB);
  setup.free(address);
  EXPECT_EQ(setup.get(31_MiB), address);
}

/// [8 free or live | ...]: a free tail of 12 MiB before unmapped addresses, and one of 14 MiB
/// between live blocks, in one expandable segment.
struct TailAndHole {
  explicit TailAndHole(AllocatorSetup& setup) {
    setup.get(6_MiB);
    hole = setup.get(14_MiB);
    setup.get(8_MiB);
    setup.free(hole);
    tail = hole + 22_MiB;
  }
  Address hole;
  Address tail;
};

TEST(BestFit, an_expandable_block_that_can_grow_is_kept_for_those_who_need_it) {
  AllocatorSetup setup({.options = "expandable_segments:True"});
  const TailAndHole places(setup);
  EXPECT_EQ(setup.get(10_MiB), places.hole) << "larger, but it reaches less far";
}

TEST(BestFit, without_a_follower_the_tail_is_taken) {
  AllocatorSetup setup({.options = "expandable_segments:True"});
  const TailAndHole places(setup);
  setup.get(14_MiB);
  EXPECT_EQ(setup.get(10_MiB), places.tail);
}

TEST(BestFit, expandable_blocks_are_passed_over_while_the_option_is_off) {
  AllocatorSetup setup({.options = "expandable_segments:True"});
  const TailAndHole places(setup);
  setup.set_options("expandable_segments:False");
  const Address classic = setup.get(16_MiB);
  EXPECT_GE(classic, first_segment);
  setup.free(classic);
  EXPECT_EQ(setup.get(10_MiB), classic) << "the first that is not expandable";
}

TEST(BestFit, with_only_expandable_blocks_and_the_option_off_it_is_a_miss) {
  AllocatorSetup setup({.options = "expandable_segments:True"});
  const TailAndHole places(setup);
  setup.set_options("expandable_segments:False");
  EXPECT_EQ(setup.get(10_MiB), first_segment);
}

}  // namespace
}  // namespace vramlab::tests
