// Grids of settings, in words and in files.
#include "replay/settings_search/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <fstream>

#include "replay/replayer/replay_setup.h"
#include "tests/support/kit/own_folder.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const allocator::ReferenceVersion& version = *allocator::find_reference_version("2.6");

std::vector<std::string> settings(const std::string& text) {
  return settings_of_grid(parse_grid(text, version, "the grid"));
}

std::string refusal(const std::string& text) {
  try {
    settings(text);
  } catch (const traces::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(OptionGrids, are_every_combination_once) {
  EXPECT_THAT(settings("max_split_size_mb=64|128 expandable_segments=True|False"),
              ElementsAre("max_split_size_mb:64,expandable_segments:True",
                          "max_split_size_mb:64,expandable_segments:False",
                          "max_split_size_mb:128,expandable_segments:True",
                          "max_split_size_mb:128,expandable_segments:False"));
}

TEST(OptionGrids, leave_an_option_out_where_the_value_is_none) {
  EXPECT_THAT(settings("max_split_size_mb=none|64 expandable_segments=True|none"),
              ElementsAre("expandable_segments:True", "",
                          "max_split_size_mb:64,expandable_segments:True", "max_split_size_mb:64"));
}

TEST(OptionGrids, leave_commas_and_brackets_to_the_values) {
  EXPECT_THAT(settings("roundup_power2_divisions=[4:2,>:8]|4"),
              ElementsAre("roundup_power2_divisions:[4:2,>:8]", "roundup_power2_divisions:4"));
}

TEST(OptionGrids, name_an_unknown_option_and_the_nearest_one) {
  EXPECT_THAT(refusal("expandible_segments=True"),
              HasSubstr("'expandible_segments'; the nearest is expandable_segments"));
  EXPECT_THAT(refusal("max_split_size=64"), HasSubstr("max_split_size_mb"));
  EXPECT_EQ(hint_about("garbage_colection", version),
            "; the nearest is garbage_collection_threshold");
}

TEST(OptionGrids, refuse_what_is_twice_or_empty) {
  EXPECT_THAT(refusal("max_split_size_mb=64|64"), HasSubstr("'64' twice"));
  EXPECT_THAT(refusal("max_split_size_mb=64 max_split_size_mb=32"), HasSubstr("twice"));
  EXPECT_THAT(refusal("max_split_size_mb=64||32"), HasSubstr("an empty one"));
  EXPECT_THAT(refusal("=64"), HasSubstr("options such as"));
}

TEST(OptionGrids, refuse_a_value_that_no_combination_could_have) {
  EXPECT_THAT(refusal("max_split_size_mb=64|x"), HasSubstr("max_split_size_mb=x"));
  EXPECT_THAT(refusal("max_split_size_mb=64|10"), HasSubstr("at least"));
  EXPECT_THAT(refusal("expandable_segments=True|Maybe"), HasSubstr("Maybe"));
}

TEST(OptionGrids, refuse_more_settings_than_anybody_waits_for) {
  std::string values = "21";
  for (int i = 22; i <= 1021; ++i) values += "|" + std::to_string(i);
  EXPECT_THAT(refusal("max_split_size_mb=" + values + " max_non_split_rounding_mb=" + values),
              HasSubstr("1000000"));
}

TEST(OptionGrids, tell_words_of_a_grid_from_files) {
  EXPECT_TRUE(is_grid_word("max_split_size_mb=64"));
  EXPECT_FALSE(is_grid_word("snapshot.pickle"));
  EXPECT_FALSE(is_grid_word("out/run=3.pickle"));
}

TEST(OptionGrids, say_why_a_version_takes_no_such_string) {
  EXPECT_EQ(refusal_of("max_split_size_mb:64", version), std::nullopt);
  EXPECT_THAT(*refusal_of("max_split_size_mb:20", version), HasSubstr("at least 21"));
  EXPECT_THAT(*refusal_of("expandable:True", version), HasSubstr("expandable_segments"));
}

TEST(OptionGridFiles, have_a_grid_or_an_option_string_on_each_line) {
  const std::string path = support::own_folder() + "option_grid_test.txt";
  std::ofstream(path) << "# what to try\n"
                         "none\n"
                         "expandable_segments:True,max_split_size_mb:64  # both\n"
                         "\n"
                         "roundup_power2_divisions=4|8\n";
  EXPECT_THAT(read_grid_file(path, version),
              ElementsAre("", "expandable_segments:True,max_split_size_mb:64",
                          "roundup_power2_divisions:4", "roundup_power2_divisions:8"));
  std::ofstream(path) << "none\nmax_splt_size_mb=64\n";
  try {
    read_grid_file(path, version);
    FAIL();
  } catch (const traces::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("at line 2"));
    EXPECT_THAT(error.what(), HasSubstr("max_split_size_mb"));
  }
}

SweepFigures figures(const std::string& file, std::int64_t peak, std::int64_t time = 0) {
  return {file, {{"peak_reserved", peak}, {"device_time", time}}, std::nullopt};
}

TEST(SweepRows, are_not_decided_by_a_recording_that_cannot_be_judged) {
  SweepRow row{"", false, "", {figures("early", 10), figures("late", 20)}};
  EXPECT_EQ(row.worst().file, "late");
  row.files.back().can_be_judged = false;
  EXPECT_EQ(row.worst().file, "early");
  row.files.front().can_be_judged = false;
  EXPECT_EQ(row.worst().file, "late") << "there is no other";
}

TEST(SweepRows, with_no_options_come_first_where_only_modelled_time_differs) {
  const SweepRow none{"", false, "", {figures("one", 10, 9)}};
  const SweepRow quick{"expandable_segments:True", false, "", {figures("one", 10, 5)}};
  const SweepRow small{"max_split_size_mb:64", false, "", {figures("one", 9, 20)}};
  EXPECT_TRUE(is_better(none, quick));
  EXPECT_FALSE(is_better(quick, none));
  EXPECT_TRUE(is_better(small, none));
}

TEST(SweepRows, that_stop_are_worse_than_those_that_fail_there_and_go_on) {
  SweepRow goes_on{"a", false, "", {figures("one", 20)}};
  goes_on.files.front().failed = FailedWhere{0, 5, 1};
  SweepRow stops{"b", false, "", {figures("one", 10)}};
  stops.files.front().failed = FailedWhere{0, 5, 1};
  stops.files.front().stopped_at = 5;
  EXPECT_TRUE(is_better(goes_on, stops));
  EXPECT_FALSE(is_better(stops, goes_on));
}

}  // namespace

}  // namespace vramlab::replay
