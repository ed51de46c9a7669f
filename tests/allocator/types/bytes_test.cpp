// Sizes: how they add up and how they are printed.
#include "allocator/types/bytes_and_ids.h"

#include <gtest/gtest.h>

namespace vramlab::allocator {
namespace {

using namespace literals;

TEST(FormatBytes, prints_plain_bytes_below_1024) {
  EXPECT_EQ(format_bytes(0_B), "0 bytes");
  EXPECT_EQ(format_bytes(1_B), "1 bytes");
  EXPECT_EQ(format_bytes(1023_B), "1023 bytes");
  EXPECT_EQ(format_bytes(1024_B), "1.00 KiB");
}

TEST(FormatBytes, prints_kibibytes_from_1024_bytes_on) {
  EXPECT_EQ(format_bytes(1025_B), "1.00 KiB");
  EXPECT_EQ(format_bytes(1536_B), "1.50 KiB");
  EXPECT_EQ(format_bytes(1023_KiB), "1023.00 KiB");
  EXPECT_EQ(format_bytes(1_MiB - 6_B), "1023.99 KiB");
  EXPECT_EQ(format_bytes(1_MiB - 5_B), "1.00 MiB") << "the unit fits the rounded number";
}

TEST(FormatBytes, prints_mebibytes_from_1024_kibibytes_on) {
  EXPECT_EQ(format_bytes(1_MiB), "1.00 MiB");
  EXPECT_EQ(format_bytes(20_MiB + 256_KiB), "20.25 MiB");
  EXPECT_EQ(format_bytes(1_GiB - 1_B), "1.00 GiB");
}

TEST(FormatBytes, prints_gibibytes_from_1024_mebibytes) {
  EXPECT_EQ(format_bytes(1_GiB), "1.00 GiB");
  EXPECT_EQ(format_bytes(80_GiB), "80.00 GiB");
  EXPECT_EQ(format_bytes(2048_GiB), "2.00 TiB");
  EXPECT_EQ(format_bytes(2048_GiB * 2048), "4.00 PiB");
}

TEST(FormatBytes, rounds_to_two_decimals) {
  EXPECT_EQ(format_bytes(1030_B), "1.01 KiB");
  EXPECT_EQ(format_bytes(1_GiB + 512_MiB + 8_MiB), "1.51 GiB");
}

TEST(Bytes, rounds_up_to_the_next_multiple_and_leaves_multiples_alone) {
  EXPECT_EQ(round_up(0_B, 512_B), 0_B);
  EXPECT_EQ(round_up(1_B, 512_B), 512_B);
  EXPECT_EQ(round_up(512_B, 512_B), 512_B);
  EXPECT_EQ(round_up(513_B, 512_B), 1024_B);
  EXPECT_EQ(round_up(11_MiB, 3_MiB), 12_MiB);
}

TEST(Bytes, literals_are_powers_of_two) {
  EXPECT_EQ(1_KiB, 1024_B);
  EXPECT_EQ(1_MiB, 1024_KiB);
  EXPECT_EQ(1_GiB, 1024_MiB);
}

TEST(Bytes, arithmetic_is_exact_and_sizes_compare) {
  EXPECT_EQ(3_MiB + 1_B - 1_MiB, 2_MiB + 1_B);
  EXPECT_EQ(20_MiB * 3, 60_MiB);
  EXPECT_EQ(61_MiB / 20_MiB, 3U);
  EXPECT_LT(1023_KiB, 1_MiB);
  Bytes sum = 1_MiB;
  sum += 2_MiB;
  sum -= 1_KiB;
  EXPECT_EQ(sum, 3071_KiB);
}

}  // namespace
}  // namespace vramlab::allocator
