#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tools/cuda_standins/model/host_values.h"

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

TEST(RememberedBytes, a_kernel_makes_all_unknown) {
  RememberedBytes bytes;
  bytes.remember(first, &twelve, sizeof twelve);
  bytes.forget_all();
  char read = 0;
  EXPECT_FALSE(bytes.read(&read, first, 1));
}

}  // namespace

}  // namespace vramlab::dry_run
