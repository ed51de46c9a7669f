// From a request to a block size, a pool and a segment size.
#include "allocator/options/size_rules.h"

#include <gtest/gtest.h>

namespace vramlab::allocator {
namespace {

using namespace literals;

Settings with_divisions(std::uint32_t divisions) {
  Settings settings;
  settings.roundup_divisions.fill(divisions);
  return settings;
}

Settings with_large_segment(Bytes size) {
  Settings settings;
  settings.large_segment_size = size;
  return settings;
}

TEST(RoundRequest, gives_the_minimum_block_to_requests_below_512_bytes) {
  EXPECT_EQ(round_request(1_B, {}), 512_B);
  EXPECT_EQ(round_request(511_B, {}), 512_B);
  EXPECT_EQ(round_request(511_B, with_divisions(4)), 512_B);
}

TEST(RoundRequest, rounds_up_to_a_multiple_of_512_without_divisions) {
  EXPECT_EQ(round_request(512_B, {}), 512_B);
  EXPECT_EQ(round_request(513_B, {}), 1024_B);
  EXPECT_EQ(round_request(3_MiB, {}), 3_MiB);
  EXPECT_EQ(round_request(3_MiB + 1_B, {}), 3_MiB + 512_B);
}

TEST(RoundRequest, takes_a_single_division_for_none) {
  EXPECT_EQ(round_request(1_MiB + 1_B, with_divisions(1)), 1_MiB + 512_B);
}

TEST(RoundRequest, rounds_up_to_the_next_of_the_steps_between_two_powers_of_two) {
  EXPECT_EQ(round_request(1200_KiB, with_divisions(4)), 1280_KiB);
  EXPECT_EQ(round_request(1280_KiB, with_divisions(4)), 1280_KiB);
  EXPECT_EQ(round_request(1280_KiB + 1_B, with_divisions(4)), 1536_KiB);
  EXPECT_EQ(round_request(1025_KiB, with_divisions(2)), 1536_KiB);
}

TEST(RoundRequest, reaches_the_next_power_of_two_from_the_last_step) {
  EXPECT_EQ(round_request(2_MiB - 1_B, with_divisions(8)), 2_MiB);
  EXPECT_EQ(round_request(1_GiB - 1_B, with_divisions(2)), 1_GiB);
}

TEST(RoundRequest, leaves_a_power_of_two_alone) {
  for (const Bytes power : {64_KiB, 1_MiB, 32_MiB, 4_GiB})
    EXPECT_EQ(round_request(power, with_divisions(4)), power);
}

TEST(RoundRequest, ignores_divisions_up_to_512_bytes_for_each) {
  EXPECT_EQ(round_request(2047_B, with_divisions(4)), 2048_B);
  EXPECT_EQ(round_request(1025_B, with_divisions(4)), 1536_B);
  EXPECT_EQ(round_request(2048_B, with_divisions(4)), 2048_B);
  EXPECT_EQ(round_request(2049_B, with_divisions(4)), 2560_B);
  EXPECT_EQ(round_request(3585_B, with_divisions(2)), 4096_B);
}

TEST(RoundRequest, takes_the_divisions_of_the_request_s_own_slot) {
  Settings settings;
  settings.roundup_divisions[0] = 2;
  settings.roundup_divisions[1] = 0;
  settings.roundup_divisions[2] = 8;
  EXPECT_EQ(round_request(1025_KiB, settings), 1536_KiB);
  EXPECT_EQ(round_request(2049_KiB, settings), 2049_KiB);
  EXPECT_EQ(round_request(4097_KiB, settings), 4608_KiB);
}

TEST(RoundRequest, always_gives_a_multiple_of_512_that_is_not_smaller) {
  for (const std::uint32_t divisions : {0U, 1U, 2U, 16U, 1024U, 1U << 31}) {
    const Settings settings = with_divisions(divisions);
    for (std::uint64_t request = 1; request < request_limit.count; request = request * 3 + 1) {
      const Bytes rounded = round_request({request}, settings);
      EXPECT_EQ(rounded.count % 512, 0U) << request << " with " << divisions;
      EXPECT_GE(rounded.count, request) << request << " with " << divisions;
    }
  }
}

TEST(RoundRequest, does_not_overflow_just_below_the_request_limit) {
  const Bytes largest = request_limit - 1_B;
  EXPECT_EQ(round_request(largest, {}), request_limit);
  EXPECT_EQ(round_request(largest, with_divisions(2)), request_limit);
}

TEST(RoundingSlot, is_zero_for_everything_below_two_mebibytes) {
  EXPECT_EQ(rounding_slot(1_B), 0U);
  EXPECT_EQ(rounding_slot(1_MiB), 0U);
  EXPECT_EQ(rounding_slot(2_MiB - 1_B), 0U);
}

TEST(RoundingSlot, goes_up_by_one_at_each_power_of_two) {
  EXPECT_EQ(rounding_slot(2_MiB), 1U);
  EXPECT_EQ(rounding_slot(4_MiB - 1_B), 1U);
  EXPECT_EQ(rounding_slot(4_MiB), 2U);
  EXPECT_EQ(rounding_slot(1_GiB), 10U);
}

TEST(RoundingSlot, is_the_last_one_for_everything_from_32_gibibytes_on) {
  EXPECT_EQ(rounding_slot(32_GiB - 1_B), 14U);
  EXPECT_EQ(rounding_slot(32_GiB), 15U);
  EXPECT_EQ(rounding_slot(64_GiB), 15U);
  EXPECT_EQ(rounding_slot(request_limit), 15U);
}

TEST(PoolKindOf, is_small_up_to_and_including_one_mebibyte) {
  EXPECT_EQ(pool_kind_of(512_B), PoolKind::small);
  EXPECT_EQ(pool_kind_of(1_MiB), PoolKind::small);
  EXPECT_EQ(pool_kind_of(1_MiB + 512_B), PoolKind::large);
}

TEST(DeviceSizeForMiss, is_a_small_segment_in_the_small_pool) {
  EXPECT_EQ(device_size_for_miss(512_B, {}), 2_MiB);
  EXPECT_EQ(device_size_for_miss(1_MiB, {}), 2_MiB);
}

TEST(DeviceSizeForMiss, is_a_large_segment_below_ten_mebibytes) {
  EXPECT_EQ(device_size_for_miss(1_MiB + 512_B, {}), 20_MiB);
  EXPECT_EQ(device_size_for_miss(10_MiB - 512_B, {}), 20_MiB);
}

TEST(DeviceSizeForMiss, is_the_size_itself_in_steps_of_two_mebibytes_from_ten_on) {
  EXPECT_EQ(device_size_for_miss(10_MiB, {}), 10_MiB);
  EXPECT_EQ(device_size_for_miss(10_MiB + 512_B, {}), 12_MiB);
  EXPECT_EQ(device_size_for_miss(12_MiB, {}), 12_MiB);
}

TEST(DeviceSizeForMiss, follows_the_large_segment_size_and_keeps_the_other_limits) {
  const Settings settings = with_large_segment(64_MiB);
  EXPECT_EQ(device_size_for_miss(512_KiB, settings), 2_MiB);
  EXPECT_EQ(device_size_for_miss(2_MiB, settings), 64_MiB);
  EXPECT_EQ(device_size_for_miss(11_MiB, settings), 12_MiB);
}

TEST(DeviceSizeForMiss, does_not_round_the_large_segment_size) {
  EXPECT_EQ(device_size_for_miss(2_MiB, with_large_segment(11_MiB)), 11_MiB);
}

TEST(ExpandableUnit, is_two_mebibytes_in_small_pools_and_a_large_segment_in_large_ones) {
  EXPECT_EQ(expandable_unit(PoolKind::small, {}), 2_MiB);
  EXPECT_EQ(expandable_unit(PoolKind::large, {}), 20_MiB);
  EXPECT_EQ(expandable_unit(PoolKind::small, with_large_segment(32_MiB)), 2_MiB);
  EXPECT_EQ(expandable_unit(PoolKind::large, with_large_segment(32_MiB)), 32_MiB);
}

TEST(ReservationSize, is_nine_eighths_of_the_device_in_whole_units) {
  EXPECT_EQ(reservation_size(64_MiB, 2_MiB), 72_MiB);
  EXPECT_EQ(reservation_size(64_MiB, 20_MiB), 80_MiB);
  EXPECT_EQ(reservation_size(80_GiB, 20_MiB), 92160_MiB);
}

TEST(ReservationSize, takes_the_eighth_in_whole_bytes) {
  EXPECT_EQ(reservation_size(15_B, 1_B), 16_B);
  EXPECT_EQ(reservation_size(16_B, 1_B), 18_B);
}

}  // namespace
}  // namespace vramlab::allocator
