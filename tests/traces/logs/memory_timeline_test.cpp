// Memory timelines of torch.profiler, by hand.
#include "traces/logs/memory_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/dribbling_source.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

MemoryTimeline read(const std::string& text, std::size_t bytes_at_a_time = 1000) {
  support::DribblingSource source(text, bytes_at_a_time);
  return read_memory_timeline(source, "file");
}

std::string timeline_error_of(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string timeline =
    "[[100, 150, 400], [[0, 16, 0, 4, 0, 0, 0, 0, 0], [0, 16, 32, 4, 0, 0, 0, 0, 1], "
    "[0, 16, 32, 0, 0, 0, 0, 0, 0]]]";
const std::string raw =
    "[[-1, 1, 16, 0], [100000, 2, 4, 2], [150000, 2, 32, 1], [150999, 2, 1, 7], "
    "[400000, 4, -4, 2], [400000, 4, -1, 7]]";

TEST(MemoryTimeline, has_the_kinds_at_the_peak_and_the_most_of_each) {
  for (const std::string& text : {timeline, raw})
    for (const std::size_t count : {1U, 1000U}) {
      const MemoryTimeline read_timeline = read(text, count);
      EXPECT_EQ(read_timeline.first_us, 100U);
      EXPECT_EQ(read_timeline.last_us, 400U);
      EXPECT_EQ(read_timeline.peak_us, 150U);
      EXPECT_EQ(read_timeline.at_peak, (KindBytes{16, 32, 4, 0, 0, 0, 0, 1}));
      EXPECT_EQ(read_timeline.most, (KindBytes{16, 32, 4, 0, 0, 0, 0, 1}));
      EXPECT_EQ(read_timeline.at_end, (KindBytes{16, 32, 0, 0, 0, 0, 0, 0}));
      EXPECT_EQ(sum_of(read_timeline.at_peak), 53);
      EXPECT_EQ(read_timeline.text_bytes, text.size());
    }
  EXPECT_EQ(read(timeline).moment_count, 3U);
  EXPECT_FALSE(read(timeline).is_raw);
  EXPECT_TRUE(read(raw).is_raw);
}

TEST(MemoryTimeline, of_a_single_event_is_raw) {
  const MemoryTimeline one = read("[[100000, 2, 4, 2]]");
  EXPECT_TRUE(one.is_raw);
  EXPECT_EQ(one.at_end[2], 4);
}

TEST(MemoryTimeline, that_is_none_is_refused) {
  const std::pair<const char*, const char*> refused[] = {
      {"{}", "a memory timeline: a list"},
      {"[7]", "the times of a memory timeline, or its first event"},
      {"[[1, 2], [[0, 1]]]", "9 sums of a moment, found 2"},
      {"[[1], []]", "the four numbers of an event, found 1"},
      {"[[1], [[0,0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0,0]]]", "sums for 1 times, found more"},
      {"[[1, 2, 3, 8]]", "a kind of memory from 0 to 7, found 8"},
      {"[[1, 2, 3, 7], [1]]", "the four numbers of an event, found 1"},
      {"[[1, 2, 9223372036854775807, 7]]", "at most 2^56 bytes"},
      {"[[1, 2, 1.5, 7]]", "a whole number"},
      {"[[1], [[0,-9223372036854775808,0,0,0,0,0,0,0]]]", "at most 2^56 bytes"},
      {"[[-5], [[0,0,0,0,0,0,0,0,0]]]", "a time from 0 on"},
      {"[[1, 2, 3, 7], ", "valid JSON"},
      {"[[1, 2, 3, 7]] 7", "valid JSON"}};
  for (const auto& [text, part] : refused)
    EXPECT_THAT(timeline_error_of(text), testing::HasSubstr(part)) << text;
}

}  // namespace
}  // namespace vramlab::traces
