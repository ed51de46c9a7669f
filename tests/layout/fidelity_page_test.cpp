// docs/fidelity.md and the pages of numbered rules name only what there is: each function in the
// file it is said to be in, and each test under tests/. And it can be wrong: broken pages are
// found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What stands between backticks.
std::vector<std::string> quoted_words(const std::string& page) {
  std::vector<std::string> words;
  const std::regex quoted("`([^`\n]+)`");
  for (std::sregex_iterator word(page.begin(), page.end(), quoted), end; word != end; ++word)
    words.push_back((*word)[1]);
  return words;
}

/// "Suite.test" of every test in the text.
void add_test_names(const std::string& text, std::set<std::string>& names) {
  const std::regex test(R"(\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\))");
  for (std::sregex_iterator found(text.begin(), text.end(), test), end; found != end; ++found)
    names.insert((*found)[1].str() + "." + (*found)[2].str());
}

std::set<std::string> test_names_below(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".cpp")
      add_test_names(support::content_of(entry.path()), names);
  return names;
}

/// The paragraphs of a page, each on one line; a heading is one of its own.
std::vector<std::string> paragraphs_of(const std::string& page) {
  std::vector<std::string> paragraphs(1);
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const bool stands_alone = line.empty() || line.starts_with('#');
    if (stands_alone) paragraphs.emplace_back();
    paragraphs.back() += (paragraphs.back().empty() ? "" : " ") + line;
    if (stands_alone) paragraphs.emplace_back();
  }
  return paragraphs;
}

/// Read once for all tests.
const std::set<std::string>& test_names() {
  static const std::set<std::string> names = test_names_below(support::source_dir() + "/tests");
  return names;
}

/// What the page names and the tree does not have.
class PageCheck {
 public:
  PageCheck(std::filesystem::path root, std::set<std::string> tests)
      : root_(std::move(root)), tests_(std::move(tests)) {}

  std::vector<std::string> missing(const std::string& page) {
    static const std::regex function_name(R"(([a-z_0-9]+/[a-z_0-9/]+\.(?:h|cpp)):(\w+))");
    static const std::regex test_name(R"(([A-Z]\w*)\.([a-z]\w+))");
    std::vector<std::string> missing;
    for (const std::string& word : quoted_words(page)) {
      std::smatch parts;
      if (std::regex_match(word, parts, function_name)) {
        if (!holds(parts[1], parts[2])) missing.push_back(word + ": no such function there");
      } else if (std::regex_match(word, parts, test_name)) {
        if (!tests_.contains(word)) missing.push_back(word + ": no such test");
      }
    }
    return missing;
  }

 private:
  bool holds(const std::string& file, const std::string& function) {
    if (!texts_.contains(file)) texts_[file] = support::content_of(root_ / file);
    return std::regex_search(texts_[file], std::regex("\\b" + function + "\\b"));
  }

  std::filesystem::path root_;
  std::set<std::string> tests_;
  std::map<std::string, std::string> texts_;
};

std::vector<std::string> missing_on(const std::string& page) {
  return PageCheck(support::source_dir(), test_names()).missing(page);
}

std::string fidelity_page() {
  return support::content_of(std::filesystem::path(support::source_dir()) / "docs" / "fidelity.md");
}

std::string page_named(const std::string& name) {
  return support::content_of(std::filesystem::path(support::source_dir()) / "docs" / name);
}

struct NumberedPage {
  const char* name;
  /// Rules and decisions that it has at least.
  std::size_t count;
};

class NumberedPages : public testing::TestWithParam<NumberedPage> {};
INSTANTIATE_TEST_SUITE_P(All, NumberedPages,
                         testing::Values(NumberedPage{"stream_model.md", 65},
                                         NumberedPage{"ordered_memory.md", 15}),
                         [](const auto& page) {
                           const std::string name = page.param.name;
                           return name.substr(0, name.find('.'));
                         });

TEST(FidelityPage, names_only_functions_and_tests_that_there_are) {
  EXPECT_THAT(missing_on(fidelity_page()), IsEmpty());
}

TEST_P(NumberedPages, name_only_functions_and_tests_that_there_are) {
  EXPECT_THAT(missing_on(page_named(GetParam().name)), IsEmpty());
}

TEST_P(NumberedPages, give_every_rule_and_decision_a_proof) {
  const std::regex rule(R"((\d+\.\d+|D\d+) .*)");
  const std::regex proven(R"(.* `\w+\.\w+`)");
  std::size_t count = 0;
  for (const std::string& paragraph : paragraphs_of(page_named(GetParam().name))) {
    if (!std::regex_match(paragraph, rule)) continue;
    ++count;
    EXPECT_TRUE(std::regex_match(paragraph, proven)) << paragraph;
  }
  EXPECT_GE(count, GetParam().count);
}

TEST(FidelityPage, gives_every_numbered_rule_a_function_and_a_proof) {
  std::istringstream page(fidelity_page());
  const std::regex rule(R"(\| \d+\.\d+ \|.*)");
  const std::regex complete(R"(\| \d+\.\d+ \| .+ \| `[^`|]+:\w+` \| .*`\w+\.\w+`.* \|)");
  std::size_t count = 0;
  for (std::string line; std::getline(page, line);) {
    if (!std::regex_match(line, rule)) continue;
    ++count;
    EXPECT_TRUE(std::regex_match(line, complete)) << line;
  }
  EXPECT_GT(count, 90U);
}

TEST(NumberedPagesText, is_cut_into_paragraphs_at_empty_lines_and_headings) {
  EXPECT_THAT(paragraphs_of("## Rules\n1.1 A rule\nof two lines.\n\n1.2 Another.\n"),
              ElementsAre("", "## Rules", "1.1 A rule of two lines.", "", "1.2 Another."));
}

TEST(FidelityPage, a_function_that_is_not_there_is_found) {
  EXPECT_THAT(missing_on("| 1.1 | `allocator/options/size_rules.h:round_everything` |"),
              ElementsAre(HasSubstr("round_everything: no such function")));
}

TEST(FidelityPage, a_file_that_is_not_there_is_found) {
  EXPECT_THAT(missing_on("`allocator/nowhere.h:round_request`"),
              ElementsAre(HasSubstr("nowhere.h:round_request")));
}

TEST(FidelityPage, a_test_that_is_not_there_is_found) {
  EXPECT_THAT(missing_on("`RoundRequest.rounds_down`"), ElementsAre(HasSubstr("no such test")));
}

}  // namespace
}  // namespace vramlab::tests
