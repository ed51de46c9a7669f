#include "tools/cuda_standins/code/kernel_facts.h"

#include <gtest/gtest.h>

#include <string>

#include "tools/cuda_standins/code/fat_binary.h"

namespace vramlab::dry_run {
namespace {

constexpr MultiprocessorLimits a100 = {80, 2048, 32, 65536, 167936, 166912, 1024};

TEST(PackedCode, literals_and_overlapping_matches_are_unpacked) {
  // Three letters, then nine bytes of what was three bytes before, then one letter.
  const std::string packed = {'\x35', 'a', 'b', 'c', '\x03', '\0', '\x10', 'z'};
  const auto unpacked = unpack(packed, 13);
  ASSERT_TRUE(unpacked);
  EXPECT_EQ(std::string(unpacked->begin(), unpacked->end()), "abcabcabcabcz");
}

TEST(PackedCode, zstandard_is_unpacked_where_its_library_is_there) {
  // One frame that holds the three letters as they are.
  const std::string packed(
      "\x28\xb5\x2f\xfd\x20\x03\x19\x00\x00"
      "abc",
      12);
  const auto unpacked = unpack(packed, 3);
  if (!unpacked) GTEST_SKIP() << "no libzstd.so.1 on this machine";
  EXPECT_EQ(std::string(unpacked->begin(), unpacked->end()), "abc");
}

TEST(PackedCode, broken_blocks_are_refused) {
  EXPECT_FALSE(unpack(std::string{'\x35', 'a'}, 13));
  EXPECT_FALSE(unpack(std::string({'\x15', 'a', '\x07', '\0'}), 13));
  EXPECT_FALSE(unpack(std::string({'\x35', 'a', 'b', 'c', '\x03', '\0', '\x10', 'z'}), 5));
}

TEST(KernelFacts, what_is_no_code_tells_nothing) {
  FactsByName facts;
  add_facts(std::string(1000, 'x'), facts);
  add_facts(std::string("\177ELF\2") + std::string(20, '\xff'), facts);
  EXPECT_TRUE(facts.empty());
}

TEST(KernelOccupancy, threads_limit_small_kernels) {
  EXPECT_EQ(blocks_at_once(a100, {32, 0, 0}, {256, 0}), 8);
  EXPECT_EQ(blocks_at_once(a100, {32, 0, 0}, {32, 0}), 32);
}

TEST(KernelOccupancy, registers_limit_large_ones) {
  EXPECT_EQ(blocks_at_once(a100, {128, 0, 0}, {256, 0}), 2);
  EXPECT_EQ(blocks_at_once(a100, {40, 0, 0}, {256, 0}), 6);
  EXPECT_EQ(blocks_at_once(a100, {255, 0, 0}, {1024, 0}), 0);
  EXPECT_EQ(most_threads(a100, {255, 0, 0}), 256);
}

TEST(KernelOccupancy, shared_memory_counts_with_what_the_system_takes) {
  EXPECT_EQ(blocks_at_once(a100, {32, 40960, 0}, {128, 0}), 4);
  EXPECT_EQ(blocks_at_once(a100, {32, 0, 0}, {128, 163840}), 1);
  EXPECT_EQ(blocks_at_once(a100, {32, 0, 0}, {128, 200000}), 0);
}

TEST(KernelOccupancy, block_that_breaks_the_launch_bounds_does_not_run) {
  EXPECT_EQ(blocks_at_once(a100, {32, 0, 256}, {512, 0}), 0);
  EXPECT_EQ(most_threads(a100, {32, 0, 256}), 256);
}

}  // namespace
}  // namespace vramlab::dry_run
