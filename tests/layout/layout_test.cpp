// The tree keeps the rules of the house, and the rules can say no.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/layout/layout_rules.h"
#include "tests/layout/sample_files.h"

namespace vramlab::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SourceFile file_including_angled(std::string path, std::string target) {
  return file_including(std::move(path), std::move(target), IncludeForm::angled);
}

TEST(LayoutOfTheTree, every_include_follows_the_arrows) {
  EXPECT_THAT(broken_arrows(tree()), IsEmpty());
}

TEST(LayoutOfTheTree, includes_go_in_no_circle) { EXPECT_THAT(include_circles(tree()), IsEmpty()); }

TEST(LayoutOfTheTree, threads_are_where_the_thread_sanitizer_looks) {
  EXPECT_THAT(unknown_threads(tree()), IsEmpty());
}

TEST(LayoutOfTheTree, tests_that_run_at_once_have_files_of_their_own) {
  EXPECT_THAT(shared_temporary_files(tree()), IsEmpty());
}

TEST(LayoutOfTheTree, nothing_is_there_that_clang_refuses) {
  EXPECT_THAT(refused_by_clang(tree()), IsEmpty());
}

TEST(LayoutOfTheTree, comments_begin_with_their_subject) {
  EXPECT_THAT(comments_without_subject(tree()), IsEmpty());
}

TEST(LayoutOfTheTree, no_file_is_overlong) { EXPECT_THAT(overlong_files(tree()), IsEmpty()); }

TEST(LayoutOfTheTree, every_folder_has_a_short_readme) {
  EXPECT_THAT(broken_readmes(read_readmes(support::source_dir())), IsEmpty());
}

TEST(LayoutOfTheTree, is_read_whole) {
  const auto& files = tree();
  const auto snapshot = std::find_if(files.begin(), files.end(), [](const SourceFile& file) {
    return file.path == "allocator/types/snapshot.h";
  });
  ASSERT_NE(snapshot, files.end());
  EXPECT_GT(snapshot->line_count, 10U);
  EXPECT_THAT(snapshot->includes,
              testing::Contains(testing::Field(&Include::target, "allocator/types/ids.h")));
}

TEST(LayoutRules, allowed_arrows_pass) {
  EXPECT_THAT(
      broken_arrows({file_including("tools/conform.cpp", "replay/conform.h"),
                     file_including("tools/conform.cpp", "traces/model/program_event.h"),
                     file_including("replay/conform.h", "streams/event_table.h"),
                     file_including("streams/event_table.h", "allocator/types/device.h"),
                     file_including("traces/model/program_event.h", "allocator/types/ids.h"),
                     file_including("tests/a_test.cpp", "tools/cli/kit/arguments.h"),
                     file_including_angled("allocator/blocks/block.h", "vector"),
                     file_including_angled("traces/model/program_event.h", "nlohmann/json.hpp")}),
      IsEmpty());
}

TEST(LayoutRules, allocator_may_not_know_other_folders) {
  EXPECT_THAT(
      broken_arrows({file_including("allocator/blocks/block.h", "streams/event_table.h")}),
      ElementsAre("allocator/blocks/block.h includes streams/event_table.h: allocator/ may not "
                  "know streams/"));
}

TEST(LayoutRules, streams_and_traces_may_not_know_each_other) {
  EXPECT_THAT(broken_arrows({file_including("streams/a.h", "traces/model/program_event.h"),
                             file_including("traces/model/program_event.h", "streams/a.h")}),
              ElementsAre(HasSubstr("streams/ may not know traces/"),
                          HasSubstr("traces/ may not know streams/")));
}

TEST(LayoutRules, no_library_may_know_the_tools_or_the_tests) {
  EXPECT_THAT(broken_arrows({file_including("replay/a.h", "tools/cli/kit/arguments.h"),
                             file_including("tools/a.cpp", "tests/support/twin.h")}),
              ElementsAre(HasSubstr("replay/ may not know tools/"),
                          HasSubstr("tools/ may not know tests/")));
}

TEST(LayoutRules, allocator_includes_no_other_library) {
  EXPECT_THAT(
      broken_arrows({file_including_angled("allocator/blocks/block.h", "nlohmann/json.hpp")}),
      ElementsAre(HasSubstr("allocator/ uses the standard library alone")));
}

TEST(LayoutRules, our_own_headers_are_quoted_and_written_from_the_root) {
  EXPECT_THAT(broken_arrows({file_including("allocator/blocks/block.cpp", "block.h"),
                             file_including("streams/a.cpp", "../allocator/types/ids.h"),
                             file_including_angled("streams/a.cpp", "allocator/types/ids.h")}),
              ElementsAre(HasSubstr("written from the root"), HasSubstr("written from the root"),
                          HasSubstr("written in quotes")));
}

TEST(LayoutRules, a_circle_of_includes_is_shown) {
  EXPECT_THAT(include_circles({file_including("streams/start.h", "streams/a.h"),
                               file_including("streams/a.h", "streams/b.h"),
                               file_including("streams/b.h", "streams/a.h")}),
              ElementsAre("includes go in a circle: streams/a.h -> streams/b.h -> streams/a.h"));
}

TEST(LayoutRules, threads_elsewhere_are_named) {
  EXPECT_THAT(unknown_threads({file_including_angled("replay/a.cpp", "thread"),
                               file_including_angled("tests/random/a.cpp", "future"),
                               file_including_angled("tests/threads/a.cpp", "thread"),
                               file_including_angled("tools/cli/kit/what_if_runs.cpp", "thread")}),
              ElementsAre(HasSubstr("replay/a.cpp"), HasSubstr("tests/random/a.cpp")));
}

TEST(LayoutRules, a_test_with_files_where_others_have_theirs_is_named) {
  EXPECT_THAT(
      shared_temporary_files({parse_source("tests/a_test.cpp", "auto path = TempDir() + name;"),
                              parse_source("tests/b_test.cpp", "auto path = own_folder() + name;"),
                              parse_source("tools/scratch.cpp", "temp_directory_path()")}),
      ElementsAre(HasSubstr("tests/a_test.cpp")));
}

TEST(LayoutRules, what_clang_refuses_is_named) {
  EXPECT_THAT(
      refused_by_clang({parse_source("streams/a.cpp", "auto of = std::ranges::equal_range(rows);"),
                        parse_source("streams/b.cpp", "auto at = std::ranges::lower_bound(rows);"),
                        parse_source("traces/c.cpp", "for (auto x : v | std::views::drop(1))")}),
      ElementsAre(HasSubstr("streams/a.cpp has a ranges::equal_range"),
                  HasSubstr("traces/c.cpp has a std::views")));
}

TEST(LayoutRules, a_comment_without_a_subject_is_named) {
  EXPECT_THAT(
      comments_without_subject(
          {parse_source("tests/shim/a.cpp", "// Of a stream.\nint a;\n  /// Where: here.\n"),
           parse_source("tests/shim/b.cpp",
                        "// The end\n// Of it.\nint b;  // Nothing.\n// Often.\n")}),
      ElementsAre(HasSubstr("tests/shim/a.cpp:1 begins"), HasSubstr("tests/shim/a.cpp:3 begins")));
}

TEST(LayoutRules, a_file_over_the_limit_is_overlong) {
  EXPECT_THAT(overlong_files({{"streams/a.h", 400, {}}, {"streams/b.h", 401, {}}}),
              ElementsAre(HasSubstr("streams/b.h has 401 lines")));
}

TEST(LayoutRules, a_missing_or_long_readme_is_named) {
  EXPECT_THAT(broken_readmes({{"docs", 0}, {"tests", 31}, {"tools", 30}}),
              ElementsAre("docs/README.md is missing or empty",
                          "tests/README.md has 31 lines: the most is 30"));
}

TEST(LayoutRules, includes_are_found_in_text) {
  const auto file = parse_source("tools/a.cpp",
                                 "// A tool.\n"
                                 "#include \"tools/a.h\"\n"
                                 "  #  include <vector>  // sizes\n"
                                 "// #include \"tools/b.h\"\n"
                                 "int included;");
  EXPECT_EQ(file.line_count, 5U);
  ASSERT_EQ(file.includes.size(), 2U);
  EXPECT_EQ(file.includes[0].target, "tools/a.h");
  EXPECT_EQ(file.includes[0].form, IncludeForm::quoted);
  EXPECT_EQ(file.includes[1].target, "vector");
  EXPECT_EQ(file.includes[1].form, IncludeForm::angled);
}

}  // namespace
}  // namespace vramlab::tests
