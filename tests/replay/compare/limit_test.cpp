// Limits of a comparison: how they are written, when they are broken, and the budget files that
// hold them for certain files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>

#include "replay/compare/limit.h"
#include "tests/support/kit/own_folder.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Limit limit(const char* text) { return parse_limit(text, "--fail-if"); }

std::string refusal(const char* text) {
  try {
    limit(text);
  } catch (const traces::InputError& error) {
    return error.what();
  }
  return "none";
}

struct Written {
  const char* text;
  LimitSign sign;
  LimitKind kind;
  std::int64_t value;
};

TEST(Limits, are_read_as_they_are_written) {
  using enum LimitSign;
  using enum LimitKind;
  const std::vector<Written> all = {
      {"peak_reserved > +2%", above, relative_change, 20'000},
      {"stranded > 512MiB", above, value, 512LL << 20},
      {"device_allocs > +10", above, change, 10},
      {"  peak_allocated>=1.5 GiB ", at_least, value, 3LL << 29},
      {"peak_allocated < -1.25%", below, relative_change, -12'500},
      {"largest_free <= 100MB", at_most, value, 100'000'000},
      {"external_fragmentation > 0.25", above, value, 250'000},
      {"external_fragmentation > 25%", above, value, 250'000},
      {"external_fragmentation > +0.1", above, change, 100'000},
      {"external_fragmentation > +10%", above, relative_change, 100'000},
      {"reserved > 12", above, value, 12},
      {"alloc_retries > 0", above, value, 0},
  };
  for (const Written& written : all) {
    const Limit read = limit(written.text);
    EXPECT_EQ(read.sign, written.sign) << written.text;
    EXPECT_EQ(read.kind, written.kind) << written.text;
    EXPECT_EQ(read.value, written.value) << written.text;
    EXPECT_EQ(read.text, written.text);
  }
  EXPECT_EQ(limit("stranded > 1").metric->name, "stranded");
}

TEST(Limits, that_mean_nothing_are_refused_with_the_place) {
  EXPECT_EQ(refusal("speed > 1"),
            "--fail-if 'speed > 1' at letter 1: expected the name of a metric "
            "(docs/reference/metrics.md), "
            "found 'speed'");
  EXPECT_THAT(refusal("strandet > 1"), HasSubstr("found 'strandet'; the nearest is stranded"));
  EXPECT_THAT(refusal("stranded = 1"), HasSubstr("letter 10: expected one of > >= < <="));
  EXPECT_THAT(refusal("stranded >"), HasSubstr("expected a number, found the end"));
  EXPECT_THAT(refusal("stranded > 5%"), HasSubstr("expected a change in percent, with + or -"));
  EXPECT_THAT(refusal("stranded > 5 apples"), HasSubstr("expected a unit such as MiB or GiB"));
  EXPECT_THAT(refusal("device_allocs > 5MiB"), HasSubstr("expected % or nothing, found 'MiB'"));
  EXPECT_THAT(refusal("device_allocs > 1.5"), HasSubstr("expected a whole number"));
  EXPECT_THAT(refusal("usable_share > 1GiB"), HasSubstr("expected a share"));
  EXPECT_THAT(refusal("group_growth > +5%"), HasSubstr("this metric is a change already"));
  EXPECT_THAT(refusal("stranded > 1 and more"), HasSubstr("expected a unit"));
  EXPECT_THAT(refusal("device_allocs > 1 2"), HasSubstr("expected the end, found '2'"));
  EXPECT_THAT(refusal("stranded > 99999999999999"), HasSubstr("expected a smaller number"));
  EXPECT_THAT(refusal("stranded > 999999999999TiB"), HasSubstr("expected a smaller amount"));
  EXPECT_THAT(refusal("stranded > 1.2345678"), HasSubstr("at most six digits"));
}

TEST(Limits, of_values_look_at_the_new_one) {
  EXPECT_TRUE(is_broken(limit("stranded > 100"), 0, 101));
  EXPECT_FALSE(is_broken(limit("stranded > 100"), 500, 100));
  EXPECT_TRUE(is_broken(limit("largest_free < 100"), 500, 99));
}

TEST(Limits, of_changes_look_at_the_difference) {
  EXPECT_TRUE(is_broken(limit("device_allocs > +10"), 100, 111));
  EXPECT_FALSE(is_broken(limit("device_allocs > +10"), 100, 110));
  EXPECT_FALSE(is_broken(limit("device_allocs > +10"), 100, 5));
  EXPECT_TRUE(is_broken(limit("largest_free < -10"), 100, 89));
}

TEST(Limits, in_percent_are_exact_to_the_byte) {
  const Limit two_percent = limit("peak_reserved > +2%");
  EXPECT_FALSE(is_broken(two_percent, 1'000'000'000'000, 1'020'000'000'000));
  EXPECT_TRUE(is_broken(two_percent, 1'000'000'000'000, 1'020'000'000'001));
  EXPECT_TRUE(is_broken(limit("peak_reserved < -50%"), 100, 49));
  EXPECT_FALSE(is_broken(limit("peak_reserved < -50%"), 100, 50));
}

TEST(Limits, what_comes_from_nothing_is_above_every_share) {
  EXPECT_TRUE(is_broken(limit("stranded > +1000%"), 0, 1));
  EXPECT_FALSE(is_broken(limit("stranded > +2%"), 0, 0));
}

class Budget : public testing::Test {
 protected:
  void SetUp() override {
    path = support::own_folder() + "budget_test_" +
           testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
  }
  void TearDown() override { std::filesystem::remove(path); }

  void write(const std::string& text) const { std::ofstream(path) << text; }
  std::vector<std::string> limits_for(const std::string& file) const {
    std::vector<std::string> texts;
    for (const AskedLimit& asked : limits_of_budget(path, file)) texts.push_back(asked.limit.text);
    return texts;
  }
  std::string refusal(const std::string& text) const {
    write(text);
    try {
      limits_of_budget(path, "new.pickle");
    } catch (const traces::InputError& error) {
      const std::string said = error.what();
      EXPECT_EQ(said.substr(0, path.size()), path);
      return said.substr(path.size());
    }
    return "none";
  }
  std::string path;
};

TEST_F(Budget, has_limits_for_all_files_and_for_those_of_a_pattern) {
  write(R"({"schema_version": 1, "fail_if": ["out_of_memory > 0"], "budgets": [
    {"files": "runs/*.pickle", "fail_if": ["peak_reserved > +2%", "stranded > 1GiB"]},
    {"files": "**serving*", "fail_if": ["device_allocs > +10"]}]})");
  EXPECT_THAT(limits_for("other.pickle"), ElementsAre("out_of_memory > 0"));
  EXPECT_THAT(limits_for("runs/a.pickle"),
              ElementsAre("out_of_memory > 0", "peak_reserved > +2%", "stranded > 1GiB"));
  EXPECT_THAT(limits_for("runs/serving.pickle"),
              ElementsAre("out_of_memory > 0", "peak_reserved > +2%", "stranded > 1GiB",
                          "device_allocs > +10"));
}

TEST_F(Budget, knows_a_file_by_any_spelling_of_its_name) {
  write(R"({"schema_version": 1, "budgets": [
    {"files": "runs/*.pickle", "fail_if": ["peak_reserved > +2%"]}]})");
  EXPECT_THAT(limits_for("./runs/a.pickle"), ElementsAre("peak_reserved > +2%"));
  EXPECT_THAT(limits_for("runs//b/../a.pickle"), ElementsAre("peak_reserved > +2%"));
  EXPECT_THAT(limits_for("runs/b/a.pickle"), IsEmpty());
}

TEST_F(Budget, says_where_a_limit_is_from) {
  write(R"({"schema_version": 1, "budgets": [{"files": "**", "fail_if": ["frees > 0"]}]})");
  const auto limits = limits_of_budget(path, "new.pickle");
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(limits[0].origin, path + " at budgets[0].fail_if[0]");
}

TEST_F(Budget, may_be_empty) {
  write(R"({"schema_version": 1})");
  EXPECT_THAT(limits_for("new.pickle"), IsEmpty());
}

TEST_F(Budget, with_a_fault_is_refused_with_its_place) {
  const struct {
    const char* text;
    const char* reason;
  } faults[] = {
      {"", " at byte 1: expected JSON, found "},
      {"{", " at byte 2: expected JSON, found "},
      {R"({"schema_version": 1} more)", " at byte 23: expected JSON, found "},
      {"[]", ": expected an object, found array"},
      {"{}", " at schema_version: expected 1, found nothing"},
      {R"({"schema_version": 2})", " at schema_version: expected 1, found 2"},
      {R"({"schema_version": 1, "limits": []})",
       " at limits: expected schema_version, fail_if or budgets, found 'limits'"},
      {R"({"schema_version": 1, "fail_if": "frees > 0"})",
       " at fail_if: expected a list of limits, found string"},
      {R"({"schema_version": 1, "fail_if": ["frees > 0", 5]})",
       R"( at fail_if[1]: expected a limit such as "peak_reserved > +2%", found number)"},
      {R"({"schema_version": 1, "fail_if": ["speed > 0"]})",
       " at fail_if[0] 'speed > 0' at letter 1: expected the name of a metric"},
      {R"({"schema_version": 1, "fail_if": ["reserved > 1 XB"]})",
       " at fail_if[0] 'reserved > 1 XB' at letter 14: expected a unit"},
      {R"({"schema_version": 1, "budgets": {}})", " at budgets: expected a list, found object"},
      {R"({"schema_version": 1, "budgets": [7]})",
       " at budgets[0]: expected an object, found number"},
      {R"({"schema_version": 1, "budgets": [{"files": "*"}]})",
       " at budgets[0]: expected fail_if, a list of limits, found none"},
      {R"({"schema_version": 1, "budgets": [{"fail_if": []}]})",
       " at budgets[0]: expected files, a pattern of names, found none"},
      {R"({"schema_version": 1, "budgets": [{"files": 1, "fail_if": []}]})",
       " at budgets[0].files: expected a pattern of names, found number"},
      {R"({"schema_version": 1, "budgets": [{"files": "*", "fail_if": [], "note": ""}]})",
       " at budgets[0]: expected files or fail_if, found 'note'"},
  };
  for (const auto& fault : faults)
    EXPECT_THAT(refusal(fault.text), testing::StartsWith(fault.reason)) << fault.text;
}

TEST_F(Budget, with_a_fault_in_limits_of_other_files_is_refused_too) {
  EXPECT_THAT(refusal(R"({"schema_version": 1, "budgets": [
                {"files": "other.pickle", "fail_if": ["speed > 0"]}]})"),
              HasSubstr(" at budgets[0].fail_if[0] 'speed > 0' at letter 1"));
}

TEST_F(Budget, with_a_key_twice_is_refused_as_one_of_them_would_be_lost) {
  EXPECT_EQ(refusal(R"({"schema_version": 1, "fail_if": ["frees > 0"], "fail_if": []})"),
            " at fail_if: expected each key once, found it twice");
  EXPECT_EQ(refusal(R"({"schema_version": 1, "budgets": [
                {"files": "a", "fail_if": []}, {"files": "a", "fail_if": [], "files": "b"}]})"),
            " at files: expected each key once, found it twice");
}

TEST_F(Budget, that_is_not_there_is_refused) {
  EXPECT_THROW(limits_of_budget(path, "new.pickle"), traces::InputError);
  EXPECT_THROW(limits_of_budget(support::own_folder(), "new.pickle"), traces::InputError);
}

struct Matched {
  const char* name;
  const char* pattern;
  bool matches;
};

TEST(Patterns, match_names) {
  const Matched all[] = {
      {"a.pickle", "a.pickle", true},
      {"a.pickle", "b.pickle", false},
      {"a.pickle", "a.pickl", false},
      {"a.pickl", "a.pickle", false},
      {"a.pickle", "*.pickle", true},
      {".pickle", "*.pickle", true},
      {"runs/a.pickle", "*.pickle", false},
      {"runs/a.pickle", "*/*.pickle", true},
      {"runs/a.pickle", "**", true},
      {"runs/b/a.pickle", "runs/**.pickle", true},
      {"runs/b/a.pickle", "**/a.pickle", true},
      {"a.pickle", "**/a.pickle", false},
      {"a", "?", true},
      {"", "?", false},
      {"ab", "?", false},
      {"abc", "a?c", true},
      {"", "", true},
      {"a", "", false},
      {"", "*", true},
      {"", "**", true},
      {"abcabd", "*ab?", true},
      {"abab", "*ab", true},
      {"a/b", "a***b", true},
      {"a[b]", "a[b]", true},
      {"a/b/c", "a/*", false},
      {"a/b/c", "a/**", true},
  };
  for (const Matched& row : all)
    EXPECT_EQ(matches_pattern(row.name, row.pattern), row.matches)
        << row.name << " and " << row.pattern;
}

/// The rule written down: a star is tried at every length.
bool matches_slowly(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  const bool is_deep = pattern.starts_with("**");
  if (!is_deep && pattern[0] != '*')
    return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
           matches_slowly(name.substr(1), pattern.substr(1));
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (matches_slowly(name.substr(i), pattern.substr(is_deep ? 2 : 1))) return true;
    if (i < name.size() && name[i] == '/' && !is_deep) return false;
  }
  return false;
}

/// All texts of this many letters.
std::vector<std::string> texts_of(std::string_view letters, std::size_t most) {
  std::vector<std::string> texts = {""};
  for (std::size_t begin = 0, size = 0; size < most; ++size) {
    const std::size_t end = texts.size();
    for (; begin < end; ++begin)
      for (const char letter : letters) texts.push_back(texts[begin] + letter);
  }
  return texts;
}

TEST(Patterns, match_as_trying_every_length_of_each_star_does) {
  const auto names = texts_of("a/", 5);
  for (const std::string& pattern : texts_of("a/*?", 5))
    for (const std::string& name : names)
      ASSERT_EQ(matches_pattern(name, pattern), matches_slowly(name, pattern))
          << name << " and " << pattern;
}

TEST(Patterns, of_many_stars_are_judged_at_once) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "*a";
  EXPECT_FALSE(matches_pattern(std::string(5'000, 'a') + "b", pattern));
  EXPECT_TRUE(matches_pattern(std::string(5'000, 'a'), pattern));
}

}  // namespace

}  // namespace vramlab::replay
