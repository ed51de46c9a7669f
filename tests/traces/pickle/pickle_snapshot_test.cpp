#include <gtest/gtest.h>

#include "tests/support/fuzz/snapshot_listing.h"
#include "tests/support/recordings/pickle_writer.h"

namespace vramlab::support {
namespace {

/// The lines of a trace with this event alone.
std::string lines_of_event(const PickleTree& event) {
  const PickleTree trace = PickleTree::array({event});
  PickleTree snapshot;
  snapshot["device_traces"] = PickleTree::array();
  snapshot["device_traces"].push_back(trace);
  const SnapshotReading reading = read_pickle_bytes(python_pickle(snapshot));
  EXPECT_EQ(reading.error, "");
  return reading.lines;
}

std::string error_of(const PickleTree& tree) {
  return read_pickle_bytes(python_pickle(tree)).error;
}

constexpr const char* small_snapshot_lines =
    "section 0\n"
    "segment 0x7f0000000000 device=0 total=2097152 allocated=512 active=512 requested=100 stream=7 "
    "type=small pool=(0, 3) expandable=0 frames=[]\n"
    "block 0x7f0000000000 size=512 requested=100 state=active_allocated "
    "frames=[step@train.py:12;main@train.py:40;]\n"
    "block 0x7f0000000200 size=2096640 requested=0 state=inactive frames=[]\n"
    "section 1\n"
    "trace 0\n"
    "event segment_alloc device=0 address=0x7f0000000000 free=0 size=2097152 stream=7 "
    "time_us=1763324226776430 pool=(0, 0) context= user=\n"
    "event alloc device=0 address=0x7f0000000000 free=0 size=100 stream=7 "
    "time_us=1763324226776431 pool=(0, 0) context= user= "
    "frames=[step@train.py:12;main@train.py:40;]\n"
    "event oom device=0 address=0x0 free=1048576 size=1073741824 stream=7 "
    "time_us=1763324226776432 pool=(0, 0) context= user=\n"
    "trace 1\n"
    "section 2\n"
    "settings {'PYTORCH_CUDA_ALLOC_CONF': '', 'max_split_size': -1, "
    "'garbage_collection_threshold': 0.25, 'roundup_power2_divisions': {'1': 0, '2': 4}}\n"
    "section 3\n"
    "annotation step stage=START device=0 time_us=1763324226776430\n";

TEST(SnapshotPickle, python_style_is_read_value_by_value) {
  const SnapshotReading reading = read_pickle_bytes(python_pickle(small_snapshot()));
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.lines, small_snapshot_lines);
}

TEST(SnapshotPickle, both_producers_give_the_same_values) {
  const SnapshotReading reading = read_pickle_bytes(cpp_pickle(small_snapshot()));
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.lines, small_snapshot_lines);
}

TEST(SnapshotPickle, old_protocols_give_the_same_values) {
  for (const int protocol : {0, 1}) {
    const std::string bytes = old_pickle(small_snapshot(), protocol);
    for (const std::size_t count : {1U, 3U, 16U, 100'000U}) {
      const SnapshotReading reading = read_pickle_bytes(bytes, count);
      EXPECT_EQ(reading.error, "") << protocol;
      EXPECT_EQ(reading.lines, small_snapshot_lines) << protocol;
    }
  }
}

TEST(SnapshotPickle, bare_list_of_lists_is_the_events_of_the_devices) {
  const PickleTree traces = small_snapshot()["device_traces"];
  const std::string expected =
      read_pickle_bytes(python_pickle(PickleTree{{"device_traces", traces}})).lines;
  const PickleTree lone = PickleTree::array({traces[0]});
  for (const std::string& bytes :
       {python_pickle(traces), cpp_pickle(traces), old_pickle(traces, 0), old_pickle(traces, 1)}) {
    const SnapshotReading reading = read_pickle_bytes(bytes);
    EXPECT_EQ(reading.error, "");
    EXPECT_EQ(reading.lines, expected);
  }
  for (const std::string& bytes : {python_pickle(lone), cpp_pickle(lone), old_pickle(lone, 0)}) {
    const SnapshotReading reading = read_pickle_bytes(bytes);
    EXPECT_EQ(reading.error, "");
    EXPECT_EQ(reading.lines + "trace 1\n", expected);
  }
}

TEST(SnapshotPickle, events_in_place_of_segments_are_refused) {
  const std::string error = error_of(small_snapshot()["device_traces"][0]);
  EXPECT_NE(error.find("segments, or in a list for each device events, found events alone"),
            std::string::npos)
      << error;
}

TEST(SnapshotPickle, values_do_not_depend_on_how_the_bytes_arrive) {
  const std::string bytes = python_pickle(small_snapshot());
  for (const std::size_t count : {1U, 2U, 3U, 7U, 16U, 100U})
    EXPECT_EQ(read_pickle_bytes(bytes, count).lines, small_snapshot_lines) << count;
}

TEST(SnapshotPickle, bare_list_is_a_list_of_segments) {
  const SnapshotReading reading = read_pickle_bytes(python_pickle(small_snapshot()["segments"]));
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.lines.substr(0, 31), "bare list\nsection 0\nsegment 0x7");
}

TEST(SnapshotPickle, sections_come_in_any_order_beside_unknown_ones) {
  const PickleTree snapshot = {{"later", {{"x", {1, 2.5, nullptr}}}},
                               {"device_traces", {{{{"action", "snapshot"}, {"size", 5}}}}},
                               {"nothing", PickleTree::object()},
                               {"segments", PickleTree::array()}};
  const SnapshotReading reading = read_pickle_bytes(python_pickle(snapshot));
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.lines,
            "unknown later {'x': [1, 2.5, None]}\nsection 1\ntrace 0\n"
            "event snapshot device=0 address=0x0 free=0 size=5 stream=0 time_us=0 pool=(0, 0) "
            "context= user=\nunknown nothing {}\nsection 0\n");
}

TEST(SnapshotPickle, unknown_keys_of_events_are_kept_and_known_ones_behind_them_read) {
  const PickleTree event = {{"action", "alloc"},
                            {"novelty", {{"deep", {true, PickleTree::array()}}}},
                            {"size", 12},
                            {"pool_id", {0, 9}},
                            {"forward_frames", {"one", "two"}},
                            {"user_metadata", "label"}};
  EXPECT_EQ(lines_of_event(event),
            "section 1\ntrace 0\n"
            "event alloc device=0 address=0x0 free=0 size=12 stream=0 time_us=0 pool=(0, 9) "
            "context= user=label forward=one forward=two novelty={'deep': [True, []]}\n");
}

TEST(SnapshotPickle, numbers_are_exact_up_to_64_bits) {
  const PickleTree event = {
      {"action", "alloc"}, {"addr", 0xffffffffffffff00U}, {"size", 0xffffffffffffffffU}};
  EXPECT_EQ(lines_of_event(event),
            "section 1\ntrace 0\n"
            "event alloc device=0 address=0xffffffffffffff00 free=0 size=18446744073709551615 "
            "stream=0 time_us=0 pool=(0, 0) context= user=\n");
}

TEST(SnapshotPickle, old_blocks_get_addresses_and_keep_their_history) {
  const PickleTree block = {{"size", 512},
                            {"state", "active_allocated"},
                            {"history", {{{"addr", 4096}, {"real_size", 100}}}}};
  const PickleTree segment = {{"address", 4096}, {"blocks", {block, block}}};
  const SnapshotReading reading = read_pickle_bytes(python_pickle({{"segments", {segment}}}));
  EXPECT_EQ(reading.error, "");
  EXPECT_NE(reading.lines.find("block 0x1200 size=512 requested=0 state=active_allocated "
                               "was=0x1000 real_size=100\n"),
            std::string::npos);
}

TEST(SnapshotPickle, known_key_of_the_wrong_type_is_refused) {
  EXPECT_EQ(error_of({{"segments", {{{"address", "here"}}}}}),
            "file at byte 29: expected a whole number under 'address', found 'here'");
  EXPECT_NE(error_of({{"device_traces", {{{{"action", 5}}}}}}).find("a text under 'action'"),
            std::string::npos);
  EXPECT_NE(error_of({{"device_traces", {{{{"action", "alloc"}, {"size", -1}}}}}})
                .find("a whole number from 0 on under 'size'"),
            std::string::npos);
  EXPECT_NE(
      error_of({{"device_traces", {{{{"action", "alloc"}, {"frames", {7}}}}}}}).find("found 7"),
      std::string::npos);
  EXPECT_NE(error_of({{"segments", 5}}).find("a list under 'segments'"), std::string::npos);
  EXPECT_NE(error_of({{"allocator_settings", 5}}).find("a dict under"), std::string::npos);
}

TEST(SnapshotPickle, event_without_an_action_is_refused) {
  EXPECT_NE(error_of({{"device_traces", {{{{"size", 1}, {"addr", 2}}}}}}).find("'action'"),
            std::string::npos);
}

TEST(SnapshotPickle, file_cut_off_at_any_byte_is_refused_with_its_length) {
  const std::string whole = python_pickle(small_snapshot());
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_EQ(read_pickle_bytes(whole.substr(0, length)).error,
              "file at byte " + std::to_string(length) +
                  ": expected the rest of a pickle, found the end of the file");
  const std::string other = cpp_pickle(small_snapshot());
  for (std::size_t length = 0; length < other.size(); ++length)
    EXPECT_NE(read_pickle_bytes(other.substr(0, length), 1).error, "") << length;
}

}  // namespace
}  // namespace vramlab::support
