// The text form of a native trace keeps everything, and its reader believes nothing.
#include "traces/native/native_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fuzz/native_rewriting.h"
#include "tests/support/fuzz/snapshot_listing.h"
#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/memory_source.h"
#include "tests/support/recordings/native_samples.h"
#include "tests/support/recordings/pickle_writer.h"
#include "traces/filters/record_filter.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"
#include "traces/model/program_event.h"
#include "traces/pickle/snapshot_pickle.h"

namespace vramlab::traces {
namespace {

using support::rewrite_native_text;
using testing::HasSubstr;

std::string text_as_pickle(const std::string& text) {
  SnapshotTables tables;
  support::CollectedBytes output;
  const auto writer = make_trace_writer(TraceFormat::snapshot_pickle, output, tables);
  const auto source = support::make_memory_source(text);
  read_native_text(*source, "file", tables, writer->sinks());
  writer->finish();
  return output.bytes;
}

std::string pickle_as_text(const std::string& pickle) {
  SnapshotTables tables;
  support::CollectedBytes output;
  const auto writer = make_trace_writer(TraceFormat::native_text, output, tables);
  const auto source = support::make_memory_source(pickle);
  read_snapshot_pickle(*source, "file", tables, writer->sinks().recorded);
  writer->finish();
  return output.bytes;
}

TEST(NativeText, every_shape_of_a_snapshot_reads_back_as_it_was) {
  const std::string text = support::sample_bytes(support::every_shape);
  ASSERT_THAT(text, HasSubstr("$pairs"));
  const auto again = rewrite_native_text(text);
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(again.text, text);
}

TEST(NativeText, every_shape_goes_through_a_pickle_unharmed) {
  const std::string text = support::sample_bytes(support::every_shape);
  EXPECT_EQ(pickle_as_text(text_as_pickle(text)), text);
}

TEST(NativeText, snapshots_of_both_producers_come_back_with_all_their_values) {
  for (const auto& tree : {support::small_snapshot(), support::PickleTree::object(),
                           support::small_snapshot()["segments"]}) {
    for (const std::string& pickle : {support::python_pickle(tree), support::cpp_pickle(tree)}) {
      const auto back = support::read_pickle_bytes(text_as_pickle(pickle_as_text(pickle)));
      EXPECT_EQ(back.error, "");
      EXPECT_EQ(back.lines, support::read_pickle_bytes(pickle).lines);
    }
  }
}

TEST(NativeText, every_kind_of_event_of_a_program_reads_back_as_it_was) {
  const std::string text = support::sample_bytes(support::whole_program);
  for (std::size_t kind = 0; kind < program_event_kind_count; ++kind)
    ASSERT_THAT(
        text,
        HasSubstr("{\"" + std::string(program_event_name(static_cast<ProgramEventKind>(kind)))));
  const auto again = rewrite_native_text(text);
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(again.text, text);
}

TEST(NativeText, header_and_events_reach_the_sink) {
  SnapshotTables tables;
  SnapshotSink recorded;
  ProgramCounter program;
  const auto source = support::make_memory_source(support::sample_bytes(support::whole_program));
  read_native_text(*source, "file", tables, {recorded, program});
  const ProgramSummary& summary = program.summary();
  EXPECT_EQ(summary.header.settings, "max_split_size_mb:64");
  ASSERT_EQ(summary.header.devices.size(), 2U);
  EXPECT_EQ(summary.header.devices[0].memory, allocator::Bytes{80ULL << 30});
  EXPECT_EQ(summary.event_count(), 57U);
  EXPECT_EQ(summary.requested, allocator::Bytes{4096 + 1048576});
  ASSERT_TRUE(summary.times.has_value());
  EXPECT_EQ(summary.times->first_ns, 10U);
  EXPECT_EQ(summary.times->last_ns, UINT64_MAX);
}

TEST(NativeText, snapshots_have_no_place_for_a_program) {
  EXPECT_THROW(text_as_pickle(support::sample_bytes(support::whole_program)), InputError);
}

TEST(NativeText, a_program_can_lose_its_stacks) {
  SnapshotTables tables;
  support::CollectedBytes output;
  const auto writer = make_trace_writer(TraceFormat::native_text, output, tables);
  StrippedFrames stripped(writer->sinks());
  const auto source = support::make_memory_source(support::sample_bytes(support::whole_program));
  read_native_text(*source, "file", tables, stripped.sinks());
  writer->finish();
  EXPECT_EQ(output.bytes.find("train.py"), std::string::npos);
  EXPECT_THAT(output.bytes, HasSubstr("{\"malloc\":1,\"bytes\":4096,\"time_ns\":10}"));
}

TEST(NativeText, it_does_not_matter_how_the_bytes_arrive) {
  for (const char* name : {support::every_shape, support::whole_program}) {
    const std::string text = support::sample_bytes(name);
    EXPECT_EQ(rewrite_native_text(text, 1).text, text);
    EXPECT_EQ(rewrite_native_text(text, 7).text, text);
  }
}

TEST(NativeText, an_error_is_the_same_however_the_bytes_arrive) {
  const std::string text = support::sample_bytes(support::whole_program);
  for (std::size_t cut = 1; cut < 200; cut += 3) {
    std::string broken = text;
    broken[cut] = '#';
    EXPECT_EQ(rewrite_native_text(broken, 3).error, rewrite_native_text(broken).error);
  }
}

constexpr const char* header = "{\"format\":\"vramlab-trace\",\"version\":1}\n";
const std::string ended_header = "{\"format\":\"vramlab-trace\",\"version\":1,\"has_end\":true}\n";

TEST(NativeText, spaces_blank_lines_and_other_line_ends_are_read_over) {
  const auto reading = rewrite_native_text(
      "\n{ \"format\" : \"vramlab-trace\", \"version\": 1 }\r\n\n { \"free\" : 1 } \r\n\n");
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.text, ended_header + "{\"free\":1}\n{\"end\":true}\n");
}

TEST(NativeText, the_last_line_needs_no_end) {
  EXPECT_EQ(rewrite_native_text(std::string(header) + "{\"free\":1}").error, "");
}

TEST(NativeText, a_block_without_an_address_is_where_the_one_before_ends) {
  const auto pickle =
      text_as_pickle(std::string(header) +
                     "{\"section\":\"segments\"}\n{\"segment\":{\"address\":4096,\"blocks\":2}}\n"
                     "{\"block\":{\"size\":512}}\n{\"block\":{\"size\":1024}}\n");
  EXPECT_THAT(support::read_pickle_bytes(pickle).lines, HasSubstr("block 0x1200"));
}

TEST(NativeText, events_about_pinned_memory_need_the_second_version) {
  const std::string request = "{\"host_malloc\":1,\"bytes\":4096}\n";
  EXPECT_THAT(rewrite_native_text(header + request).error,
              HasSubstr("expected the name of a kind of record, found 'host_malloc'"));
  const std::string second = "{\"format\":\"vramlab-trace\",\"version\":2,\"has_end\":true}\n";
  const auto reading = rewrite_native_text(second + request + "{\"end\":true}\n");
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.text, second + request + "{\"end\":true}\n");
}

struct BadCase {
  std::string text;
  std::string error;
};

TEST(NativeText, what_is_wrong_is_said_with_its_line_and_byte) {
  const std::string in_traces =
      std::string(header) + "{\"section\":\"device_traces\"}\n{\"trace\":0}\n";
  const BadCase cases[] = {
      {"", "line 1, byte 0: expected a header, found the end of the file"},
      {"{\"free\":1}", "expected a header, which begins with 'format'"},
      {"{\"format\":\"vramlab-trace\",\"version\":3}", "expected version 1 to 2, found version 3"},
      {std::string(header) + "{\"free\":1", "line 2, byte 48: expected '}', found the end of"},
      {std::string(header) + "{\"fly\":1}",
       "line 2, byte 40: expected the name of a kind of record, found 'fly'"},
      {std::string(header) + "{\"malloc\":1}", "expected the field 'bytes'"},
      {std::string(header) + "{\"malloc\":1,\"bytes\":-1}", "a whole number from 0"},
      {std::string(header) + "{\"free\":1,\"bytes\":1}", "a field of this event, found 'bytes'"},
      {std::string(header) + "{\"free\":1,\"by\\ntes\":1}",
       "a field of this event, found 'by\ntes'"},
      {std::string(header) + "{\"free\":1,\"stack\":1}", "the number of a stack above, found 1"},
      {std::string(header) + "{\"text\":2,\"is\":\"x\"}", "the number 1, found 2"},
      {std::string(header) + "{\"stack\":1,\"frames\":[1]}", "the number of a frame above"},
      {std::string(header) + "{\"entry\":{\"action\":\"alloc\"}}", "below the 'trace'"},
      {in_traces + "{\"entry\":{}}", "an entry with an 'action', found none"},
      {in_traces + "{\"entry\":{\"action\":1}}", "a text under 'action', found 1"},
      {in_traces + "{\"entry\":{\"action\":\"a\",\"action\":\"a\"}}", "each key once"},
      {in_traces + "{\"trace\":0}", "the trace of device 1"},
      {in_traces + "{\"section\":\"device_traces\"}", "each section once"},
      {std::string(header) + "{\"section\":\"segments\"}\n{\"segment\":{\"blocks\":1}}",
       "another block of the segment, found the end of the file"},
      {std::string(header) + "{\"free\":1,\"device\":1,\"device\":1}", "each key once"},
      {"{\"format\":\"vramlab-trace\",\"version\":1,\"origin\":\"\",\"origin\":\"\"}",
       "each key once"},
      {std::string(header) + "{\"end\":true}\n{\"free\":1}", "nothing behind the 'end'"},
      {std::string(header) + "{\"settings\":[]}", "a dict of settings, found []"},
      {std::string(header) + "{\"value\":1,\"is\":" + std::string(70, '['), "at most 64 levels"},
      {std::string(header) + "{\"marker\":\"\xff\"}", "expected valid JSON, found '\"?'"},
      {std::string(header) + "{\"marker\":\"\\ud800\"}",
       "expected a text in UTF-8, found half a pair of surrogates"},
      {std::string(header) + "{\"memory_fraction\":1e999}", "expected valid JSON, found '1e999'"},
      {std::string(header) + "{\"free\":18446744073709551616}", "found '18446744073709551616'"},
      {std::string(header) + "{\"free\":01}", "expected valid JSON, found '01'"},
      {std::string(header) + "{\"free\":1} {\"free\":2}", "expected the end of the line"},
  };
  for (const BadCase& bad : cases)
    EXPECT_THAT(rewrite_native_text(bad.text).error, HasSubstr(bad.error)) << bad.text;
}

TEST(NativeText, every_cut_is_found) {
  const std::string text = support::sample_bytes(support::every_shape);
  // Without its line's end, the last record is whole.
  for (std::size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_THAT(rewrite_native_text(text.substr(0, size)).error, HasSubstr("byte ")) << size;
}

}  // namespace
}  // namespace vramlab::traces
