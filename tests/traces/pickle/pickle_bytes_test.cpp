// Pickles written byte by byte: values that are refused, and values that are shared.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/fuzz/snapshot_listing.h"

namespace vramlab::support {
namespace {

using namespace std::string_literals;

std::string error_of(const std::string& bytes) { return read_pickle_bytes(bytes).error; }

bool says(const std::string& error, const std::string& part) {
  return error.find(part) != std::string::npos;
}

/// A short text, stored in the memo.
std::string text(const std::string& letters) {
  return "\x8c"s + static_cast<char>(letters.size()) + letters + "\x94";
}

/// A snapshot whose unknown section `x` has this value.
std::string with_section(const std::string& value) {
  return "\x80\x04}\x94("s + text("x") + value + "u.";
}

TEST(PickleBytes, opcodes_that_run_or_make_something_are_refused_by_name) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"cos\nsystem\n", "GLOBAL"},
      {"\x93", "STACK_GLOBAL"},
      {"R", "REDUCE"},
      {"b", "BUILD"},
      {"ios\nsystem\n", "INST"},
      {"o", "OBJ"},
      {"\x81", "NEWOBJ"},
      {"\x92", "NEWOBJ_EX"},
      {"P1\n", "PERSID"},
      {"Q", "BINPERSID"},
      {"\x82\x01", "EXT1"},
      {"\x83\x01\x01", "EXT2"},
      {"\x84\x01\x01\x01\x01", "EXT4"},
      {"\x8f", "EMPTY_SET"},
      {"\x91", "FROZENSET"},
      {"\x90", "ADDITEMS"},
      {"\x96", "BYTEARRAY8"},
      {"\x97", "NEXT_BUFFER"},
      {"\xfe", "the byte 0xfe"},
      {"S'text'\n", "STRING ('S')"}};
  for (const auto& [bytes, name] : refused) {
    const std::string error = error_of(with_section(bytes));
    EXPECT_TRUE(says(error, name)) << error;
    EXPECT_TRUE(says(error, "file at byte 9: expected plain data")) << error;
  }
}

TEST(PickleBytes, lengths_are_checked_before_memory_is_taken) {
  EXPECT_TRUE(
      says(error_of(with_section("\x8d\xff\xff\xff\xff\xff\xff\xff\x7f")), "a text of at most"));
  EXPECT_TRUE(says(error_of(with_section("X\xff\xff\xff\x03"s)), "the end of the file"));
  EXPECT_TRUE(says(error_of(with_section("\x8b\xff\xff\xff\x7f"s)),
                   "a whole number of at most 255 bytes, found one of 2147483647"));
}

TEST(PickleBytes, lines_of_letters_are_read_as_they_are_meant) {
  const auto value_of = [](const std::string& line) {
    const SnapshotReading reading = read_pickle_bytes("(dVx\np0\n" + line + "s.");
    return reading.error.empty() ? reading.lines : reading.error;
  };
  EXPECT_EQ(value_of("I-12\n"), "unknown x -12\n");
  EXPECT_EQ(value_of("I01\n"), "unknown x True\n");
  EXPECT_EQ(value_of("I00\n"), "unknown x False\n");
  EXPECT_EQ(value_of("L18446744073709551615L\n"), "unknown x 18446744073709551615\n");
  EXPECT_EQ(value_of("L-9223372036854775808L\n"), "unknown x -9223372036854775808\n");
  EXPECT_EQ(value_of("L-9223372036854775809L\n"), "unknown x -9223372036854775809\n");
  EXPECT_EQ(value_of("L123456789012345678901234567890L\n"),
            "unknown x 123456789012345678901234567890\n");
  EXPECT_EQ(value_of("F0.25\n"), "unknown x 0.25\n");
  EXPECT_EQ(value_of("(I1\nI2\nt"), "unknown x (1, 2)\n");
  EXPECT_EQ(value_of("(t"), "unknown x ()\n");
  EXPECT_EQ(value_of("V\xe9\\u20ac\\U0001f600\\u005cn\\x\n"), "unknown x 'é€😀\\n\\x'\n");
  // Longer than what is read at once; the description shows the first 2,000 letters.
  EXPECT_EQ(value_of("V" + std::string(70'000, 'a') + "\n").size(), 2014U);
}

TEST(PickleBytes, lines_of_other_letters_are_refused) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"Iten\n", "a whole number of at most 613 digits, found other letters"},
      {"I\n", "found other letters"},
      {"L" + std::string(614, '1') + "L\n", "at most 613 digits, found one of 614"},
      {"F1.5x\n", "a number, found other letters"},
      {"g-1\n", "the number of a place in the memo, found other letters"},
      {"g7\n", "one to place 7"},
      {"Vtext", "the end of the file"}};
  for (const auto& [line, part] : refused) {
    const std::string error = error_of("(dVx\n" + line);
    EXPECT_TRUE(says(error, part)) << error;
  }
}

TEST(PickleBytes, number_of_more_than_64_bits_is_read_as_it_is) {
  EXPECT_EQ(read_pickle_bytes(with_section("\x8a\x09\1\2\3\4\5\6\7\x08\x01"s)).lines,
            "unknown x 19025181769461858817\n");
}

TEST(PickleBytes, nesting_has_a_limit) {
  EXPECT_TRUE(says(error_of(with_section(std::string(100'000, '('))), "nesting at most"));
  EXPECT_TRUE(says(error_of(with_section(std::string(70, ']') + std::string(69, 'a'))), "nesting"));
  std::string chain = "](]\x94"s;
  // Each list holds the one before: deep without any nesting of the bytes.
  for (char place = 2; place < 100; ++place) chain += "]\x94h"s + place + "a";
  EXPECT_TRUE(says(error_of(with_section(chain + "e")), "nesting at most"));
}

TEST(PickleBytes, references_must_be_to_what_was_stored) {
  EXPECT_TRUE(says(error_of(with_section("h\x30")), "one to place 48"));
  EXPECT_TRUE(says(error_of(with_section("j\xff\xff\xff\xff")), "one to place 4294967295"));
  EXPECT_TRUE(says(error_of(with_section("]r\xff\xff\xff\x7f")), "was counted"));
  EXPECT_TRUE(says(error_of(with_section("]q\x00"s)), "place 0 again"));
}

TEST(PickleBytes, values_that_hold_themselves_are_refused) {
  EXPECT_TRUE(says(error_of(with_section("]\x94h\x02"s + "a")), "part of themselves"));
  EXPECT_TRUE(says(error_of(with_section("]\x94(]\x94h\x02"s + "ae")), "part of themselves"));
  EXPECT_NE(error_of("\x80\x04}\x94("s + text("device_traces") + "]\x94(h\x02"s + "eu."), "");
  const std::string stored_twice = "]\x94\x94h\x02"s;
  EXPECT_TRUE(says(error_of(with_section(stored_twice + "a")), "part of themselves"));
}

TEST(PickleBytes, empty_list_may_be_its_own_brothers_part) {
  const SnapshotReading reading = read_pickle_bytes(with_section("](]\x94]\x94h\x02"s + "ae"));
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.lines, "unknown x [[], [[]]]\n");
}

TEST(PickleBytes, section_or_key_that_comes_twice_is_refused) {
  const std::string twice = "\x80\x04}\x94("s + text("segments") + "]\x94h\x01]\x94u."s;
  EXPECT_TRUE(says(error_of(twice), "each key once, found the key 'segments' again"));
  const std::string event =
      "}\x94("s + text("action") + text("oom") + text("size") + "K\x01h\x07K\x02u";
  const std::string events =
      "\x80\x04}\x94("s + text("device_traces") + "]\x94(]\x94(" + event + "eeu.";
  EXPECT_TRUE(says(error_of(events), "found the key 'size' again"));
}

TEST(PickleBytes, event_that_is_referred_to_again_is_read_again) {
  const std::string event = "}\x94("s + text("action") + text("alloc") + text("size") + "K\x05u";
  // An event comes three times, then the whole list as the second device's.
  const std::string bytes = "\x80\x04}\x94("s + text("device_traces") + "]\x94(]\x94(" + event +
                            "h\x04h\x04"s + "eh\x03"s + "eu.";
  const SnapshotReading reading = read_pickle_bytes(bytes);
  EXPECT_EQ(reading.error, "");
  const std::string line =
      " address=0x0 free=0 size=5 stream=0 time_us=0 pool=(0, 0) context= user=\n";
  const std::string first = "event alloc device=0" + line;
  const std::string second = "event alloc device=1" + line;
  EXPECT_EQ(reading.lines, "section 1\ntrace 0\n" + first + first + first + "trace 1\n" + second +
                               second + second);
}

TEST(PickleBytes, top_must_be_a_dict_or_a_list) {
  EXPECT_TRUE(says(error_of("\x80\x04K\x01."s), "a dict, or a list of segments, found 1"));
  EXPECT_TRUE(says(error_of("\x80\x09}."s), "protocol 9"));
}

TEST(PickleBytes, what_follows_the_end_is_not_looked_at) {
  EXPECT_EQ(error_of("\x80\x04}\x94.cos\nsystem\n"s), "");
}

}  // namespace
}  // namespace vramlab::support
