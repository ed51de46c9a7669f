#include "replay/recording/settings_in_time.h"

#include <gtest/gtest.h>

#include "allocator/types/reference_version.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Bytes;
using allocator::Settings;

class SettingsInTimeTest : public testing::Test {
 protected:
  void add(Action action) { history_.events.push_back({action, {}, {512}, {}, {}, 0}); }
  SettingsInTime in_time(const SettingsPhases& phases, std::string_view version = "2.6") {
    return {history_, cut_into_calls(history_, room_of(history_)), phases,
            allocator::find_reference_version(version)->private_segments};
  }

  DeviceHistory history_;
};

TEST_F(SettingsInTimeTest, know_expandable_segments_from_the_calls_that_got_memory) {
  for (const Action action : {Action::alloc, Action::segment_map, Action::alloc, Action::alloc,
                              Action::segment_alloc, Action::alloc})
    add(action);
  const SettingsInTime found = in_time({{0, {}}});
  EXPECT_EQ(found.changes().size(), 2U);
  EXPECT_TRUE(found.at(0).expandable_segments);
  EXPECT_TRUE(found.at(2).expandable_segments);
  EXPECT_FALSE(found.at(3).expandable_segments);
}

TEST_F(SettingsInTimeTest, are_not_seen_in_2_4_where_a_private_pool_got_memory) {
  for (const Action action : {Action::alloc, Action::segment_map, Action::alloc}) add(action);
  history_.events.push_back({Action::segment_alloc, {4096}, {512}, {}, {}, 0});
  add(Action::alloc);
  SnapshotSegment segment;
  segment.address = {4096};
  segment.pool = {0, 7};
  history_.final_segments.push_back(segment);
  EXPECT_EQ(in_time({{0, {}}}, "2.4").changes().size(), 1U);
  EXPECT_EQ(in_time({{0, {}}}, "2.6").changes().size(), 2U);
}

TEST_F(SettingsInTimeTest, are_those_of_the_file_where_no_call_got_memory) {
  add(Action::alloc);
  Settings settings;
  settings.expandable_segments = true;
  EXPECT_TRUE(in_time({{0, settings}}).at(0).expandable_segments);
}

TEST_F(SettingsInTimeTest, change_with_the_call_that_a_phase_begins_in) {
  for (int i = 0; i < 3; ++i) add(Action::alloc);
  Settings later;
  later.max_split_size = Bytes{32U << 20};
  const SettingsInTime found = in_time({{0, {}}, {1, later}});
  EXPECT_EQ(found.at(0), Settings{});
  EXPECT_EQ(found.at(1).max_split_size, Bytes{32U << 20});
  EXPECT_EQ(found.at(2).max_split_size, Bytes{32U << 20});
}

TEST(WeakerSettings, leave_out_each_choice_of_the_options_that_were_set) {
  Settings settings;
  EXPECT_TRUE(weaker_settings(settings).empty());
  settings.max_split_size = Bytes{32U << 20};
  EXPECT_EQ(weaker_settings(settings), std::vector{Settings{}});
  settings.garbage_collection_threshold = 0.5;
  EXPECT_EQ(weaker_settings(settings).size(), 3U);
}

TEST(OptionString, sets_what_it_was_made_from_over_any_other_options) {
  const allocator::ReferenceVersion& version = allocator::default_reference_version();
  const Settings others =
      parse_settings({}, "expandable_segments:True,roundup_power2_divisions:8", version).settings;
  for (const char* options :
       {"", "max_split_size_mb:64", "expandable_segments:True,garbage_collection_threshold:0.85",
        "roundup_power2_divisions:[64:4,512:2,>:1]"}) {
    const Settings made = parse_settings({}, options, version).settings;
    const auto again = parse_settings(others, option_string(made), version);
    EXPECT_FALSE(again.error) << option_string(made);
    EXPECT_EQ(option_string(again.settings), option_string(made));
    EXPECT_EQ(again.settings.roundup_divisions, made.roundup_divisions);
    EXPECT_EQ(again.settings.max_split_size, made.max_split_size);
  }
}

TEST(OptionString, names_the_size_of_large_segments_where_that_changes) {
  Settings others;
  others.large_segment_size = Bytes{32U << 20};
  EXPECT_EQ(option_string({}), "expandable_segments:False");
  EXPECT_EQ(option_string(others, others), "expandable_segments:False");
  EXPECT_EQ(option_string(others), "expandable_segments:False,large_segment_size_mb:32");
  EXPECT_EQ(option_string({}, others), "expandable_segments:False,large_segment_size_mb:20");
}

}  // namespace
}  // namespace vramlab::replay
