// Pinned host memory of recordings and programs, seen as that of a device.
#include "traces/filters/host_recording.h"

#include <gtest/gtest.h>

#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/memory_source.h"
#include "traces/formats/trace_formats.h"
#include "traces/native/native_text.h"

namespace vramlab::traces {
namespace {

constexpr const char* host_header =
    "{\"format\":\"vramlab-trace\",\"version\":2,\"has_end\":true}\n";

std::string shown_as_device(const std::string& records) {
  SnapshotTables tables;
  support::CollectedBytes output;
  const auto writer = make_trace_writer(TraceFormat::native_text, output, tables);
  HostRecording host(tables, writer->sinks());
  const auto source = support::make_memory_source(host_header + records + "{\"end\":true}\n");
  read_native_text(*source, "file", tables, host.sinks());
  writer->finish();
  const std::string end = "{\"end\":true}\n";
  return output.bytes.substr(output.bytes.find('\n') + 1,
                             output.bytes.size() - output.bytes.find('\n') - 1 - end.size());
}

TEST(HostRecordings, blocks_become_segments_and_entries_those_of_device_0) {
  EXPECT_EQ(
      shown_as_device(
          "{\"section\":\"segments\"}\n"
          "{\"segment\":{\"device\":0,\"address\":4096,\"total_size\":2097152}}\n"
          "{\"unknown_section\":[{\"device\":-1,\"address\":8192,\"total_size\":1024,\"stream\":0,"
          "\"segment_pool_id\":{\"$tuple\":[0,3]},\"blocks\":[{\"address\":8192,\"size\":1024,"
          "\"state\":\"active_allocated\",\"frames\":[]}]}],\"key\":\"host_segments\"}\n"
          "{\"unknown_section\":[{\"action\":\"alloc\",\"addr\":8192,\"size\":1024,\"stream\":0,"
          "\"time_us\":5,\"frames\":[{\"name\":\"pin\",\"filename\":\"a.py\",\"line\":7}],"
          "\"device\":-1}],\"key\":\"host_traces\"}\n"),
      "{\"section\":\"segments\"}\n"
      "{\"segment\":{\"device\":0,\"address\":8192,\"total_size\":1024,\"allocated_size\":1024,"
      "\"active_size\":1024,\"requested_size\":1024,\"stream\":0,\"segment_type\":\"large\","
      "\"segment_pool_id\":[0,3],\"is_expandable\":false,\"frames\":0,\"blocks\":1}}\n"
      "{\"block\":{\"address\":8192,\"size\":1024,\"requested_size\":1024,"
      "\"state\":\"active_allocated\",\"frames\":0}}\n"
      "{\"section\":\"device_traces\"}\n{\"trace\":0}\n"
      "{\"frame\":1,\"is\":{\"name\":\"pin\",\"filename\":\"a.py\",\"line\":7}}\n"
      "{\"stack\":1,\"frames\":[1]}\n"
      "{\"entry\":{\"action\":\"alloc\",\"addr\":8192,\"size\":1024,\"stream\":0,\"time_us\":5,"
      "\"pool_id\":[0,0],\"frames\":1}}\n");
}

/// How many bytes of such a block are allocated, active and there.
std::string sizes_of(const std::string& state) {
  const std::string shown = shown_as_device(
      "{\"unknown_section\":[{\"address\":4096,\"total_size\":512,\"blocks\":[{\"state\":\"" +
      state + "\"}]}],\"key\":\"host_segments\"}\n");
  const std::size_t begin = shown.find("\"total_size\"");
  return shown.substr(begin, shown.find(",\"requested", begin) - begin);
}

TEST(HostRecordings, a_block_that_waits_for_streams_is_active_and_one_that_is_cached_is_not) {
  EXPECT_EQ(sizes_of("active_pending_free"),
            "\"total_size\":512,\"allocated_size\":0,\"active_size\":512");
  EXPECT_EQ(sizes_of("inactive"), "\"total_size\":512,\"allocated_size\":0,\"active_size\":0");
}

TEST(HostRecordings, requests_of_a_program_become_those_of_device_0) {
  EXPECT_EQ(shown_as_device("{\"malloc\":1,\"bytes\":512}\n{\"marker\":\"step\"}\n"
                            "{\"host_malloc\":1,\"bytes\":100,\"device\":1}\n{\"work\":7,"
                            "\"duration_ns\":5}\n{\"host_use\":1,\"stream\":7}\n{\"host_free\":1}\n"
                            "{\"free\":1}\n"),
            "{\"marker\":\"step\"}\n{\"malloc\":1,\"bytes\":100}\n{\"use\":1,\"stream\":7}\n"
            "{\"free\":1}\n");
}

TEST(HostRecordings, sections_of_another_shape_show_nothing) {
  EXPECT_EQ(shown_as_device("{\"unknown_section\":{\"a\":1},\"key\":\"host_segments\"}\n"
                            "{\"unknown_section\":[],\"key\":\"other\"}\n"),
            "");
  EXPECT_EQ(shown_as_device("{\"unknown_section\":[null,7],\"key\":\"host_traces\"}\n"),
            "{\"section\":\"device_traces\"}\n{\"trace\":0}\n"
            "{\"entry\":{\"action\":\"\",\"addr\":0,\"size\":0,\"stream\":0,\"time_us\":0,"
            "\"pool_id\":[0,0]}}\n"
            "{\"entry\":{\"action\":\"\",\"addr\":0,\"size\":0,\"stream\":0,\"time_us\":0,"
            "\"pool_id\":[0,0]}}\n");
}

}  // namespace
}  // namespace vramlab::traces
