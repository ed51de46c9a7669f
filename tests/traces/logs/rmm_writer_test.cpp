// What is written as a log of RAPIDS' memory manager, line by line, and read back.
#include "traces/logs/rmm_log.h"

#include <gtest/gtest.h>

#include "tests/support/fuzz/log_listing.h"
#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/memory_source.h"
#include "traces/io/input_error.h"
#include "traces/native/native_text.h"

namespace vramlab::traces {
namespace {

const std::string header = "Thread,Time,Action,Pointer,Size,Stream\n";

/// The rows of what these lines of a native trace are written as.
std::string rows_of(const std::string& native_lines) {
  const auto source =
      support::make_memory_source("{\"format\":\"vramlab-trace\",\"version\":1}\n" + native_lines);
  SnapshotTables tables;
  support::CollectedBytes output;
  const auto writer = make_rmm_writer(output, tables);
  read_native_text(*source, "file", tables, writer->sinks());
  writer->finish();
  EXPECT_TRUE(output.bytes.starts_with(header));
  return output.bytes.substr(header.size());
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
  const std::string log = header + rows_of(program);
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
