// The window over an input's letters: letters that stay, that go, and those behind the end; and
// scans of eight letters at a time, at every place in a word and for every letter.
#include "traces/json/letter_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "tests/support/kit/memory_source.h"

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

std::string padded(const std::string& text) { return text + std::string(scan_padding, '\0'); }

std::size_t plain_letters(const std::string& text) {
  const std::string letters = padded(text);
  return static_cast<std::size_t>(find_not_plain(letters.data()) - letters.data());
}

struct ReadDigits {
  std::uint64_t number;
  std::size_t count;
  bool is_too_large;
};

ReadDigits digits_of(const std::string& text) {
  const std::string letters = padded(text);
  const DigitRow row = read_digits(letters.data());
  return {row.number, static_cast<std::size_t>(row.end - letters.data()), row.is_too_large};
}

TEST(LetterScan, each_letter_is_plain_or_ends_the_scan_at_any_place) {
  for (int code = 0; code < 256; ++code) {
    const char letter = static_cast<char>(code);
    const bool is_plain = code >= ' ' && code < 0x80 && letter != '"' && letter != '\\';
    for (std::size_t before = 0; before < 20; ++before) {
      const std::string text = std::string(before, 'x') + letter + "yy";
      EXPECT_EQ(plain_letters(text), is_plain ? text.size() : before) << code << " at " << before;
    }
  }
}

TEST(LetterScan, the_first_of_many_letters_that_are_not_plain_is_found) {
  EXPECT_EQ(plain_letters("abc\"\"\"\"\"\"\"\""), 3);
  EXPECT_EQ(plain_letters("abcd!\x80\"\\"), 5);
  EXPECT_EQ(plain_letters("abcd# \x1f\""), 6);
}

TEST(LetterScan, digits_of_any_number_are_read_to_their_end) {
  std::string text;
  std::uint64_t number = 0;
  for (std::size_t count = 1; count < 20; ++count) {
    const auto digit = static_cast<char>('0' + count % 10);
    text += digit;
    number = number * 10 + count % 10;
    for (const char behind : {',', ']', '.', ':', '/', 'e', ' '}) {
      const ReadDigits row = digits_of(text + behind + "77777777");
      EXPECT_EQ(row.number, number);
      EXPECT_EQ(row.count, count);
      EXPECT_FALSE(row.is_too_large);
    }
  }
}

TEST(LetterScan, the_largest_number_is_exact_and_the_next_one_is_too_large) {
  const ReadDigits largest = digits_of("18446744073709551615");
  EXPECT_EQ(largest.number, std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(largest.is_too_large);
  for (const char* text : {"18446744073709551616", "20000000000000000000", "100000000000000000000",
                           "184467440737095516150", "99999999999999999999999999999999"})
    EXPECT_TRUE(digits_of(text).is_too_large) << text;
}

TEST(LetterScan, no_digit_is_no_number) {
  for (const char* text : {"", "x1", "-1", ".5"}) EXPECT_EQ(digits_of(text).count, 0);
}

}  // namespace
}  // namespace vramlab::traces
