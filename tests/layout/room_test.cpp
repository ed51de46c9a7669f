// Every file is in a room, rooms include only rooms below them, and the rules can say no.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/layout/room_rules.h"
#include "tests/layout/sample_files.h"

namespace vramlab::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<SourceFile> files_of(const std::string& folder, std::size_t count) {
  std::vector<SourceFile> files;
  for (std::size_t i = 0; i < count; ++i)
    files.push_back({folder + "/f" + std::to_string(i) + ".h", 1, {}});
  return files;
}

TEST(LayoutOfRooms, every_file_is_in_a_room_and_includes_only_rooms_below) {
  EXPECT_THAT(broken_rooms(tree()), IsEmpty());
}

TEST(LayoutOfRooms, arrows_between_rooms_go_in_no_circle) {
  EXPECT_THAT(circles_of_rooms(allowed_rooms), IsEmpty());
}

TEST(LayoutOfRooms, no_room_is_overfull) { EXPECT_THAT(overfull_rooms(tree()), IsEmpty()); }

TEST(LayoutOfRooms, tests_lie_in_the_mirrored_room) {
  EXPECT_THAT(tests_out_of_place(tree()), IsEmpty());
}

TEST(LayoutOfRooms, traces_see_only_the_value_headers_of_the_allocator) {
  EXPECT_THAT(broken_value_rooms(tree()), IsEmpty());
}

TEST(LayoutOfRooms, every_room_has_a_short_readme) {
  const auto readmes = read_room_readmes(support::source_dir());
  EXPECT_THAT(readmes, SizeIs(testing::Gt(50U)));
  EXPECT_THAT(broken_readmes(readmes), IsEmpty());
}

TEST(LayoutOfRooms, no_source_is_named_in_cmake) {
  const auto files = read_build_files(support::source_dir());
  EXPECT_THAT(files, SizeIs(testing::Gt(8U)));
  EXPECT_THAT(sources_in_lists(files), IsEmpty());
  EXPECT_THAT(idle_exceptions(files), IsEmpty());
}

TEST(LayoutRoomRules, rooms_below_may_be_included_and_other_folders_are_not_asked) {
  EXPECT_THAT(
      broken_rooms({file_including("replay/replayer/a.cpp", "replay/recording/verify.h"),
                    file_including("replay/replayer/a.cpp", "replay/replayer/b.h"),
                    file_including("replay/replayer/a.cpp", "streams/hazards/hazards.h"),
                    file_including("tools/cli/vramlab.cpp", "tools/cli/kit/commands.h"),
                    file_including("tools/cli/commands/top/a.cpp", "tools/cli/kit/commands.h"),
                    file_including("tests/random/a.cpp", "tests/support/kit/b.h")}),
      IsEmpty());
}

TEST(LayoutRoomRules, a_lower_room_may_not_include_a_higher_one) {
  EXPECT_THAT(
      broken_rooms({file_including("allocator/options/size_rules.h", "allocator/policy/reclaim.h"),
                    file_including("allocator/policy/reclaim.h", "allocator/options/a.h")}),
      ElementsAre("allocator/options/size_rules.h includes allocator/policy/reclaim.h: "
                  "allocator/options may not know allocator/policy"));
}

TEST(LayoutRoomRules, commands_know_each_other_only_where_a_row_says_so) {
  EXPECT_THAT(
      broken_rooms(
          {file_including("tools/cli/commands/advise/a.cpp",
                          "tools/cli/commands/sweep/sweep_table.h"),
           file_including("tools/cli/commands/capacity/a.cpp",
                          "tools/cli/commands/sweep/sweep_table.h"),
           file_including("tools/cli/commands/top/a.cpp", "tools/cli/commands/diff/diff_words.h")}),
      ElementsAre(HasSubstr("tools/cli/commands/capacity may not know tools/cli/commands/sweep"),
                  HasSubstr("tools/cli/commands/top may not know tools/cli/commands/diff")));
}

TEST(LayoutRoomRules, a_file_without_a_room_is_named) {
  EXPECT_THAT(broken_rooms({file_including("replay/helper.h", "replay/replayer/a.h"),
                            file_including("tools/misc/helper.h", "tools/cli/kit/a.h"),
                            file_including("tests/support/helper.h", "vector")}),
              ElementsAre(HasSubstr("replay/helper.h is in no room"),
                          HasSubstr("tools/misc/helper.h is in no room"),
                          HasSubstr("tests/support/helper.h is in no room")));
}

TEST(LayoutRoomRules, a_circle_in_the_table_is_named) {
  EXPECT_THAT(circles_of_rooms({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}, {"d", {}}}),
              ElementsAre(HasSubstr("a is on"), HasSubstr("b is on"), HasSubstr("c is on")));
  EXPECT_THAT(circles_of_rooms({{"a", {"b"}}}), ElementsAre("a may include b, which is no room"));
}

TEST(LayoutRoomRules, more_files_than_a_room_holds_are_named) {
  EXPECT_THAT(overfull_rooms(files_of("replay/replayer", 40)), IsEmpty());
  EXPECT_THAT(overfull_rooms(files_of("replay/replayer", 41)),
              ElementsAre(HasSubstr("replay/replayer has 41 files")));
}

TEST(LayoutRoomRules, a_test_that_mirrors_no_room_is_named) {
  EXPECT_THAT(tests_out_of_place({file_including("tests/replay/replayer/a_test.cpp", "vector"),
                                  file_including("tests/cli/commands/a_test.cpp", "vector"),
                                  file_including("tests/random/a_test.cpp", "vector"),
                                  file_including("tests/replay/a_test.cpp", "vector"),
                                  file_including("tests/replay/old/a_test.cpp", "vector")}),
              ElementsAre(HasSubstr("tests/replay/a_test.cpp mirrors no room: there is no replay"),
                          HasSubstr("there is no replay/old")));
}

TEST(LayoutRoomRules, traces_see_only_the_value_headers_of_the_allocator) {
  EXPECT_THAT(
      broken_value_rooms({file_including("traces/json/a.h", "allocator/types/ids.h"),
                          file_including("traces/json/a.h", "allocator/types/device.h"),
                          file_including("traces/json/b.h", "allocator/blocks/block.h"),
                          file_including("replay/replayer/a.h", "allocator/types/device.h")}),
      ElementsAre(HasSubstr("traces/json/a.h includes allocator/types/device.h: traces/ sees only"),
                  HasSubstr("traces/json/b.h")));
}

TEST(LayoutRoomRules, a_value_header_includes_only_value_headers) {
  EXPECT_THAT(
      broken_value_rooms({file_including("allocator/types/snapshot.h", "allocator/types/device.h"),
                          file_including("allocator/types/snapshot.h", "allocator/types/ids.h")}),
      ElementsAre(HasSubstr("a value header includes only value headers")));
}

TEST(LayoutRoomRules, a_source_that_cmake_names_is_found) {
  EXPECT_THAT(sources_in_lists({{"CMakeLists.txt",
                                 "add_library(a ${sources} replay/a.cpp) # not b.cpp\n"
                                 "file(GLOB c \"${PROJECT_SOURCE_DIR}/c/*.cpp\")\n"
                                 "file(GLOB d d/*_test.cpp)\n"},
                                {"tests/preload/CMakeLists.txt", "direct.cpp other.cpp"}}),
              ElementsAre(HasSubstr("CMakeLists.txt names a.cpp"),
                          HasSubstr("tests/preload/CMakeLists.txt names other.cpp")));
}

TEST(LayoutRoomRules, an_exception_that_is_not_needed_is_named) {
  const std::string all =
      "direct.cpp taking.cpp meeting.cpp rows.cpp sanitized.cpp recorded.cpp reporting.cpp "
      "loading.cpp "
      "scene_library.cpp "
      "allocating_library.cpp wrapping_preload.cpp asking_preload.cpp entry_points.cpp";
  EXPECT_THAT(idle_exceptions({{"tests/preload/CMakeLists.txt", all}}),
              ElementsAre(HasSubstr("no longer names runtime.cpp")));
}

}  // namespace
}  // namespace vramlab::tests
