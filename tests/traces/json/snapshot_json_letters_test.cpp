// Texts and numbers in snapshot JSON: every spelling that JSON has, and no other.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/fuzz/snapshot_listing.h"
#include "traces/io/letters.h"

namespace vramlab::traces {
namespace {

using support::read_json_bytes;

/// The listing of an unknown section with this value; an error where it is refused.
std::string listing_of(const std::string& value) {
  const auto reading = read_json_bytes("{\"a\": " + value + "}");
  return reading.error.empty() ? reading.lines : reading.error;
}

bool is_refused(const std::string& value) {
  return listing_of(value).find("expected valid JSON") != std::string::npos;
}

std::string meaning_of(const std::string& letters) {
  std::string text;
  const auto wrong = decode_json_letters(letters, text);
  return wrong ? "wrong at " + std::to_string(*wrong) : text;
}

TEST(SnapshotJsonLetters, every_escape_has_its_meaning) {
  EXPECT_EQ(meaning_of(R"(a\"\\\/\b\f\n\r\tz)"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(meaning_of(R"(\u0041\u00e9\u20AC\uD83D\uDE00)"), "A\u00e9\u20ac\U0001F600");
  EXPECT_EQ(meaning_of("\u00e9\u20ac\U0001F600"), "\u00e9\u20ac\U0001F600");
}

TEST(SnapshotJsonLetters, half_a_pair_of_surrogates_is_kept_as_the_writer_spells_it) {
  for (const char* letters : {R"(\ud83d)", R"(\ude00)", R"(\ud83dx)", R"(\ud83d\n)",
                              R"(\ud83d\ud83d)", R"(\ude00\ud83d)"}) {
    const std::string text = meaning_of(letters);
    std::string written;
    add_json_text(written, text);
    EXPECT_EQ(written, '"' + std::string(letters) + '"');
  }
}

TEST(SnapshotJsonLetters, a_wrong_letter_is_named_by_its_place) {
  EXPECT_EQ(meaning_of(R"(ab\x)"), "wrong at 3");
  EXPECT_EQ(meaning_of(R"(\u00g0)"), "wrong at 4");
  EXPECT_EQ(meaning_of(R"(\u00)"), "wrong at 4");
  EXPECT_EQ(meaning_of("a\x80"), "wrong at 1");
  EXPECT_EQ(meaning_of("\xC0\x80"), "wrong at 0");
  EXPECT_EQ(meaning_of("\xE2\x82"), "wrong at 0");
  EXPECT_EQ(meaning_of("\xED\xA0\x80"), "wrong at 0");
  EXPECT_EQ(meaning_of("\xF5\x80\x80\x80"), "wrong at 0");
}

TEST(SnapshotJsonLetters, texts_are_refused_where_json_refuses_them) {
  for (const char* text : {"\"\x01\"", "\"a\nb\"", "\"\x1f\"", "\"\xff\"", R"("\x")", R"("\u12")",
                           R"("\)", R"("\")", "'a'", "\"\\\x80\""})
    EXPECT_TRUE(is_refused(text)) << text << listing_of(text);
  EXPECT_EQ(read_json_bytes("{\"a\": \"b\xff\"}").error,
            "file at byte 8: expected valid JSON, found '\"b?'");
}

TEST(SnapshotJsonLetters, numbers_have_the_spellings_of_json) {
  EXPECT_EQ(listing_of("[0, -0, 7, -7, 12345678, 123456789, 1234567890123456]"),
            "unknown a [0, 0, 7, -7, 12345678, 123456789, 1234567890123456]\n");
  EXPECT_EQ(listing_of("[0.5, -2.5e3, 1E+2, 1e-2, 1e-999, 0e999]"),
            "unknown a [0.5, -2500.0, 100.0, 0.01, 0.0, 0.0]\n");
  for (const char* number : {"01", "-", "-x", "+1", ".5", "1.", "1.e5", "1e", "1e+", "1.5.5", "0x1",
                             "--1", "-01", "1e999", "-1e999", "NaN", "Infinity", "-Infinity"})
    EXPECT_TRUE(is_refused(number)) << number << listing_of(number);
}

TEST(SnapshotJsonLetters, punctuation_is_where_json_has_it) {
  for (const char* value : {"[1,]", "[,1]", "[1 2]", "{\"b\" 1}", "{\"b\": 1,}", "{,}", "{1: 2}",
                            "[1}", "{\"b\": 1]", "", "]", "nul", "nulll", "truE"})
    EXPECT_TRUE(is_refused(value)) << value << listing_of(value);
  EXPECT_EQ(listing_of(" \r\n\t[ 1 ,\t2 ]\n"), "unknown a [1, 2]\n");
}

TEST(SnapshotJsonLetters, a_byte_order_mark_is_passed_and_a_zero_is_not) {
  EXPECT_EQ(read_json_bytes("\xEF\xBB\xBF{\"a\": 1}\n").lines, "unknown a 1\n");
  using namespace std::string_literals;
  EXPECT_EQ(read_json_bytes("{\"a\": 1}\0"s).error,
            "file at byte 8: expected valid JSON, found '1}?'");
  EXPECT_EQ(read_json_bytes("{\"a\": \0 1}"s).error,
            "file at byte 6: expected valid JSON, found '\"a\": ?'");
}

}  // namespace
}  // namespace vramlab::traces
