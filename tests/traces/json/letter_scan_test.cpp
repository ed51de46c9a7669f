// Scanning eight letters at a time: every place in a word, and every letter.
#include "traces/json/letter_window.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace vramlab::traces {
namespace {

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
