#include <gtest/gtest.h>

#include "replay/recording/fidelity.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;

TEST(GarbageLimits, lie_above_what_was_enough_and_below_what_was_too_much) {
  GarbageLimits limits;
  limits.was_enough({400});
  limits.was_too_much({600});
  limits.was_enough({300});
  limits.was_too_much({700});
  const auto allowed = limits.allowed(0.5, {});
  ASSERT_TRUE(allowed);
  EXPECT_EQ(allowed->at_least, Bytes{800});
  EXPECT_EQ(allowed->at_most, Bytes{1199});
}

TEST(GarbageLimits, allow_what_was_reserved_at_the_peak) {
  GarbageLimits limits;
  limits.was_too_much({600});
  EXPECT_EQ(limits.allowed(0.5, {1000})->at_least, Bytes{1000});
  EXPECT_EQ(limits.allowed(0.5, {1200}), std::nullopt);
}

TEST(GarbageLimits, are_unknown_where_nothing_was_collected_or_they_changed) {
  GarbageLimits limits;
  limits.was_enough({400});
  EXPECT_EQ(limits.allowed(0.5, {}), std::nullopt);
  limits.was_too_much({400});
  EXPECT_EQ(limits.allowed(0.5, {}), std::nullopt);
}

TEST(AllowedMemory, is_a_share_of_a_device_or_all_of_it) {
  const AllowedMemory allowed{{40}, {60}};
  EXPECT_DOUBLE_EQ(allowed.fraction_of({100}), 0.5);
  EXPECT_DOUBLE_EQ(allowed.fraction_of({20}), 1.0);
}

}  // namespace

}  // namespace vramlab::replay
