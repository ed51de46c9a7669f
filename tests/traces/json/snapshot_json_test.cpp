// The reader of snapshot JSON: any version, exact numbers, and no trust.
#include "traces/json/snapshot_json.h"

#include <gtest/gtest.h>

#include "tests/support/fuzz/snapshot_listing.h"
#include "tests/support/recordings/pickle_writer.h"

namespace vramlab::traces {
namespace {

using support::PickleTree;
using support::read_json_bytes;

std::string error_of(const std::string& json) { return read_json_bytes(json).error; }

TEST(SnapshotJson, it_gives_what_the_pickle_of_the_same_snapshot_gives) {
  const PickleTree tree = support::small_snapshot();
  const auto expected = support::read_pickle_bytes(support::python_pickle(tree));
  for (const int indent : {-1, 1})
    EXPECT_EQ(read_json_bytes(tree.dump(indent)).lines, expected.lines);
}

TEST(SnapshotJson, it_may_come_in_any_pieces) {
  const std::string json = support::small_snapshot().dump();
  EXPECT_EQ(read_json_bytes(json, 1).lines, read_json_bytes(json).lines);
}

TEST(SnapshotJson, a_bare_list_of_lists_is_the_events_of_the_devices) {
  const std::string traces = R"([[{"action": "alloc", "addr": 512, "size": 7}], []])";
  const support::SnapshotReading reading = read_json_bytes(traces);
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.lines, read_json_bytes("{\"device_traces\": " + traces + "}").lines);
  EXPECT_NE(read_json_bytes(R"([{"action": "alloc", "addr": 512, "size": 7}])")
                .error.find("found events alone"),
            std::string::npos);
}

TEST(SnapshotJson, a_bare_list_is_a_list_of_segments) {
  const std::string json = PickleTree(support::small_snapshot()["segments"]).dump();
  EXPECT_TRUE(read_json_bytes(json).lines.starts_with("bare list\nsection 0\nsegment "));
}

TEST(SnapshotJson, old_blocks_have_a_history_and_addresses_counted_up) {
  const auto reading = read_json_bytes(R"({"segments": [{"address": 1024, "blocks": [
      {"size": 512, "state": "inactive"},
      {"size": 512, "state": "active_allocated",
       "history": [{"addr": 1536, "real_size": 5, "frames": []}]}]}]})");
  EXPECT_EQ(reading.error, "");
  EXPECT_NE(reading.lines.find("block 0x600 size=512"), std::string::npos) << reading.lines;
  EXPECT_NE(reading.lines.find("real_size=5"), std::string::npos);
}

TEST(SnapshotJson, unknown_keys_are_passed_on_wherever_they_are) {
  const auto reading = read_json_bytes(
      R"({"a": 1, "b": [2], "segments": [], "c": {"d": null},
          "device_traces": [[{"action": "new action", "e": [3.5]}]]})");
  EXPECT_EQ(reading.error, "");
  for (const char* line :
       {"unknown a 1", "unknown b [2]", "unknown c {'d': None}", "e=[3.5]", "event new action"})
    EXPECT_NE(reading.lines.find(line), std::string::npos) << line << "\n" << reading.lines;
}

TEST(SnapshotJson, whole_numbers_are_exact) {
  const std::string numbers =
      "[18446744073709551615, 18446744073709551616, -9223372036854775808, -9223372036854775809]";
  EXPECT_EQ(read_json_bytes("{\"a\": " + numbers + "}").lines, "unknown a " + numbers + "\n");
  EXPECT_NE(error_of(R"({"a": 1e999})"), "");
}

TEST(SnapshotJson, what_is_no_snapshot_is_refused_with_its_byte) {
  EXPECT_EQ(error_of(R"(5)"),
            "file at byte 1: expected a snapshot: a dict, or a list of segments, found 5");
  EXPECT_EQ(error_of(R"({"segments": 5})"),
            "file at byte 15: expected a list under 'segments', found 5");
  EXPECT_EQ(error_of(R"({"segments": [], "segments": []})"),
            "file at byte 30: expected each key once, found the key 'segments' again");
  for (const char* json :
       {R"({"segments": [5]})", R"({"segments": [[]]})", R"({"device_traces": [{}]})",
        R"({"device_traces": [5]})", R"({"device_traces": [[{"addr": 5}]]})",
        R"({"device_traces": [[{"action": 5}]]})", R"({"segments": [{"total_size": -1}]})",
        R"({"segments": [{"blocks": 5}]})", R"({"segments": [{"blocks": [5]}]})",
        R"({"segments": [{"device": 0, "device": 0}]})", R"({"segments": [{"frames": [5]}]})",
        R"({"allocator_settings": []})", R"({"external_annotations": {}})"})
    EXPECT_NE(error_of(json), "") << json;
}

TEST(SnapshotJson, broken_text_is_refused_wherever_it_breaks) {
  EXPECT_EQ(error_of(R"({"a": tru})"), "file at byte 9: expected valid JSON, found '\"a\": tru}'");
  EXPECT_EQ(error_of("{} x"), "file at byte 3: expected valid JSON, found '{} x'");
  const std::string json = support::small_snapshot().dump();
  for (std::size_t size = 0; size < json.size(); ++size)
    EXPECT_NE(error_of(json.substr(0, size)).find("found the end of the text"), std::string::npos)
        << size;
}

TEST(SnapshotJson, nesting_has_a_limit) {
  const std::string many(1000000, '[');
  EXPECT_NE(error_of("{\"a\": " + many).find("at most 64 levels"), std::string::npos);
  EXPECT_NE(error_of(many), "");
}

TEST(SnapshotJson, a_text_has_a_limit) {
  const std::string many(std::size_t{65} << 20, 'x');
  EXPECT_NE(error_of("{\"" + many).find("a word of at most"), std::string::npos);
}

}  // namespace
}  // namespace vramlab::traces
