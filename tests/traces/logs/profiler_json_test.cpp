// Chrome traces of torch.profiler, by hand: which of their events become a program, and how.
#include "traces/logs/profiler_json.h"

#include <gtest/gtest.h>

#include "tests/support/fuzz/log_listing.h"
#include "tests/support/recordings/native_samples.h"

namespace vramlab::traces {
namespace {

using support::LogListing;
using support::read_profiler_bytes;

std::string memory_event(const std::string& time_us, const std::string& address,
                         const std::string& bytes, const std::string& device = "0") {
  return R"({"ph": "i", "name": "[memory]", "ts": )" + time_us +
         R"(, "args": {"Device Type": 1, "Device Id": )" + device + R"(, "Addr": )" + address +
         R"(, "Bytes": )" + bytes + "}}";
}

std::string trace_of(const std::string& events) { return R"({"traceEvents": [)" + events + "]}"; }

LogListing listed(const std::string& events) { return read_profiler_bytes(trace_of(events)); }

void expect_profiler_error(const std::string& json, const std::string& part) {
  const LogListing listing = read_profiler_bytes(json);
  EXPECT_NE(listing.error.find(part), std::string::npos) << listing.error << "\n" << json;
}

TEST(ProfilerJson, a_trace_as_the_profiler_writes_it) {
  const LogListing listing = read_profiler_bytes(support::sample_bytes("profiler.json"));
  EXPECT_EQ(listing.error, "");
  EXPECT_NE(listing.header.find(R"("origin":"torch profiler","devices":[{"device":0,)"
                                R"("memory":85029158912,"name":"NVIDIA H100 80GB HBM3"}])"),
            std::string::npos)
      << listing.header;
  EXPECT_EQ(listing.lines,
            "{\"malloc\":1,\"bytes\":512,\"time_ns\":5925203097001}\n"
            "{\"malloc\":2,\"bytes\":1024,\"time_ns\":5925203097001}\n"
            "{\"free\":1,\"time_ns\":5925203098250}\n"
            "{\"free\":2,\"time_ns\":5925203099000}\n");
  LogFacts expected;
  expected.of_other_devices = 1;
  expected.mallocs_before_begin = 1;
  EXPECT_EQ(listing.facts, expected);
}

TEST(ProfilerJson, it_does_not_matter_how_the_bytes_arrive) {
  const LogListing whole = read_profiler_bytes(support::sample_bytes("profiler.json"));
  for (std::size_t count = 1; count < 40; ++count)
    EXPECT_EQ(read_profiler_bytes(support::sample_bytes("profiler.json"), count).lines, whole.lines)
        << count;
}

TEST(ProfilerJson, a_bare_list_of_events) {
  EXPECT_EQ(read_profiler_bytes("[" + memory_event("1", "512", "7") + "]").lines,
            "{\"malloc\":1,\"bytes\":7,\"time_ns\":1000}\n");
  EXPECT_EQ(read_profiler_bytes("[]").error, "");
}

TEST(ProfilerJson, a_name_that_is_cut_within_a_character_does_no_harm) {
  const std::string cut = "{\"ph\": \"X\", \"name\": \"torch/_config.py(0): \xd0\", \"pid\": 3}, ";
  const LogListing listing = listed(cut + memory_event("1", "512", "7"));
  EXPECT_EQ(listing.error, "");
  EXPECT_EQ(listing.lines, "{\"malloc\":1,\"bytes\":7,\"time_ns\":1000}\n");
}

TEST(ProfilerJson, the_keys_of_an_event_come_in_any_order) {
  const LogListing listing = listed(
      R"({"args": {"Bytes": 7, "Addr": 512, "Device Id": 3, "Device Type": 1}, "ts": 2,
          "name": "[memory]", "ph": "i"})");
  EXPECT_EQ(listing.lines, "{\"malloc\":1,\"bytes\":7,\"device\":3,\"time_ns\":2000}\n");
}

TEST(ProfilerJson, times_are_exact_to_the_nanosecond) {
  EXPECT_EQ(listed(memory_event("1700000000000001.123", "512", "7")).lines,
            "{\"malloc\":1,\"bytes\":7,\"time_ns\":1700000000000001123}\n");
  EXPECT_EQ(ns_of_us("0.1239"), 123U);
  EXPECT_EQ(ns_of_us("18446744073709551.615"), 18446744073709551615U);
  EXPECT_EQ(ns_of_us("18446744073709551.616"), std::nullopt);
  EXPECT_EQ(ns_of_us("-1"), std::nullopt);
  EXPECT_EQ(ns_of_us("1e3"), std::nullopt);
}

TEST(ProfilerJson, events_out_of_order_are_sorted_and_those_of_one_time_stay) {
  const LogListing listing =
      listed(memory_event("5", "512", "-7") + "," + memory_event("1", "512", "7") + "," +
             memory_event("5", "512", "8"));
  EXPECT_TRUE(listing.facts.was_sorted);
  EXPECT_EQ(listing.lines,
            "{\"malloc\":1,\"bytes\":7,\"time_ns\":1000}\n{\"free\":1,\"time_ns\":5000}\n"
            "{\"malloc\":2,\"bytes\":8,\"time_ns\":5000}\n");
}

TEST(ProfilerJson, the_same_address_on_two_devices_is_two_blocks) {
  const LogListing listing =
      listed(memory_event("1", "512", "7") + "," + memory_event("2", "512", "8", "1") + "," +
             memory_event("3", "512", "-7"));
  EXPECT_EQ(listing.facts, LogFacts{});
  EXPECT_NE(listing.lines.find("{\"free\":1,\"time_ns\":3000}"), std::string::npos);
}

TEST(ProfilerJson, an_address_may_be_written_signed) {
  const LogListing listing = listed(memory_event("1", "-512", "7") + "," +
                                    memory_event("2", "18446744073709551104", "-7"));
  EXPECT_EQ(listing.facts, LogFacts{});
  EXPECT_NE(listing.lines.find("{\"free\":1,"), std::string::npos);
}

TEST(ProfilerJson, a_request_that_failed_is_a_marker) {
  const LogListing listing = listed(
      R"({"ph": "i", "name": "[OutOfMemory]", "ts": 4,
          "args": {"Device Type": 1, "Device Id": 1, "Bytes": 99}})");
  EXPECT_EQ(listing.lines, "{\"marker\":\"out of memory\",\"device\":1,\"time_ns\":4000}\n");
  EXPECT_EQ(listing.facts.failures, 1U);
}

TEST(ProfilerJson, what_looks_like_a_memory_event_but_is_none_is_passed) {
  const LogListing listing =
      listed(R"({"ph": "X", "name": "[memory]", "ts": 1, "args": {"Bytes": 1}},
                {"ph": "i", "name": "memory", "args": {"Bytes": "x", "Addr": [1]}},
                {"ph": "i", "name": 7, "args": [1, {"a": {}}, []]}, {}, )" +
             memory_event("1", "512", "0"));
  EXPECT_EQ(listing.error, "");
  EXPECT_EQ(listing.lines, "");
  EXPECT_EQ(listing.facts.empty_requests, 1U);
}

TEST(ProfilerJson, a_memory_event_that_lacks_something_is_refused_with_its_place) {
  expect_profiler_error(
      trace_of(R"({"ph": "i", "name": "[memory]", "ts": 1, "args": {"Device Type": 1}})"),
      "file at byte 17: expected a memory event with a number from 0 to 2^32 - 1 under "
      "'Device Id'");
  expect_profiler_error(trace_of(memory_event("-1", "1", "1")), "under 'ts', found -1");
  expect_profiler_error(trace_of(memory_event("\"1\"", "1", "1")), "under 'ts', found '1'");
  expect_profiler_error(trace_of(memory_event("1", "1.5", "1")), "under 'Addr', found 1.5");
  expect_profiler_error(trace_of(memory_event("1", "1", "null")), "under 'Bytes', found None");
  expect_profiler_error(trace_of(memory_event("1", "[]", "1")), "under 'Addr', found a list");
  expect_profiler_error(trace_of(memory_event("1", "1", "1", "4294967296")),
                        "under 'Device Id', found 4294967296");
  expect_profiler_error(trace_of(R"({"ph": "i", "name": "[memory]"})"),
                        "under 'Device Type', found none");
}

TEST(ProfilerJson, broken_files_are_refused_with_their_place) {
  expect_profiler_error(R"({"schemaVersion": 1})",
                        "expected a list under 'traceEvents', found none");
  expect_profiler_error(R"({"traceEvents": [], "traceEvents": []})", "'traceEvents' again");
  expect_profiler_error(R"({"traceEvents": [1]})", "expected an event: a dict");
  expect_profiler_error(R"({"traceEvents": [{})", "found the end of the text");
  expect_profiler_error(trace_of(memory_event("1", "18446744073709551616", "1")),
                        "under 'Addr', found 18446744073709551616");
  expect_profiler_error("{\"a\": " + std::string(2000, '['), "at most 1000 levels");
  expect_profiler_error("3", "expected a Chrome trace");
  const std::string whole = support::sample_bytes("profiler.json");
  for (std::size_t size = 0; size + 2 < whole.size(); size += 7)
    EXPECT_NE(read_profiler_bytes(whole.substr(0, size)).error, "") << size;
}

TEST(ProfilerJson, devices_of_which_little_is_known) {
  const std::string devices =
      R"([{"id": 1}, {"name": "x"}, {"id": 1, "name": "again"}, 3, {"id": -1}, {}])";
  const LogListing listing =
      read_profiler_bytes(R"({"deviceProperties": )" + devices + R"(, "traceEvents": []})");
  EXPECT_NE(listing.header.find(R"("devices":[{"device":1}])"), std::string::npos)
      << listing.header;
}

}  // namespace
}  // namespace vramlab::traces
