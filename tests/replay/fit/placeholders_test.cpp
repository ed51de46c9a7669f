#include "replay/fit/placeholders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/kit/own_folder.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> values_of(const std::string& word) {
  PlaceholderTexts texts;
  texts.add(word, "a word", TextKind::word);
  texts.refuse_unknown_names();
  return texts.placeholders().front().values;
}

std::string refusal_of(const std::vector<std::string>& words, const std::string& search = "") {
  PlaceholderTexts texts;
  try {
    for (const std::string& word : words) texts.add(word, word, TextKind::word);
    texts.refuse_unknown_names();
    static_cast<void>(texts.grid(texts.searched(search)));
  } catch (const traces::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Placeholders, ranges_have_steps_and_factors) {
  EXPECT_THAT(values_of("{n:1..4}"), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(values_of("--n={n:8..30:8}"), ElementsAre("8", "16", "24"));
  EXPECT_THAT(values_of("{n:1..9:x2}"), ElementsAre("1", "2", "4", "8"));
  EXPECT_THAT(values_of("{n:3..3}"), ElementsAre("3"));
  EXPECT_THAT(values_of("{n:9223372036854775800..9223372036854775807:5}"),
              ElementsAre("9223372036854775800", "9223372036854775805"));
}

TEST(Placeholders, lists_hold_any_texts) {
  EXPECT_THAT(values_of("{ac:none,selective,full}"), ElementsAre("none", "selective", "full"));
  EXPECT_THAT(values_of("{path:../a,b}"), ElementsAre("../a", "b"));
}

TEST(Placeholders, values_are_read_from_a_file) {
  const std::string file = support::own_folder() + "placeholder_values.txt";
  std::ofstream(file) << "expandable_segments:True\n\nmax_split_size_mb:64,roundup:2\r\n";
  EXPECT_THAT(values_of("{conf:@" + file + "}"),
              ElementsAre("expandable_segments:True", "max_split_size_mb:64,roundup:2"));
  EXPECT_THAT(refusal_of({"{conf:@/no/such}"}),
              HasSubstr("{conf}: expected a file with a value on each line, found '/no/such'"));
}

TEST(Placeholders, texts_are_filled) {
  PlaceholderTexts texts;
  const std::size_t word = texts.add("{{a} {n:1..2}x{n}{d=8/n-1}", "a word", TextKind::word);
  texts.refuse_unknown_names();
  EXPECT_EQ(texts.filled(word, texts.with_derived({{"n", "2"}}).value()), "{a} 2x23");
}

TEST(Placeholders, files_keep_other_braces) {
  PlaceholderTexts texts;
  const std::string text = "a: {b: 1}\njson: {\"n\": {n:1..2}}\nname: run-{epoch}{}";
  const std::size_t file = texts.add(text, "a file", TextKind::file);
  texts.refuse_unknown_names();
  EXPECT_EQ(texts.filled(file, {{"n", "2"}}), "a: {b: 1}\njson: {\"n\": 2}\nname: run-{epoch}{}");
}

TEST(Placeholders, derived_values_leave_out_what_is_not_even) {
  PlaceholderTexts texts;
  texts.add("{n:1..10}", "a word", TextKind::word);
  texts.add("{k=12/n}", "a word", TextKind::word);
  texts.refuse_unknown_names();
  std::vector<std::string> allowed;
  for (const SearchedValue& value : texts.allowed(*texts.searched(""), {}))
    allowed.push_back(value.text);
  EXPECT_THAT(allowed, ElementsAre("1", "2", "3", "4", "6"));
}

TEST(Placeholders, derived_values_follow_precedence) {
  PlaceholderTexts texts;
  texts.add("{n:2..2}{m:3,4}", "a word", TextKind::word);
  texts.add("{k=2+n*m-1}{l=k*2}", "a word", TextKind::word);
  texts.refuse_unknown_names();
  const auto values = texts.with_derived({{"n", "2"}, {"m", "3"}}).value();
  EXPECT_EQ(values.at("k"), "7");
  EXPECT_EQ(values.at("l"), "14");
}

TEST(Placeholders, grid_is_every_combination_of_the_others) {
  PlaceholderTexts texts;
  texts.add("{a:x,y}{n:1..9}{b:1,2}", "a word", TextKind::word);
  const auto grid = texts.grid(texts.searched(""));
  EXPECT_THAT(grid, ElementsAre(PlaceholderValues{{"a", "x"}, {"b", "1"}},
                                PlaceholderValues{{"a", "x"}, {"b", "2"}},
                                PlaceholderValues{{"a", "y"}, {"b", "1"}},
                                PlaceholderValues{{"a", "y"}, {"b", "2"}}));
  EXPECT_EQ(texts.searched("b")->name, "b");
}

TEST(Placeholders, bad_ones_are_refused) {
  EXPECT_EQ(refusal_of({"{batch}"}),
            "{batch}: {batch}: expected values in one place, such as {batch:1..512}, or {{ for a "
            "brace, found none");
  EXPECT_THAT(refusal_of({"{b:1..2}", "{b:1..3}"}),
              HasSubstr("expected the same values for b everywhere, or {b} alone, found '1..2' "
                        "and '1..3'"));
  EXPECT_THAT(refusal_of({"{b:5..2}"}),
              HasSubstr("{b}: expected a range from the least value up, found '5..2'"));
  EXPECT_THAT(refusal_of({"{b:1..x}"}), HasSubstr("expected a range such as"));
  EXPECT_THAT(refusal_of({"{b:0..8:x2}"}), HasSubstr("expected a range such as"));
  EXPECT_THAT(refusal_of({"{b:}"}), HasSubstr("expected values, such as"));
  EXPECT_THAT(refusal_of({"{b:1,,2}"}), HasSubstr("expected values with commas between them"));
  EXPECT_THAT(refusal_of({"{b:1,2,1}"}), HasSubstr("expected each value once, found '1' twice"));
  EXPECT_THAT(refusal_of({"{\"a\": 1}"}),
              HasSubstr("expected a placeholder such as {batch:1..512}, or {{ for a brace"));
  EXPECT_THAT(refusal_of({"{b:1..2"}), HasSubstr("expected a placeholder such as"));
  EXPECT_THAT(refusal_of({"{b:1..2}", "{c=256/d}"}),
              HasSubstr("{c=256/d}: expected the name of a placeholder with values, found 'd'"));
  EXPECT_THAT(refusal_of({"{b:x,y}", "{c=256/b}"}), HasSubstr("expected integers as values of b"));
  EXPECT_THAT(refusal_of({"{b:1..2}", "{c=256/}"}), HasSubstr("expected numbers and names"));
  EXPECT_THAT(refusal_of({"{b:1..2}"}, "a"), HasSubstr("--search: expected one of b, found a"));
  EXPECT_THAT(refusal_of({"{b:x,y}"}, "b"), HasSubstr("expected numbers to search among"));
  EXPECT_THAT(refusal_of({"{b:1..1000000}"}), HasSubstr("expected at most 100000 values"));
  EXPECT_THAT(refusal_of({"{a:1..2}", "{b:1..200}", "{c:1..200}"}),
              HasSubstr("expected at most 10000 combinations, found more, with {c}"));
}

}  // namespace
}  // namespace vramlab::replay
