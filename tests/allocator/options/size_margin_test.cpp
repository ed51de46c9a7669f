// The size of the device up to which the allocator decides the same.
#include "allocator/options/size_margin.h"

#include <gtest/gtest.h>

namespace vramlab::allocator {
namespace {

using namespace literals;

TEST(SizeMargins, end_where_the_first_decision_changes) {
  SizeMargin margin(100_MiB);
  EXPECT_EQ(margin.below(), SizeMargin::largest_device);
  margin.note([](Bytes total) { return share_of(0.5, total) >= 80_MiB; });
  EXPECT_EQ(margin.below(), 160_MiB);
  margin.note([](Bytes total) { return total >= 170_MiB; });
  EXPECT_EQ(margin.below(), 160_MiB);
  margin.note([](Bytes total) { return total >= 101_MiB; });
  EXPECT_EQ(margin.below(), 101_MiB);
}

TEST(SizeMargins, of_reservations_end_where_one_is_so_much_larger) {
  SizeMargin margin(100_MiB);
  margin.note_growth(PoolKind::large, 20_MiB, 1_B);
  EXPECT_EQ(reservation_size(100_MiB, 20_MiB), 120_MiB);
  EXPECT_EQ(reservation_size(margin.below() - 1_B, 20_MiB), 120_MiB);
  EXPECT_EQ(reservation_size(margin.below(), 20_MiB), 140_MiB);
  const Bytes before = margin.below();
  margin.note_growth(PoolKind::large, 20_MiB, 40_MiB);
  EXPECT_EQ(margin.below(), before);
  margin.note_growth(PoolKind::small, 2_MiB, 2_MiB);
  EXPECT_LT(margin.below(), before);
}

TEST(SizeMargins, know_when_reservations_grow_by_different_steps) {
  SizeMargin margin(100_MiB);
  margin.note_reservation(PoolKind::small, 2_MiB);
  margin.note_reservation(PoolKind::large, 20_MiB);
  EXPECT_FALSE(margin.has_uneven_reservations());
  margin.note_reservation(PoolKind::large, 64_MiB);
  EXPECT_TRUE(margin.has_uneven_reservations());
}

}  // namespace
}  // namespace vramlab::allocator
