// Nearest names: typing errors are seen through, and names that are like no other get no hint.
#include "replay/metrics/nearest_name.h"

#include <gtest/gtest.h>

#include <array>

namespace vramlab::replay {
namespace {

constexpr std::array<std::string_view, 5> known = {"replay", "report", "top", "explain",
                                                   "garbage_collection_threshold"};

TEST(NearestNames, see_through_letters_that_are_missing_wrong_or_swapped) {
  EXPECT_EQ(nearest_hint("rplay", known), "; the nearest is replay");
  EXPECT_EQ(nearest_hint("rexort", known), "; the nearest is report");
  EXPECT_EQ(nearest_hint("tpo", known), "; the nearest is top");
  EXPECT_EQ(nearest_hint("explian", known), "; the nearest is explain");
}

TEST(NearestNames, know_a_part_and_a_misspelt_beginning) {
  EXPECT_EQ(nearest_hint("plain", known), "; the nearest is explain");
  EXPECT_EQ(nearest_hint("garbage_colection", known),
            "; the nearest is garbage_collection_threshold");
}

TEST(NearestNames, are_none_where_no_name_is_near) {
  for (const std::string_view name : {"nonsense", "", "x", "/tmp", "snapshot.pickle"})
    EXPECT_EQ(nearest_hint(name, known), "") << name;
  EXPECT_EQ(nearest_hint("top", {}), "");
}

}  // namespace
}  // namespace vramlab::replay
