// Events are read by the writing of the last one where all bytes are there, and by tokens where
// bytes come one at a time. Both must give the same.
#include "traces/pickle/snapshot_pickle_walker.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/fuzz/snapshot_listing.h"
#include "tests/support/recordings/pickle_writer.h"

namespace vramlab::support {
namespace {

using namespace std::string_literals;

/// Stands behind the events, so that the last events are not near the end of the input.
constexpr std::size_t padding_events = 20;

PickleTree plain_event(std::uint64_t number) {
  return {{"action", number % 3 == 0 ? "alloc" : "free_completed"},
          {"addr", 0x7f0000000000 + 512 * number},
          {"size", 100 * number * number},
          {"stream", number % 2},
          {"time_us", 1763324226776430 + number}};
}

std::string pickle_of(std::vector<PickleTree> events) {
  for (std::size_t i = 0; i < padding_events; ++i) events.push_back(plain_event(i));
  PickleTree snapshot;
  snapshot["device_traces"] = PickleTree::array({PickleTree(events)});
  return python_pickle(snapshot);
}

void expect_same_by_tokens(const std::string& bytes) {
  const SnapshotReading known = read_pickle_bytes(bytes);
  const SnapshotReading by_tokens = read_pickle_bytes(bytes, 1);
  EXPECT_EQ(known.lines, by_tokens.lines);
  EXPECT_EQ(known.error, by_tokens.error);
}

bool has_line_with(const SnapshotReading& reading, const std::string& part) {
  return reading.lines.find(part) != std::string::npos;
}

TEST(KnownEvent, numbers_of_every_size_are_read) {
  std::vector<PickleTree> events;
  for (unsigned bits = 0; bits < 63; ++bits) {
    PickleTree event = plain_event(bits);
    event["size"] = std::uint64_t{1} << bits;
    event["time_us"] = (std::uint64_t{1} << bits) - 1;
    events.push_back(event);
  }
  expect_same_by_tokens(pickle_of(events));
  EXPECT_TRUE(has_line_with(read_pickle_bytes(pickle_of(events)), "size=4611686018427387904"));
}

TEST(KnownEvent, order_of_keys_may_change_from_event_to_event) {
  std::vector<PickleTree> events;
  for (std::uint64_t i = 0; i < 12; ++i) {
    PickleTree event = plain_event(i);
    if (i % 3 == 1) event.erase("stream");
    if (i % 4 == 2) {
      event.erase("size");
      event["user_metadata"] = "step";
      event["size"] = i;
    }
    if (i % 5 == 3) event["frames"] = PickleTree::array();
    events.push_back(event);
  }
  expect_same_by_tokens(pickle_of(events));
}

TEST(KnownEvent, values_of_other_kinds_are_left_to_the_reading_by_tokens) {
  PickleTree negative_stream = plain_event(1);
  negative_stream["stream"] = -1;
  PickleTree large_address = plain_event(2);
  large_address["addr"] = UINT64_MAX;
  PickleTree empty_context = plain_event(3);
  empty_context["compile_context"] = nullptr;
  PickleTree unknown_key = plain_event(4);
  unknown_key["mood"] = 5;
  PickleTree new_action = plain_event(5);
  new_action["action"] = "segment_alloc";
  expect_same_by_tokens(pickle_of({plain_event(0), negative_stream, plain_event(0), large_address,
                                   plain_event(0), empty_context, plain_event(0), unknown_key,
                                   plain_event(0), new_action, plain_event(0)}));
}

TEST(KnownEvent, field_of_the_wrong_kind_is_refused_at_the_same_byte) {
  PickleTree event = plain_event(1);
  event["size"] = "large";
  const std::string bytes = pickle_of({plain_event(0), plain_event(0), event});
  expect_same_by_tokens(bytes);
  EXPECT_NE(read_pickle_bytes(bytes).error, "");
}

TEST(KnownEvent, nothing_of_the_event_before_is_left) {
  PickleTree bare = {{"action", "oom"}, {"device_free", 4096}};
  PickleTree none = PickleTree::object();
  const SnapshotReading reading = read_pickle_bytes(pickle_of({plain_event(7), bare}));
  EXPECT_TRUE(has_line_with(reading, "event oom device=0 address=0x0 free=4096 size=0 stream=0"));
  const std::string with_empty = pickle_of({plain_event(7), none});
  expect_same_by_tokens(with_empty);
  EXPECT_TRUE(read_pickle_bytes(with_empty).error.find("'action'") != std::string::npos);
}

/// `{"device_traces": [[{"action": "alloc", "size": 1}, second]]}`, each text stored; 5 is the
/// place of 'action', 6 of 'alloc', 7 of 'size'.
std::string with_second_event(const std::string& second) {
  std::string bytes = "\x80\x04}\x94\x8c\x0d";
  bytes += "device_traces\x94]\x94]\x94(}\x94(\x8c\x06";
  bytes += "action\x94\x8c\x05";
  bytes += "alloc\x94\x8c\x04";
  bytes += "size\x94K\x01u";
  bytes += second;
  bytes += "eas.";
  return bytes + std::string(200, ')');
}

TEST(KnownEvent, numbers_with_any_count_of_bytes_are_read) {
  const auto size_line = [](const std::string& number) {
    return read_pickle_bytes(with_second_event("}\x94(h\x05h\x06h\x07" + number + "u"));
  };
  EXPECT_TRUE(has_line_with(size_line("\x8a\x01\x7f"s), "size=127 "));
  EXPECT_TRUE(has_line_with(size_line("\x8a\x02\xff\x00"s), "size=255 "));
  EXPECT_TRUE(has_line_with(size_line("\x8a\x03\x01\x00\x01"s), "size=65537 "));
  EXPECT_TRUE(has_line_with(size_line("\x8a\x00"s), "size=0 "));
  EXPECT_TRUE(has_line_with(size_line("M\xff\xff"s), "size=65535 "));
  EXPECT_TRUE(has_line_with(size_line("J\xff\xff\xff\x7f"s), "size=2147483647 "));
  EXPECT_EQ(size_line("\x8a\x01\xff"s).error, size_line("J\xff\xff\xff\xff"s).error);
  EXPECT_NE(size_line("\x8a\x01\xff"s).error, "");
}

TEST(KnownEvent, key_that_comes_twice_is_refused) {
  const std::string error =
      read_pickle_bytes(with_second_event("}\x94(h\x05h\x06h\x07K\x01h\x07K\x02u")).error;
  EXPECT_NE(error.find("the key 'size' again"), std::string::npos) << error;
}

}  // namespace

}  // namespace vramlab::support
