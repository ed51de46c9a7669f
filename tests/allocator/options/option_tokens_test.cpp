// Cutting an option string into words and separators.
#include "allocator/options/option_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vramlab::allocator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> tokens_of(std::string_view text, std::string_view blanks = " ") {
  std::vector<std::string> taken;
  OptionTokens tokens(text, blanks);
  while (!tokens.at_end()) taken.push_back(tokens.take());
  return taken;
}

TEST(OptionTokens, are_none_in_an_empty_string_or_in_blanks) {
  EXPECT_THAT(tokens_of(""), IsEmpty());
  EXPECT_THAT(tokens_of("   "), IsEmpty());
}

TEST(OptionTokens, are_cut_at_commas_colons_and_brackets) {
  EXPECT_THAT(tokens_of("a:[4:2,>:8],b"),
              ElementsAre("a", ":", "[", "4", ":", "2", ",", ">", ":", "8", "]", ",", "b"));
}

TEST(OptionTokens, keep_every_separator_of_a_row) {
  EXPECT_THAT(tokens_of(",,]["), ElementsAre(",", ",", "]", "["));
}

TEST(OptionTokens, lose_their_blanks_and_grow_together_over_them) {
  EXPECT_THAT(tokens_of(" a b : 6 4 "), ElementsAre("ab", ":", "64"));
}

TEST(OptionTokens, keep_the_blanks_that_were_not_named) {
  EXPECT_THAT(tokens_of("a\t:\n4"), ElementsAre("a\t", ":", "\n4"));
  EXPECT_THAT(tokens_of("a\t:\n4", " \t\n"), ElementsAre("a", ":", "4"));
}

TEST(OptionTokens, can_be_looked_at_without_being_taken) {
  OptionTokens tokens("a:1", " ");
  EXPECT_TRUE(tokens.next_is("a"));
  EXPECT_EQ(tokens.next(), "a");
  EXPECT_EQ(tokens.take(), "a");
  EXPECT_FALSE(tokens.next_is("a"));
}

TEST(OptionTokens, are_nothing_in_particular_at_the_end) {
  const OptionTokens tokens("", " ");
  EXPECT_TRUE(tokens.at_end());
  EXPECT_FALSE(tokens.next_is(""));
}

TEST(OptionTokens, can_be_read_again_from_the_start) {
  OptionTokens tokens("a", " ");
  tokens.take();
  tokens.start_again();
  EXPECT_EQ(tokens.take(), "a");
}

}  // namespace
}  // namespace vramlab::allocator
