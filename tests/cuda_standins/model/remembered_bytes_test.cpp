#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tools/cuda_standins/model/remembered_bytes.h"

namespace vramlab::dry_run {
namespace {

constexpr std::uint64_t first = 0x600000000000;
constexpr std::uint64_t second = 0x600000200000;
constexpr std::uint64_t twelve = 12;

TEST(RememberedBytes, copied_bytes_can_be_read_back) {
  RememberedBytes bytes;
  bytes.remember(first, &twelve, sizeof twelve);
  std::uint64_t read = 0;
  EXPECT_TRUE(bytes.read(&read, first, sizeof read));
  EXPECT_EQ(read, twelve);
}

TEST(RememberedBytes, a_copy_on_the_device_carries_them_on) {
  RememberedBytes bytes;
  bytes.remember(first, &twelve, sizeof twelve);
  bytes.carry(second, first, sizeof twelve);
  bytes.carry(second + sizeof twelve, first, sizeof twelve);
  std::uint64_t read[2] = {};
  EXPECT_TRUE(bytes.read(read, second, sizeof read)) << "two pieces beside each other";
  EXPECT_EQ(read[1], twelve);
}

TEST(RememberedBytes, a_copy_of_memory_that_is_known_in_part_carries_that_part) {
  RememberedBytes bytes;
  bytes.remember(first + 16, &twelve, sizeof twelve);
  bytes.remember(second, &twelve, sizeof twelve);
  bytes.carry(second, first, 64);
  std::uint64_t read = 0;
  EXPECT_TRUE(bytes.read(&read, second + 16, sizeof read));
  EXPECT_EQ(read, twelve);
  EXPECT_FALSE(bytes.read(&read, second, sizeof read)) << "covered by unknown bytes";
  EXPECT_FALSE(bytes.read(&read, second + 12, sizeof read));
}

TEST(RememberedBytes, unknown_bytes_make_their_destination_unknown) {
  RememberedBytes bytes;
  bytes.remember(first, &twelve, sizeof twelve);
  bytes.carry(first, second, 4);
  std::uint64_t read = 7;
  EXPECT_FALSE(bytes.read(&read, first, sizeof read));
  EXPECT_EQ(read, 7U) << "nothing is written if not all is known";
}

TEST(RememberedBytes, a_large_copy_is_not_remembered_and_covers_what_was_there) {
  RememberedBytes bytes;
  bytes.remember(first + 64, &twelve, sizeof twelve);
  const std::vector<char> large(RememberedBytes::most_bytes_of_a_copy + 1);
  bytes.remember(first, large.data(), large.size());
  char read = 0;
  EXPECT_FALSE(bytes.read(&read, first, 1));
  EXPECT_FALSE(bytes.read(&read, first + 64, 1));
}

TEST(RememberedBytes, a_repeated_value_is_known_at_every_place) {
  RememberedBytes bytes;
  constexpr std::uint64_t gibibyte = 1U << 30;
  bytes.remember_repeated(first, {1, 2, 3, 4}, gibibyte);
  char read[4] = {};
  EXPECT_TRUE(bytes.read(read, first + gibibyte - 3, 3));
  EXPECT_EQ(std::vector<char>(read, read + 3), (std::vector<char>{2, 3, 4}));
  EXPECT_FALSE(bytes.read(read, first + gibibyte - 3, 4));
  bytes.carry(first + 2 * gibibyte, first + 1, gibibyte / 2);
  EXPECT_TRUE(bytes.read(read, first + 2 * gibibyte + gibibyte / 4, 4));
  EXPECT_EQ(std::vector<char>(read, read + 4), (std::vector<char>{2, 3, 4, 1}));
}

TEST(RememberedBytes, what_lies_beside_a_later_copy_stays_known) {
  RememberedBytes bytes;
  bytes.remember_repeated(first, {1, 2}, 100);
  const char nines[5] = {9, 9, 9, 9, 9};
  bytes.remember(first + 11, nines, sizeof nines);
  char read[9] = {};
  EXPECT_TRUE(bytes.read(read, first + 9, sizeof read));
  EXPECT_EQ(std::vector<char>(read, read + 9), (std::vector<char>{2, 1, 9, 9, 9, 9, 9, 1, 2}));
  bytes.forget(first + 12, 2);
  EXPECT_TRUE(bytes.read(read, first + 9, 3));
  EXPECT_TRUE(bytes.read(read, first + 14, 3));
  EXPECT_FALSE(bytes.read(read, first + 11, 3));
}

TEST(RememberedBytes, a_kernel_makes_all_unknown) {
  RememberedBytes bytes;
  bytes.remember(first, &twelve, sizeof twelve);
  bytes.forget_all();
  char read = 0;
  EXPECT_FALSE(bytes.read(&read, first, 1));
}

}  // namespace

}  // namespace vramlab::dry_run
