#include "traces/model/generic_text.h"

#include <gtest/gtest.h>

using namespace std::string_literals;

namespace vramlab::traces {
namespace {

TEST(LongNumber, digits_and_bytes_say_the_same) {
  const std::pair<const char*, std::string> numbers[] = {
      {"0", "\0"s},
      {"127", "\x7f"s},
      {"128", "\x80\0"s},
      {"-1", "\xff"s},
      {"-128", "\x80"s},
      {"-129", "\x7f\xff"s},
      {"18446744073709551615", "\xff\xff\xff\xff\xff\xff\xff\xff\0"s},
      {"18446744073709551616", "\0\0\0\0\0\0\0\0\1"s},
      {"-9223372036854775809", "\xff\xff\xff\xff\xff\xff\xff\x7f\xff"s},
      {"340282366920938463463374607431768211456", std::string(16, '\0') + "\1"},
  };
  for (const auto& [decimal, bytes] : numbers) {
    EXPECT_EQ(decimal_of(bytes), decimal);
    EXPECT_EQ(bytes_of_decimal(decimal), bytes) << decimal;
  }
}

TEST(LongNumber, bytes_that_only_repeat_the_sign_say_nothing) {
  EXPECT_EQ(without_needless_bytes("\x7f\0\0"s), "\x7f"s);
  EXPECT_EQ(without_needless_bytes("\x80\0\0"s), "\x80\0"s);
  EXPECT_EQ(without_needless_bytes("\x80\xff\xff"s), "\x80"s);
  EXPECT_EQ(without_needless_bytes("\0\0"s), "\0"s);
  EXPECT_EQ(decimal_of("\x80\xff\xff"s), "-128");
}

TEST(LongNumber, as_many_digits_as_are_taken_fit_into_as_many_bytes_as_are) {
  const std::string decimal(most_number_digits, '9');
  EXPECT_EQ(bytes_of_decimal(decimal).size(), most_number_bytes);
  EXPECT_EQ(decimal_of(bytes_of_decimal(decimal)), decimal);
  EXPECT_EQ(decimal_of(bytes_of_decimal("-" + decimal)), "-" + decimal);
}

}  // namespace
}  // namespace vramlab::traces
