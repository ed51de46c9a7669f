#include <gtest/gtest.h>

#include <cstdint>

#include "tools/cuda_standins/model/shared_units.h"

namespace vramlab::dry_run {
namespace {

constexpr std::uint64_t low = 0x10000;
constexpr std::uint64_t high = 0x20000;

TEST(SharedUnits, parts_come_from_the_lowest_unit_with_room) {
  SharedUnits units;
  EXPECT_FALSE(units.take(512));
  units.add(high, 2048);
  units.add(low, 1024);
  EXPECT_EQ(units.take(1024), low);
  EXPECT_EQ(units.take(512), high);
  EXPECT_EQ(units.take(2048), std::nullopt);
  EXPECT_EQ(units.give_back(low), 1024U);
  EXPECT_EQ(units.take(512), low);
}

TEST(SharedUnits, gaps_beside_each_other_become_one) {
  SharedUnits units;
  units.add(low, 2048);
  for (std::uint64_t part = 0; part < 4; ++part) ASSERT_EQ(units.take(512), low + part * 512);
  units.give_back(low);
  units.give_back(low + 1024);
  units.give_back(low + 512);
  EXPECT_EQ(units.take(1536), low);
}

TEST(SharedUnits, a_unit_without_parts_in_use_can_go) {
  SharedUnits units;
  units.add(low, 1024);
  units.add(high, 1024);
  ASSERT_EQ(units.take(512), low);
  const auto empty = units.remove_empty();
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->at, high);
  EXPECT_FALSE(units.remove_empty());
  EXPECT_TRUE(units.has(low));
  EXPECT_FALSE(units.has(low + 512));
  units.give_back(low);
  EXPECT_TRUE(units.remove_empty());
  EXPECT_TRUE(units.is_empty());
}

}  // namespace
}  // namespace vramlab::dry_run
