// The list form of roundup_power2_divisions: the slots that an entry sets, and those after a
// mistake.
#include "allocator/options/option_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/option_strings.h"

namespace vramlab::allocator {
namespace {

using testing::Each;
using testing::ElementsAre;
using Kind = SettingsErrorKind;
using Divisions = decltype(Settings::roundup_divisions);

constexpr const char* option_name = "roundup_power2_divisions";

std::string option_with(std::string_view value) {
  return std::string(option_name) + ":" + std::string(value);
}

Divisions accepted(std::string_view version, std::string_view value) {
  return support::accepted_as(version, option_with(value)).roundup_divisions;
}

Divisions refused(std::string_view version, std::string_view value, Kind kind) {
  return support::refused_as(version, option_with(value), kind, option_name).roundup_divisions;
}

/// Each test runs with the grammar of each version.
class RoundingList : public testing::TestWithParam<const char*> {
 protected:
  static Divisions slots(std::string_view value) { return accepted(GetParam(), value); }
  static Divisions slots_left(std::string_view value, Kind kind) {
    return refused(GetParam(), value, kind);
  }
};

INSTANTIATE_TEST_SUITE_P(Settings, RoundingList, testing::Values("2.6", "2.12"),
                         [](const auto& version) {
                           return version.param == std::string("2.6") ? "v2_6" : "v2_12";
                         });

TEST_P(RoundingList, sets_the_slot_of_each_size_and_leaves_gaps_at_zero) {
  EXPECT_THAT(slots("[1:2,8:4,64:16]"),
              ElementsAre(2, 0, 0, 4, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_P(RoundingList, fills_all_lower_slots_with_the_first_entry) {
  EXPECT_THAT(slots("[8:4,32:2]"), ElementsAre(4, 4, 4, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_P(RoundingList, puts_sizes_beyond_the_last_slot_into_the_last) {
  EXPECT_THAT(slots("[1:2,32768:4]"), ElementsAre(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4));
  EXPECT_THAT(slots("[1:2,131072:8]"), ElementsAre(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8));
  EXPECT_THAT(slots("[65536:8]"), Each(8U));
}

TEST_P(RoundingList, takes_sizes_in_any_order) {
  EXPECT_THAT(slots("[8:4,2:8]"), ElementsAre(4, 8, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_P(RoundingList, allows_zero_and_one_divisions) {
  EXPECT_THAT(slots("[2:0,4:1]"), ElementsAre(0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_P(RoundingList, may_be_empty_and_may_end_with_a_comma) {
  EXPECT_THAT(slots("[]"), Each(0U));
  EXPECT_THAT(slots("[4:2,]"), ElementsAre(2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_P(RoundingList, lets_sizes_behind_the_rest_overwrite_it) {
  EXPECT_EQ(slots("[1:2,>:4,16:8]")[4], 8U);
  EXPECT_EQ(slots("[1:2,>:4,16:8]")[5], 4U);
}

TEST_P(RoundingList, takes_the_first_size_behind_the_rest_for_the_first_entry) {
  EXPECT_THAT(slots("[>:4,8:2]"), ElementsAre(2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4));
}

TEST_P(RoundingList, may_be_followed_by_another_option) {
  EXPECT_TRUE(support::accepted_as(GetParam(), option_with("[4:2,>:8],expandable_segments:True"))
                  .expandable_segments);
}

TEST_P(RoundingList, starts_from_zero_where_it_stands_a_second_time_only_in_its_slots) {
  EXPECT_THAT(slots("4,roundup_power2_divisions:[1:2]"),
              ElementsAre(2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4));
}

TEST_P(RoundingList, refuses_divisions_that_are_no_power_of_two) {
  slots_left("[4:3]", Kind::out_of_range);
  slots_left("[>:6]", Kind::out_of_range);
  slots_left("6", Kind::out_of_range);
}

TEST_P(RoundingList, refuses_zero_divisions_outside_a_list) { slots_left("0", Kind::out_of_range); }

TEST_P(RoundingList, refuses_sizes_that_are_no_power_of_two) {
  slots_left("[3:4]", Kind::out_of_range);
  slots_left("[0:4]", Kind::out_of_range);
}

TEST_P(RoundingList, refuses_words_and_trailing_junk) {
  slots_left("[x:4]", Kind::not_a_number);
  slots_left("[4x:4]", Kind::not_a_number);
  slots_left("[4:4x]", Kind::not_a_number);
  slots_left("[4:]", Kind::not_a_number);
  slots_left("[4:-2]", Kind::not_a_number);
  slots_left("]", Kind::not_a_number);
}

TEST_P(RoundingList, keeps_the_slots_that_were_written_before_a_mistake) {
  EXPECT_THAT(slots_left("[2:4,16:8,32:3]", Kind::out_of_range),
              ElementsAre(4, 4, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_P(RoundingList, misses_the_divisions_where_the_string_ends) {
  slots_left("", Kind::missing_value);
  slots_left("[4:", Kind::missing_value);
}

TEST_P(RoundingList, needs_a_bracket_at_its_end) {
  slots_left("[", Kind::unclosed_list);
  EXPECT_EQ(slots_left("[4:2,", Kind::unclosed_list)[2], 2U);
}

TEST(RoundingListOf26, fills_the_rest_from_the_slot_of_the_entry_before_it) {
  EXPECT_THAT(accepted("2.6", "[1:2,4:8,>:16]"),
              ElementsAre(2, 0, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16));
}

TEST(RoundingListOf26, fills_all_slots_where_the_rest_comes_first) {
  EXPECT_THAT(accepted("2.6", "[>:8]"), Each(8U));
}

TEST(RoundingListOf26, demands_colons_and_commas) {
  refused("2.6", "[4,2]", Kind::missing_separator);
  refused("2.6", "[4", Kind::missing_separator);
  EXPECT_EQ(refused("2.6", "[4:2:8:4]", Kind::missing_separator)[2], 2U);
}

TEST(RoundingListOf26, is_unclosed_where_the_string_ends_behind_an_entry) {
  EXPECT_EQ(refused("2.6", "[4:2", Kind::unclosed_list)[2], 2U);
}

TEST(RoundingListOf212, fills_the_rest_from_the_slot_after_the_entry_before_it) {
  EXPECT_THAT(accepted("2.12", "[1:2,4:8,>:16]"),
              ElementsAre(2, 0, 8, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16));
}

TEST(RoundingListOf212, leaves_the_first_slot_alone_where_the_rest_comes_first) {
  EXPECT_THAT(accepted("2.12", "[>:8]"),
              ElementsAre(0, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8));
}

TEST(RoundingListOf212, has_no_rest_behind_the_last_slot) {
  EXPECT_THAT(accepted("2.12", "[32768:4,>:16]"), Each(4U));
}

TEST(RoundingListOf212, accepts_any_token_in_the_place_of_a_separator) {
  EXPECT_THAT(accepted("2.12", "[1,2:4[8]"),
              ElementsAre(2, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(RoundingListOf212, misses_a_value_where_the_string_ends_behind_an_entry) {
  EXPECT_EQ(refused("2.12", "[4:2", Kind::missing_value)[2], 2U);
  refused("2.12", "[4", Kind::missing_value);
}

}  // namespace
}  // namespace vramlab::allocator
