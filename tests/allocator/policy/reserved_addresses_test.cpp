// How many addresses expandable segments reserve since 2.15, as PyTorch 2.15.0 was seen to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::IsEmpty;

SetupOptions with_reserve(std::string_view options, Bytes device_total = 4_GiB) {
  return {device_total, "2.15", options};
}

constexpr std::string_view half_a_gibibyte =
    "expandable_segments:True,expandable_segments_reserve:0.5G";

TEST(ReservedAddresses, are_as_many_as_the_option_says_in_whole_units) {
  AllocatorSetup setup(with_reserve(half_a_gibibyte));
  const Address small = setup.get(512_B);
  const Address large = setup.get(300_MiB);
  EXPECT_EQ(large - small, 512_MiB);
  EXPECT_EQ(setup.get(515_MiB) - large, 520_MiB) << "a segment is full, and there is another one";
}

TEST(ReservedAddresses, hold_no_request_that_is_larger_however_much_memory_there_is) {
  AllocatorSetup setup(with_reserve(half_a_gibibyte));
  EXPECT_EQ(setup.outcome_of(520_MiB), MallocOutcome::allocated);
  setup.new_actions();
  EXPECT_EQ(setup.outcome_of(521_MiB), MallocOutcome::out_of_memory);
  EXPECT_EQ(setup.engine.last_failure().exceeded_reserve, 512_MiB);
  EXPECT_THAT(setup.new_actions(), ElementsAre("oom"));
  EXPECT_EQ(setup.statistics().num_alloc_retries, 1);
}

TEST(ReservedAddresses, of_a_segment_stay_as_they_were_made) {
  AllocatorSetup setup(
      with_reserve("expandable_segments:True,expandable_segments_reserve:1G", 8_GiB));
  const Address first = setup.get(30_MiB);
  setup.set_options("expandable_segments_reserve:0.25G");
  EXPECT_EQ(setup.get(600_MiB), first + 30_MiB);
  EXPECT_EQ(setup.outcome_of(600_MiB), MallocOutcome::out_of_memory);
  EXPECT_EQ(setup.outcome_of(200_MiB), MallocOutcome::allocated);
}

TEST(ReservedAddresses, are_not_blamed_where_the_device_is_too_small) {
  AllocatorSetup setup(with_reserve(half_a_gibibyte, 1_GiB));
  EXPECT_EQ(setup.outcome_of(2_GiB), MallocOutcome::out_of_memory);
  EXPECT_EQ(setup.engine.last_failure().exceeded_reserve, std::nullopt);
}

TEST(RequestBeyondReservation, reserves_nothing_since_2_15) {
  AllocatorSetup setup(with_reserve("expandable_segments:True", 1_GiB));
  EXPECT_EQ(setup.outcome_of(2_GiB, 1), MallocOutcome::out_of_memory);
  EXPECT_EQ(setup.get(5_MiB, 2), first_reservation);
}

TEST(RequestBeyondReservation, leaves_one_reservation_for_each_attempt_before) {
  AllocatorSetup setup({1_GiB, "2.14", "expandable_segments:True"});
  EXPECT_EQ(setup.outcome_of(2_GiB, 1), MallocOutcome::out_of_memory);
  EXPECT_EQ(setup.get(5_MiB, 2), first_reservation + 2320_MiB);
}

TEST(ReservedAddresses, differ_on_a_larger_device_where_they_are_a_share_of_it) {
  AllocatorSetup share(with_reserve("expandable_segments:True,expandable_segments_reserve:0.25"));
  EXPECT_EQ(share.outcome_of(2_GiB), MallocOutcome::out_of_memory);
  const Bytes below = share.engine.core().margin.below();
  EXPECT_GT(below, 7_GiB);
  EXPECT_LE(below, 8_GiB);
  AllocatorSetup size(with_reserve(half_a_gibibyte));
  EXPECT_EQ(size.outcome_of(2_GiB), MallocOutcome::out_of_memory);
  EXPECT_EQ(size.engine.core().margin.below(), SizeMargin::largest_device);
}

}  // namespace
}  // namespace vramlab::tests
