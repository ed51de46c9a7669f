// `vramlab streams` from outside.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

class Streams : public FolderTest {
 protected:
  ProgramResult streams(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "streams");
    return run_vramlab(std::move(arguments));
  }
};

/// A bucket of 1 MiB is freed while it is still being sent, and another has to be got beside it.
std::string snapshot(bool with_time) {
  const auto entry = [&](const std::string& action, std::uint64_t address, std::uint64_t size,
                         std::uint64_t time_us, const std::string& line) {
    std::string text = R"({"action": ")" + action + R"(", "addr": )" + std::to_string(address) +
                       R"(, "size": )" + std::to_string(size) + R"(, "stream": 0)";
    if (with_time) text += R"(, "time_us": )" + std::to_string(time_us);
    return text + R"(, "frames": [{"name": "empty", "filename": "/x/site-packages/torch/t.py",
      "line": 1}, {"name": "send", "filename": "/home/me/net/buckets.py", "line": )" +
           line + "}]}";
  };
  constexpr std::uint64_t base = 139637976727552;
  constexpr std::uint64_t mib = 1 << 20;
  return R"({"segments": [{"device": 0, "address": 139637976727552, "total_size": 2097152,
    "allocated_size": 1048576, "active_size": 1048576, "requested_size": 1048576, "stream": 0,
    "segment_type": "small", "segment_pool_id": [0, 0], "is_expandable": false, "blocks": [
    {"address": 139637976727552, "size": 1048576, "requested_size": 1048576, "state": "inactive"},
    {"address": 139637977776128, "size": 1048576, "requested_size": 1048576,
     "state": "active_allocated"}]}],
    "device_traces": [[)" +
         entry("segment_alloc", base, 2 * mib, 100, "50") + "," +
         entry("alloc", base, mib, 100, "51") + "," +
         entry("free_requested", base, mib, 1000, "52") + "," +
         entry("alloc", base + mib, mib, 2000, "51") + "," +
         entry("free_completed", base, mib, 1'001'000, "53") + "]]}";
}

TEST_F(Streams, says_what_waiting_holds_and_where_it_comes_from) {
  const ProgramResult result = streams({write("file.json", snapshot(true))});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  for (const char* part :
       {"device 0: 1 of 1 free waited for other streams", "1.00 MiB at event 2", "1.00 MiB-seconds",
        "1.00 s to 1.00 s, median 1.00 s", "2 to 2 events, median 2",
        "if these frees completed at once (exact", "1.00 MiB less",
        "allocated at net/buckets.py:51 send", "freed at net/buckets.py:52 send",
        "* 100 % of the cost is memory allocated at net/buckets.py:51 send", "wait_event"})
    EXPECT_NE(result.output.find(part), std::string::npos) << part << "\n" << result.output;
}

TEST_F(Streams, gives_the_same_figures_as_json) {
  const ProgramResult result = streams({"--json", write("file.json", snapshot(true))});
  const auto document = nlohmann::json::parse(result.output);
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["kind"], "recording");
  const auto& device = document["devices"][0];
  EXPECT_EQ(device["waited"]["frees"], 1);
  EXPECT_EQ(device["waited"]["byte_seconds"], 1048576);
  EXPECT_EQ(device["waited"]["byte_microseconds_rest"], 0);
  EXPECT_EQ(device["waited"]["byte_events"], 2 * 1048576);
  EXPECT_EQ(device["max_bytes"], 1048576);
  EXPECT_EQ(device["wait_us"]["median"], 1'000'000);
  EXPECT_EQ(device["if_completed_at_once"]["label"], "exact");
  EXPECT_EQ(device["if_completed_at_once"]["as_recorded"]["peak_active_bytes"], 2 * 1048576);
  EXPECT_EQ(device["if_completed_at_once"]["at_once"]["peak_active_bytes"], 1048576);
  EXPECT_EQ(device["call_sites"][0]["allocated_at"], "net/buckets.py:51 send");
  EXPECT_EQ(device["streams"][0]["stream"], 0);
}

TEST_F(Streams, says_the_same_of_every_form_that_holds_a_recording) {
  const std::string file = write("file.json", snapshot(true));
  const auto expected = nlohmann::json::parse(streams({"--json", file}).output)["devices"];
  for (const char* ending : {".pickle", ".vtrace", ".vtrace.jsonl"}) {
    const std::string converted = file + ending;
    ASSERT_EQ(run_vramlab({"convert", file, "-o", converted, "--force"}).exit_status, 0);
    EXPECT_EQ(nlohmann::json::parse(streams({"--json", converted}).output)["devices"], expected)
        << ending;
  }
}

TEST_F(Streams, counts_in_events_where_entries_have_no_time_and_says_so) {
  const std::string file = write("file.json", snapshot(false));
  const ProgramResult result = streams({file});
  EXPECT_NE(result.output.find("entries have no time"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("2.00 MiB-events"), std::string::npos) << result.output;
  const auto device = nlohmann::json::parse(streams({"--json", file}).output)["devices"][0];
  EXPECT_TRUE(device["waited"]["byte_seconds"].is_null());
  EXPECT_TRUE(device["span_us"].is_null());
  EXPECT_EQ(device["held"]["unit"], "events");
}

TEST_F(Streams, tells_a_file_without_history_from_one_in_which_nothing_waited) {
  const ProgramResult nothing = streams(
      {write("a.json", R"({"segments": [], "device_traces": [[{"action": "alloc", "addr": 4096,
      "size": 4, "stream": 0, "time_us": 1},
      {"action": "free_requested", "addr": 4096, "size": 4, "stream": 0, "time_us": 2},
      {"action": "free_completed", "addr": 4096, "size": 4, "stream": 0, "time_us": 3}]]})")});
  EXPECT_NE(nothing.output.find("none of 1 free waited"), std::string::npos) << nothing.output;
  const ProgramResult without =
      streams({write("b.json", R"({"segments": [], "device_traces": [[]]})")});
  EXPECT_NE(without.output.find("no history"), std::string::npos) << without.output;
  EXPECT_EQ(without.exit_status, 0);
}

TEST_F(Streams, says_why_a_history_that_cannot_be_is_not_replayed) {
  const ProgramResult result = streams({write("file.json", R"({"segments": [], "device_traces": [[
      {"action": "free_requested", "addr": 0, "size": 9223372036854775807, "stream": 0, "time_us": 1},
      {"action": "alloc", "addr": 512, "size": 4, "stream": 0, "time_us": 5}]]})")});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("nothing was replayed"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("1 of 1 free waited"), std::string::npos) << result.output;
}

TEST_F(Streams, refuses_bad_input_and_an_unknown_version) {
  EXPECT_EQ(streams({write("file.txt", "nothing")}).exit_status, 2);
  EXPECT_EQ(streams({write("file.cut", snapshot(true).substr(0, 900))}).exit_status, 2);
  EXPECT_EQ(streams({"--reference", "1.0", write("file.json", snapshot(true))}).exit_status, 2);
  EXPECT_EQ(streams({}).exit_status, 2);
}

}  // namespace
}  // namespace vramlab::tests
