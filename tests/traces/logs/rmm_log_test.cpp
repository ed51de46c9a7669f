// Logs of RAPIDS' memory manager: read from lines by hand, written line by line and read back.
#include "traces/logs/rmm_log.h"

#include <gtest/gtest.h>

#include "tests/support/fuzz/log_listing.h"
#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/memory_source.h"
#include "tests/support/recordings/native_samples.h"
#include "traces/io/input_error.h"
#include "traces/logs/times_of_day.h"
#include "traces/native/native_text.h"

namespace vramlab::traces {
namespace {

using support::LogListing;
using support::read_rmm_bytes;

const std::string log_header = "Thread,Time,Action,Pointer,Size,Stream\n";

std::string lines_of(const std::string& rows) {
  const LogListing listing = read_rmm_bytes(log_header + rows);
  EXPECT_EQ(listing.error, "");
  return listing.lines;
}

void expect_log_error(const std::string& rows, const std::string& part) {
  const LogListing listing = read_rmm_bytes(log_header + rows);
  EXPECT_NE(listing.error.find(part), std::string::npos) << listing.error << "\n" << rows;
}

TEST(RmmLog, a_log_of_two_threads_over_midnight) {
  const LogListing listing = read_rmm_bytes(support::sample_bytes("rmm.csv"));
  EXPECT_EQ(listing.error, "");
  EXPECT_NE(listing.header.find("\"origin\":\"RMM log\""), std::string::npos);
  EXPECT_EQ(listing.lines,
            "{\"malloc\":1,\"bytes\":1048576,\"time_ns\":86399999998000}\n"
            "{\"malloc\":2,\"bytes\":2048,\"stream\":2,\"time_ns\":86399999999000}\n"
            "{\"free\":1,\"time_ns\":86400000003000}\n"
            "{\"marker\":\"out of memory\",\"time_ns\":86400000003000}\n"
            "{\"free\":2,\"time_ns\":86401500000000}\n");
  LogFacts expected;
  expected.failures = 1;
  EXPECT_EQ(listing.facts, expected);
}

TEST(RmmLog, it_does_not_matter_how_the_bytes_arrive) {
  const LogListing whole = read_rmm_bytes(support::sample_bytes("rmm.csv"));
  for (std::size_t count = 1; count < 50; ++count)
    EXPECT_EQ(read_rmm_bytes(support::sample_bytes("rmm.csv"), count).lines, whole.lines) << count;
}

TEST(RmmLog, a_pipe_is_read_as_a_file_is) {
  std::string log = log_header + "1,00:00:01:0,free,7,5,0\n1,00:00:00:0,free,8,6,0\n";
  const LogListing file = support::read_rmm_bytes(log);
  const LogListing pipe = support::read_piped_rmm_bytes(log, 3);
  EXPECT_EQ(pipe.lines, file.lines);
  EXPECT_EQ(pipe.facts, file.facts);
  EXPECT_EQ(file.facts.mallocs_before_begin, 2U);
  log += "x";
  EXPECT_EQ(support::read_piped_rmm_bytes(log).error, support::read_rmm_bytes(log).error);
}

TEST(RmmLog, lines_may_end_as_on_windows_be_blank_or_lack_their_end) {
  const LogListing listing = read_rmm_bytes(
      "\xEF\xBB\xBF"
      "Thread,Time,Action,Pointer,Size,Stream\r\n\r\n1,00:00:00:000001,allocate,0x10,5,0\r\n\n"
      "1,00:00:00:000002,free,0x10,5,0");
  EXPECT_EQ(listing.error, "");
  EXPECT_EQ(listing.lines,
            "{\"malloc\":1,\"bytes\":5,\"time_ns\":1000}\n{\"free\":1,\"time_ns\":2000}\n");
  EXPECT_EQ(read_rmm_bytes(log_header).lines, "");
}

TEST(RmmLog, a_day_may_follow_a_day_and_a_late_line_does_not_make_one) {
  EXPECT_EQ(lines_of("1,01:00:00:000000,allocate,1,5,0\n1,14:00:00:000000,allocate,2,5,0\n"
                     "1,13:00:00:000000,allocate,3,5,0\n1,12:59:30:000000,allocate,4,5,0\n"),
            "{\"malloc\":1,\"bytes\":5,\"time_ns\":3600000000000}\n"
            "{\"malloc\":2,\"bytes\":5,\"time_ns\":50400000000000}\n"
            "{\"malloc\":3,\"bytes\":5,\"time_ns\":133200000000000}\n"
            "{\"malloc\":4,\"bytes\":5,\"time_ns\":133200000000000}\n");
  EXPECT_EQ(lines_of("1,00:00:00:000001,allocate,1,5,0\n2,23:59:59:999999,allocate,2,5,0\n"),
            "{\"malloc\":1,\"bytes\":5,\"time_ns\":1000}\n"
            "{\"malloc\":2,\"bytes\":5,\"time_ns\":1000}\n");
}

TEST(RmmLog, memory_freed_on_another_stream_was_used_there) {
  EXPECT_EQ(lines_of("1,00:00:00:0,allocate,a,5,1\n1,00:00:00:0,free,0xA,5,0xf\n"),
            "{\"malloc\":1,\"bytes\":5,\"stream\":1,\"time_ns\":0}\n"
            "{\"use\":1,\"stream\":15,\"time_ns\":0}\n{\"free\":1,\"time_ns\":0}\n");
}

TEST(RmmLog, requests_of_nothing_are_left_out) {
  const LogListing listing =
      read_rmm_bytes(log_header + "1,00:00:00:0,allocate,(nil),0,0\n1,00:00:00:0,free,0x0,0,0\n");
  EXPECT_EQ(listing.lines, "");
  EXPECT_EQ(listing.facts.empty_requests, 2U);
}

TEST(RmmLog, values_that_mean_nothing_are_refused_with_their_line) {
  expect_log_error(
      "1,00:00:00:0,allocate,1,5,0\n1,24:00:00:0,realloc,2,5,0\n",
      "file at byte 67 (line 3): expected 'allocate', 'free' or 'allocate failure', found "
      "'realloc'");
  expect_log_error("1,00:00:00:0,allocate,0x,5,0\n", "expected a pointer, found '0x'");
  expect_log_error("1,00:00:00:0,allocate,10000000000000000,5,0\n", "expected a pointer");
  expect_log_error("1,00:00:00:0,allocate,1,-5,0\n", "expected a size in bytes, found '-5'");
  expect_log_error("1,00:00:00:0,allocate,1,18446744073709551616,0\n", "expected a size in bytes");
  expect_log_error("1,00:00:00:0,allocate,1,5,\n", "expected a stream, found ''");
  expect_log_error("1,00:00:00:0,allocate,1,5\n", "6 values between commas, found 'fewer'");
  expect_log_error("1,00:00:00:0,allocate,1,5,0,7\n", "found 'more'");
  expect_log_error("\x01\n", "found 'fewer'");
  std::string long_line(500'000, 'x');
  expect_log_error(long_line, "a line of at most 4096 bytes");
  long_line.back() = '\n';
  expect_log_error(long_line, "a line of at most 4096 bytes");
  EXPECT_NE(read_rmm_bytes("Thread,Time\n").error.find("at byte 0 (line 1)"), std::string::npos);
}

TEST(RmmLog, line_with_what_is_no_time_is_an_event_without_one) {
  const std::string rows =
      log_header + "1,24:00:00:0,free,3,5,0\n1,00:00:01:0,allocate,1,5,0\n1,,free,1,5,0\n";
  const LogListing listing = read_rmm_bytes(rows);
  EXPECT_EQ(listing.error, "");
  EXPECT_EQ(listing.lines,
            "{\"malloc\":1,\"bytes\":5}\n"
            "{\"free\":1}\n{\"malloc\":2,\"bytes\":5,\"time_ns\":1000000000}\n{\"free\":2}\n");
}

TEST(RmmLog, times_and_streams_are_written_in_several_ways) {
  EXPECT_EQ(time_of_day_ns("10:36:59:123456"), 38219123456000U);
  EXPECT_EQ(time_of_day_ns("10:36:59.123456789"), 38219123456789U);
  EXPECT_EQ(time_of_day_ns("10:36:59"), 38219000000000U);
  for (const char* letters : {"", "10:36:5", "10:36:60:0", "10:60:00:0", "1:36:59:0", "10-36-59:0",
                              "10:36:59:", "10:36:59:1234567890", "10:36:59 1", "+1:00:00:0"})
    EXPECT_EQ(time_of_day_ns(letters), std::nullopt) << letters;
  EXPECT_EQ(rmm::stream("12"), 12U);
  EXPECT_EQ(rmm::stream("0x12"), 18U);
  EXPECT_EQ(rmm::stream("ff"), 255U);
  EXPECT_EQ(rmm::stream("x"), std::nullopt);
  EXPECT_EQ(rmm::time_text(38219123456789), "10:36:59:123456");
  EXPECT_EQ(rmm::time_text(86400000003000), "00:00:00:000003");
}

/// The rows of the log that these lines of a native trace become.
std::string rows_of(const std::string& native_lines) {
  const auto source =
      support::make_memory_source("{\"format\":\"vramlab-trace\",\"version\":1}\n" + native_lines);
  SnapshotTables tables;
  support::CollectedBytes output;
  const auto writer = make_rmm_writer(output, tables);
  read_native_text(*source, "file", tables, writer->sinks());
  writer->finish();
  EXPECT_TRUE(output.bytes.starts_with(log_header));
  return output.bytes.substr(log_header.size());
}

std::string error_of(const std::string& native_lines) {
  try {
    rows_of(native_lines);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string recorded(const std::string& entries) {
  return "{\"section\":\"device_traces\"}\n{\"trace\":0}\n" + entries;
}

std::string entry(const std::string& action, const std::string& fields) {
  return "{\"entry\":{\"action\":\"" + action + "\"," + fields + "}}\n";
}

TEST(RmmWriter, recorded_entries_keep_addresses_times_and_streams) {
  const std::string block = R"("addr":139835000000000,"size":1000,"stream":7,"time_us":)";
  EXPECT_EQ(rows_of(recorded(entry("segment_alloc", block + "1") + entry("alloc", block + "1") +
                             entry("free_requested", block + "3600000002") +
                             entry("free_completed", block + "3600000003") +
                             entry("oom", R"("device_free":5,"size":77,"stream":0,"time_us":)"
                                          "1700000000123456") +
                             entry("snapshot", block + "9"))),
            "0,00:00:00:000001,allocate,0x7f2ddf808e00,1000,7\n"
            "0,01:00:00:000002,free,0x7f2ddf808e00,1000,7\n"
            "0,22:13:20:123456,allocate failure,0x0,77,0\n");
}

TEST(RmmWriter, a_free_that_was_only_completed_is_one_too) {
  const std::string block = R"("addr":512,"size":5,"stream":0,"time_us":1)";
  EXPECT_EQ(rows_of(recorded(entry("alloc", block) + entry("free_completed", block) +
                             entry("alloc", block) + entry("free_requested", block))),
            "0,00:00:00:000001,allocate,0x200,5,0\n0,00:00:00:000001,free,0x200,5,0\n"
            "0,00:00:00:000001,allocate,0x200,5,0\n0,00:00:00:000001,free,0x200,5,0\n");
}

TEST(RmmWriter, mallocs_of_a_program_get_pointers_of_their_own) {
  EXPECT_EQ(rows_of("{\"malloc\":1,\"bytes\":5,\"stream\":3,\"time_ns\":1999}\n"
                    "{\"free\":1}\n{\"malloc\":1,\"bytes\":6,\"time_ns\":4000}\n"
                    "{\"use\":1,\"stream\":8}\n{\"work\":8,\"duration_ns\":5}\n"
                    "{\"free\":1,\"time_ns\":5000}\n{\"marker\":\"m\"}\n"
                    "{\"marker\":\"out of memory\"}\n"),
            "0,00:00:00:000001,allocate,0x200,5,3\n0,00:00:00:000001,free,0x200,5,3\n"
            "0,00:00:00:000004,allocate,0x400,6,0\n0,00:00:00:000005,free,0x400,6,8\n"
            "0,00:00:00:000005,allocate failure,0x0,0,0\n");
}

TEST(RmmWriter, what_was_written_reads_back_as_the_same_program) {
  const std::string program =
      "{\"malloc\":1,\"bytes\":5,\"stream\":3,\"time_ns\":1000}\n"
      "{\"malloc\":2,\"bytes\":6,\"time_ns\":4000}\n"
      "{\"use\":1,\"stream\":8,\"time_ns\":5000}\n{\"free\":1,\"time_ns\":5000}\n"
      "{\"marker\":\"out of memory\",\"time_ns\":6000}\n{\"free\":2,\"time_ns\":7000}\n";
  const std::string log = log_header + rows_of(program);
  EXPECT_EQ(support::read_rmm_bytes(log).lines, program);
}

TEST(RmmWriter, events_of_a_second_device_are_refused) {
  EXPECT_EQ(error_of("{\"malloc\":1,\"bytes\":5}\n{\"malloc\":2,\"bytes\":5,\"device\":1}\n"),
            "the recording: expected events of one device, as an RMM log has (--device picks one), "
            "found some of device 0 and some of device 1");
}

TEST(RmmWriter, ids_that_no_malloc_gave_are_refused) {
  EXPECT_NE(error_of("{\"free\":3}\n").find("found 'free' of 3"), std::string::npos);
  EXPECT_NE(error_of("{\"use\":3}\n").find("found 'use' of 3"), std::string::npos);
  EXPECT_NE(error_of("{\"malloc\":1,\"bytes\":5}\n{\"malloc\":1,\"bytes\":5}\n")
                .find("found another one of 1"),
            std::string::npos);
}

}  // namespace
}  // namespace vramlab::traces
