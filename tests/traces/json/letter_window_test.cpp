// The window over an input's letters: what stays, what goes, and what stands behind the end.
#include "traces/json/letter_window.h"
#include "tests/support/kit/memory_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace vramlab::traces {
namespace {

constexpr std::size_t small_window_bytes = 64;

std::string many_letters() {
  std::string letters;
  for (int i = 0; i < 1000; ++i) letters += std::to_string(i) + ' ';
  return letters;
}

TEST(LetterWindow, letters_come_in_order_and_positions_go_on_counting) {
  const std::string letters = many_letters();
  const auto source = support::make_memory_source(letters);
  LetterWindow window(*source, small_window_bytes);
  std::string read;
  while (window.has(1)) {
    EXPECT_EQ(window.bytes_taken(), read.size());
    read += *window.at();
    window.go_to(window.at() + 1);
  }
  EXPECT_EQ(read, letters);
  EXPECT_EQ(window.bytes_taken(), letters.size());
}

TEST(LetterWindow, what_is_not_taken_stays_however_long_it_is) {
  const std::string letters = many_letters();
  const auto source = support::make_memory_source(letters);
  LetterWindow window(*source, small_window_bytes);
  ASSERT_TRUE(window.has(letters.size()));
  EXPECT_EQ(std::string(window.at(), window.end()), letters);
  EXPECT_FALSE(window.has(letters.size() + 1));
  EXPECT_EQ(std::string(window.at(), window.end()), letters);
}

TEST(LetterWindow, nothing_moves_once_the_end_is_known) {
  const auto source = support::make_memory_source("abc");
  LetterWindow window(*source, small_window_bytes);
  while (window.fill()) {
  }
  const char* const at = window.at();
  EXPECT_FALSE(window.fill());
  EXPECT_EQ(window.at(), at);
}

TEST(LetterWindow, zeros_stand_behind_the_end) {
  const auto source = support::make_memory_source(many_letters());
  LetterWindow window(*source, small_window_bytes);
  while (window.fill()) {
    EXPECT_TRUE(std::all_of(window.end(), window.end() + scan_padding,
                            [](char letter) { return letter == '\0'; }));
    window.go_to(window.end());
  }
}

TEST(LetterWindow, the_last_letters_can_be_quoted_after_any_move) {
  const std::string letters = many_letters();
  const auto source = support::make_memory_source(letters);
  LetterWindow window(*source, small_window_bytes);
  for (std::size_t taken = 0; taken < letters.size(); ++taken) {
    ASSERT_TRUE(window.has(1));
    const std::size_t begin = taken - std::min(taken, LetterWindow::quoted_bytes);
    EXPECT_EQ(window.last_letters(0, window.at()), letters.substr(begin, taken - begin));
    if (taken > 0) {
      EXPECT_EQ(window.last_letters(taken - 1, window.at()), letters.substr(taken - 1, 1));
    }
    window.go_to(window.at() + 1);
  }
}

}  // namespace
}  // namespace vramlab::traces
