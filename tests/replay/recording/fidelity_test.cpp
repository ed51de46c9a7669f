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

TEST(PlacedRequests, are_said_by_the_calls_that_chose_their_places) {
  DeviceFidelity fidelity;
  EXPECT_EQ(placed_requests_text(fidelity), "");
  fidelity.requests_at_addresses = 1;
  EXPECT_EQ(placed_requests_text(fidelity),
            "1 request named an address (mallocWithAddress): where no free block begins at such a "
            "place, a replay takes another one");
  fidelity.restored_requests = 2;
  EXPECT_EQ(placed_requests_text(fidelity),
            "1 request named an address (mallocWithAddress), 2 requests restored a checkpoint of a "
            "pool: where no free block begins at such a place, a replay takes another one");
}

TEST(AllowedMemory, is_a_share_of_a_device_or_all_of_it) {
  const AllowedMemory allowed{{40}, {60}};
  EXPECT_DOUBLE_EQ(allowed.fraction_of({100}), 0.5);
  EXPECT_DOUBLE_EQ(allowed.fraction_of({20}), 1.0);
}

}  // namespace

}  // namespace vramlab::replay
