// Valid UTF-8, and the letters that stand in for invalid bytes.
#include "traces/io/letters.h"

#include <gtest/gtest.h>

namespace vramlab::traces {
namespace {

TEST(Utf8, stays_as_it_is) {
  for (const char* text : {"", "plain", "\u00e9\u20ac\U0001F600", "\uFFFF"}) {
    EXPECT_TRUE(is_utf8(text));
    EXPECT_EQ(as_utf8(text), text);
  }
}

TEST(Utf8, has_the_replacement_character_for_each_byte_that_is_none) {
  const std::string mark = "\uFFFD";
  EXPECT_EQ(as_utf8("a\xFFz"), "a" + mark + "z");
  EXPECT_EQ(as_utf8("\xC3"), mark);
  EXPECT_EQ(as_utf8("\xED\xA0\x80"
                    "a"),
            mark + mark + mark + "a");
  EXPECT_EQ(as_utf8("\xC0\x80"), mark + mark);
  EXPECT_TRUE(is_utf8(as_utf8("\xF5\x80\xED\xBF\xBF\xE2\x82")));
}

}  // namespace
}  // namespace vramlab::traces
