// The reader of real numbers that stands in where a library has none: it gives what std::from_chars
// gives, number, end and error, for every kind of text.
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "allocator/types/real_numbers.h"
#include "tests/support/kit/random_numbers.h"

namespace vramlab::tests {
namespace {

void expect_the_same(std::string_view text, std::chars_format format) {
  const char* const end = text.data() + text.size();
  double expected = 0.25;
  double found = 0.25;
  const auto library = std::from_chars(text.data(), end, expected, format);
  const auto own = read_real_as_c(text.data(), end, found, format);
  EXPECT_EQ(own.ec, library.ec) << text;
  EXPECT_EQ(own.ptr - text.data(), library.ptr - text.data()) << text;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(expected)) << text;
}

TEST(RealNumbers, are_read_as_the_library_reads_them) {
  for (const std::string_view text : {"0",
                                      "-0",
                                      "1",
                                      "-1.5",
                                      "1.",
                                      ".5",
                                      ".",
                                      "-",
                                      "",
                                      "+1",
                                      " 1",
                                      "1e",
                                      "1e+",
                                      "1e5",
                                      "1E-5x",
                                      "1e400",
                                      "-1e400",
                                      "1e-400",
                                      "0e999",
                                      "4.9e-324",
                                      "2.2250738585072011e-308",
                                      "179769313486231580793728971405301e276",
                                      "0.1",
                                      "123456789012345678901234567890",
                                      "1..2",
                                      "0x10",
                                      "inf",
                                      "-Infinity",
                                      "INFINITE",
                                      "nan",
                                      "1_000",
                                      "1,5",
                                      "00012.50",
                                      "1e0000000000003"})
    expect_the_same(text, std::chars_format::general);
}

TEST(RealNumbers, are_read_with_hexadecimal_digits) {
  for (const std::string_view text : {"1", "ff", "-a.8", "1p4", "1P-4", "1p", "0.000001", ".8p1",
                                      "g", "p1", "-", "fffffffffffffffff", "inf", "e1"})
    expect_the_same(text, std::chars_format::hex);
}

TEST(RealNumbers, made_of_random_letters_are_read_the_same) {
  constexpr std::string_view letters = "0123456789.eE+-x";
  RandomNumbers random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::uint64_t length = random.below(14); length > 0; --length)
      text += letters[random.index_below(letters.size())];
    expect_the_same(text, std::chars_format::general);
  }
}

}  // namespace
}  // namespace vramlab::tests
