// The Markdown pages keep their rules, and the rules can say no.
#include "tests/layout/page_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Not;

std::string letters(std::size_t count) { return std::string(count, 'x'); }

TEST(PagesOfTheTree, have_no_overlong_lines) {
  auto pages = read_pages(support::source_dir());
  EXPECT_THAT(overlong_page_lines(pages), IsEmpty());
}

TEST(PagesOfTheTree, are_all_read) {
  const auto pages = read_pages(support::source_dir());
  EXPECT_THAT(pages, Contains(Field(&MarkdownPage::path, "README.md")));
  EXPECT_THAT(pages, Contains(Field(&MarkdownPage::path, "docs/decisions/0001-dependencies.md")));
  EXPECT_THAT(pages, Contains(Field(&MarkdownPage::path, "tests/golden/README.md")));
}

TEST(PagesOfTheTree, do_not_include_what_the_program_wrote) {
  EXPECT_THAT(read_pages(support::source_dir()),
              Not(Contains(Field(&MarkdownPage::path, "tests/golden/diff/same.md"))));
}

TEST(PageRules, a_line_may_have_120_letters_and_no_more) {
  EXPECT_THAT(overlong_page_lines({{"docs/a.md", letters(120) + "\n" + letters(121) + "\n"}}),
              ElementsAre("docs/a.md:2 has 121 letters: the most is 120"));
}

TEST(PageRules, letters_are_counted_and_not_bytes) {
  std::string line;
  for (int letter = 0; letter < 120; ++letter) line += "\u00e4";
  EXPECT_THAT(overlong_page_lines({{"docs/a.md", line}}), IsEmpty());
}

TEST(PageRules, rows_of_tables_and_code_may_be_long) {
  const std::string page =
      "| " + letters(200) + " |\n\n    " + letters(200) + "\n\n```\n" + letters(200) + "\n```\n";
  EXPECT_THAT(overlong_page_lines({{"docs/a.md", page}}), IsEmpty());
}

TEST(PageRules, text_behind_code_is_judged_again) {
  const std::string page = "```\n" + letters(200) + "\n```\n" + letters(200) + "\n";
  EXPECT_THAT(overlong_page_lines({{"docs/a.md", page}}),
              ElementsAre("docs/a.md:4 has 200 letters: the most is 120"));
}

TEST(PageRules, the_target_of_a_link_does_not_count_and_its_text_does) {
  const std::string target = "](https://example.com/" + letters(200) + ")";
  EXPECT_THAT(overlong_page_lines({{"docs/a.md", "[a page" + target}}), IsEmpty());
  EXPECT_THAT(overlong_page_lines({{"docs/b.md", "[" + letters(130) + target}}),
              ElementsAre("docs/b.md:1 has 132 letters: the most is 120"));
}

}  // namespace
}  // namespace vramlab::tests
