// The order of free blocks of one size, in which versions of the reference differ.
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;

/// Two whole segments of 20 MiB are free. The segment at the lower address was got later, in place
/// of one that had been released.
struct LowerSegmentIsYounger : AllocatorSetup {
  explicit LowerSegmentIsYounger(std::string_view version, Bytes device_total = 1_GiB)
      : AllocatorSetup({device_total, version, {}}) {
    const Address first = get(20_MiB);
    upper = get(20_MiB);
    free(first);
    engine.empty_cache();
    lower = get(20_MiB);
    EXPECT_EQ(lower, first);
    free(upper);
    free(lower);
  }
  Address upper;
  Address lower;
};

TEST(AmongSameSize, lowest_address_is_taken_in_2_6_and_on_the_main_branch_before_2_12) {
  for (const std::string_view version : {"2.6", "2.12"}) {
    LowerSegmentIsYounger setup(version);
    EXPECT_EQ(setup.get(20_MiB), setup.lower) << version;
  }
}

TEST(AmongSameSize, segment_that_was_got_first_is_taken_from_2_13_on) {
  LowerSegmentIsYounger setup("2.15");
  EXPECT_EQ(setup.get(20_MiB), setup.upper);
}

/// Two free blocks of 512 bytes in one segment. The lower one was cut from a block of 1 KiB after
/// the upper one was made.
struct SecondBlockIsOlder : AllocatorSetup {
  explicit SecondBlockIsOlder(std::string_view version) : AllocatorSetup({1_GiB, version, {}}) {
    const Address both = get(1_KiB);
    get(512_B);
    second = get(512_B);
    get(512_B);
    free(both);
    first = get(512_B);
    get(512_B);
    free(second);
    free(first);
  }
  Address first;
  Address second;
};

TEST(AmongSameSize, lowest_address_of_a_segment_is_taken_from_2_13_on) {
  SecondBlockIsOlder setup("2.15");
  EXPECT_LT(setup.first, setup.second);
  EXPECT_EQ(setup.get(512_B), setup.first);
}

TEST(AmongSameSize, block_that_was_made_first_is_taken_in_2_12_1) {
  SecondBlockIsOlder setup("2.12.1");
  EXPECT_EQ(setup.get(512_B), setup.second);
}

TEST(AmongSameSize, merged_block_is_as_old_as_the_one_that_was_freed) {
  AllocatorSetup setup({1_GiB, "2.12.1", {}});
  const Address lower = setup.get(512_B);
  setup.get(512_B);
  const Address upper = setup.get(1_KiB);
  setup.get(512_B);
  // 1 KiB at the lower end, from a block that is younger than the upper one.
  setup.free(upper);
  setup.free(lower);
  EXPECT_EQ(setup.get(512_B), lower);
  const Address rest_of_upper = setup.get(512_B);
  EXPECT_EQ(rest_of_upper, upper);
  setup.free(rest_of_upper);
  EXPECT_EQ(setup.get(1_KiB), upper) << "it merged with the rest, and is 1 KiB again";
}

TEST(AmongSameSize, order_of_segments_stays_when_more_memory_went_by_than_addresses_there_are) {
  LowerSegmentIsYounger setup("2.15", 1600_GiB);
  ASSERT_EQ(setup.get(20_MiB), setup.upper);
  ASSERT_EQ(setup.get(20_MiB), setup.lower);
  for (int i = 0; i < 600; ++i) {
    setup.free(setup.get(1024_GiB));
    setup.engine.empty_cache();
  }
  EXPECT_LT(setup.engine.core().end_of_ranks, Address{} + 1024_GiB * 100)
      << "the places of segments that are gone were used again";
  setup.free(setup.lower);
  setup.free(setup.upper);
  EXPECT_EQ(setup.get(20_MiB), setup.upper);
  EXPECT_EQ(setup.get(20_MiB), setup.lower);
}

}  // namespace
}  // namespace vramlab::tests
