// Splitting: whether the rest of a block becomes a free block, and what it keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;

TEST(Splitting, a_small_remainder_of_512_bytes_is_split_off) {
  AllocatorSetup setup;
  setup.get(1_MiB);
  setup.get(1_MiB - 512_B);
  EXPECT_THAT(setup.segments(), ElementsAre("1MiB live, 1048064B live, 512B free"));
}

TEST(Splitting, a_large_remainder_of_one_mebibyte_stays_with_the_block) {
  AllocatorSetup setup;
  setup.get(9_MiB);
  setup.get(5_MiB);
  setup.get(5_MiB);
  EXPECT_THAT(setup.segments(), ElementsAre("9MiB live, 5MiB live, 6MiB live"));
}

TEST(Splitting, a_large_remainder_above_one_mebibyte_is_split_off) {
  AllocatorSetup setup;
  setup.get(9_MiB);
  setup.get(5_MiB);
  setup.get(5_MiB - 512_B);
  EXPECT_THAT(setup.segments(), ElementsAre("9MiB live, 5MiB live, 5242368B live, 1049088B free"));
}

TEST(Splitting, an_oversize_request_keeps_its_block_whole) {
  AllocatorSetup setup({.options = "max_split_size_mb:30"});
  setup.free(setup.get(50_MiB));
  setup.get(40_MiB);
  EXPECT_THAT(setup.segments(), ElementsAre("50MiB live"));
}

TEST(Splitting, with_the_expandable_option_on_classic_blocks_are_split_as_finely) {
  AllocatorSetup setup;
  setup.get(9_MiB);
  setup.get(5_MiB);
  setup.set_options("expandable_segments:True");
  setup.get(6_MiB - 512_B);
  EXPECT_THAT(setup.segments(), ElementsAre("9MiB live, 5MiB live, 6290944B live, 512B free"));
}

TEST(Splitting, with_the_expandable_option_off_again_expandable_blocks_are_not_used) {
  AllocatorSetup setup({.options = "expandable_segments:True"});
  setup.get(6_MiB);
  setup.set_options("expandable_segments:False");
  setup.get(6_MiB);
  EXPECT_THAT(setup.segments(), ElementsAre("6MiB live, 14MiB free", "6MiB live, 14MiB free"));
}

TEST(Splitting, the_front_is_handed_out_and_the_rest_keeps_what_was_asked_of_it) {
  AllocatorSetup setup;
  const Address address = setup.get(5_MiB);
  setup.free(address);
  EXPECT_EQ(setup.get(3_MiB), address);
  const SnapshotSegment segment = setup.engine.take_snapshot().segments.at(0);
  EXPECT_EQ(segment.blocks[0].requested, 3_MiB);
  EXPECT_EQ(segment.blocks[1].requested, 5_MiB);
}

}  // namespace
}  // namespace vramlab::tests
