#include "traces/io/byte_source.h"

#include <gtest/gtest.h>

#include "tests/support/fuzz/file_fuzz_bodies.h"
#include "tests/support/kit/memory_source.h"
#include "tests/support/recordings/packed_bytes.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

using support::gzip;
using support::zstd;

std::string unpacked(const std::string& bytes, std::size_t most_bytes = usual_most_bytes) {
  return read_all(open_bytes(support::make_memory_source(bytes), "file"), most_bytes);
}

std::string error_of(const std::string& bytes, std::size_t most_bytes = usual_most_bytes) {
  try {
    unpacked(bytes, most_bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string long_text = std::string(300000, 'a') + "end";

TEST(InputBytes, plain_text_stays_as_it_is) { EXPECT_EQ(unpacked("{}"), "{}"); }

TEST(InputBytes, gzip_and_zstd_are_told_from_the_first_bytes) {
  EXPECT_EQ(unpacked(gzip(long_text)), long_text);
  EXPECT_EQ(unpacked(zstd(long_text)), long_text);
}

TEST(InputBytes, all_members_of_a_gzip_file_are_read) {
  EXPECT_EQ(unpacked(gzip("one ") + gzip("two")), "one two");
}

TEST(InputBytes, cut_off_or_damaged_data_is_an_error_with_its_place) {
  const std::string packed = gzip(long_text);
  EXPECT_EQ(error_of(packed.substr(0, 40)),
            "file at packed byte 40: expected whole gzip data, found damaged or cut-off data");
  for (std::size_t i = 2; i < packed.size(); ++i)
    EXPECT_NE(error_of(packed.substr(0, i)), "no error") << i;
  const std::string other = zstd(long_text);
  for (std::size_t i = 4; i < other.size(); ++i)
    EXPECT_NE(error_of(other.substr(0, i)), "no error") << i;
}

TEST(InputBytes, damage_of_zstd_data_is_told_where_its_frame_begins) {
  const std::string first = zstd("one ");
  // A header with the smallest window, and that of a compressed block of 256 bytes.
  const std::string header("\x28\xb5\x2f\xfd\x00\x00\x04\x08\x00", 9);
  const std::string damaged = first + header + std::string(300, '\xff');
  EXPECT_EQ(error_of(damaged), "file at packed byte " + std::to_string(first.size()) +
                                   ": expected whole zstd data, found damaged or cut-off data");
  EXPECT_EQ(support::broken_rule_of_packed_file(damaged), std::nullopt);
}

TEST(InputBytes, what_damaged_zstd_data_held_does_not_depend_on_how_it_arrives) {
  // The smallest window.
  const std::string header("\x28\xb5\x2f\xfd\x00\x00", 6);
  // Packed data whose second frame has many empty blocks and then a damaged one.
  std::string within = zstd("one ") + header + std::string(150, '\0');
  within.resize(257, '\xff');
  // A block of 257 plain bytes, and one that is damaged.
  const std::string damaged = header + std::string("\x08\x08\x00", 3) + within + "\x22\xe2\xc5\x69";
  EXPECT_EQ(support::broken_rule_of_packed_file(damaged), std::nullopt);
}

TEST(InputBytes, something_after_the_gzip_data_is_an_error) {
  EXPECT_NE(error_of(gzip("text") + "junk"), "no error");
}

TEST(InputBytes, data_that_grows_too_large_is_refused) {
  constexpr std::size_t most_bytes = 100000;
  const std::string expected =
      "file: expected at most 100000 bytes, unpacked, found more than that";
  EXPECT_EQ(error_of(gzip(long_text), most_bytes), expected);
  EXPECT_EQ(error_of(zstd(long_text), most_bytes), expected);
  EXPECT_EQ(error_of(long_text, most_bytes), expected);
}

TEST(InputBytes, a_file_that_cannot_be_read_is_named) {
  EXPECT_THROW(read_input_bytes("/no/such/file"), InputError);
  EXPECT_THROW(read_input_bytes("/"), InputError);
}

}  // namespace
}  // namespace vramlab::traces
