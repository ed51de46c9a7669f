// A part of a recording: the events that stay, and that those of the same memory stay together.
#include "traces/filters/record_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/memory_source.h"
#include "traces/formats/trace_formats.h"
#include "traces/native/native_text.h"

namespace vramlab::traces {
namespace {

constexpr const char* header = "{\"format\":\"vramlab-trace\",\"version\":2,\"has_end\":true}\n";
constexpr const char* end = "{\"end\":true}\n";

std::string filtered(const std::string& records, const RecordFilter& filter) {
  SnapshotTables tables;
  support::CollectedBytes output;
  const auto writer = make_trace_writer(TraceFormat::native_text, output, tables);
  FilteredRecording kept(filter, "file", tables.texts, writer->sinks());
  const auto source = support::make_memory_source(header + records + end);
  read_native_text(*source, "file", tables, kept.sinks());
  writer->finish();
  return output.bytes.substr(
      std::string(header).size(),
      output.bytes.size() - std::string(header).size() - std::string(end).size());
}

RecordFilter span_ns(std::optional<std::uint64_t> from, std::optional<std::uint64_t> to) {
  RecordFilter filter;
  filter.from_ns = from;
  filter.to_ns = to;
  return filter;
}

const std::string segments =
    "{\"section\":\"segments\"}\n{\"segment\":{\"device\":0,\"stream\":0}}\n"
    "{\"segment\":{\"device\":1,\"stream\":7}}\n";
const std::string first_entry =
    "{\"entry\":{\"action\":\"alloc\",\"stream\":0,\"time_us\":1000}}\n";
const std::string second_entry =
    "{\"entry\":{\"action\":\"alloc\",\"stream\":7,\"time_us\":1010}}\n";
const std::string third_entry =
    "{\"entry\":{\"action\":\"alloc\",\"stream\":7,\"time_us\":1020}}\n";
const std::string recorded = segments + "{\"section\":\"device_traces\"}\n{\"trace\":0}\n" +
                             first_entry + second_entry + "{\"trace\":1}\n" + third_entry;

TEST(RecordFilter, without_a_wish_everything_stays) { EXPECT_EQ(filtered(recorded, {}), recorded); }

TEST(RecordFilter, a_span_is_counted_from_the_first_event_and_its_end_is_not_in_it) {
  EXPECT_EQ(filtered(recorded, span_ns(10'000, std::nullopt)),
            segments + "{\"section\":\"device_traces\"}\n{\"trace\":0}\n" + second_entry +
                "{\"trace\":1}\n" + third_entry);
  EXPECT_EQ(filtered(recorded, span_ns(10'000, 20'000)),
            "{\"section\":\"segments\"}\n{\"section\":\"device_traces\"}\n{\"trace\":0}\n" +
                second_entry + "{\"trace\":1}\n");
}

TEST(RecordFilter, a_span_that_begins_between_two_microseconds_leaves_the_first_out) {
  EXPECT_EQ(filtered(recorded, span_ns(9'001, std::nullopt)),
            filtered(recorded, span_ns(10'000, std::nullopt)));
  EXPECT_EQ(filtered(recorded, span_ns(10'001, std::nullopt)),
            filtered(recorded, span_ns(11'000, std::nullopt)));
}

TEST(RecordFilter, the_lists_of_other_devices_stay_but_empty) {
  RecordFilter filter;
  filter.device = 1;
  EXPECT_EQ(filtered(recorded, filter),
            "{\"section\":\"segments\"}\n{\"segment\":{\"device\":1,\"stream\":7}}\n"
            "{\"section\":\"device_traces\"}\n{\"trace\":0}\n{\"trace\":1}\n" +
                third_entry);
}

TEST(RecordFilter, one_stream_keeps_its_segments_and_events) {
  RecordFilter filter;
  filter.stream = allocator::StreamId{0};
  EXPECT_EQ(filtered(recorded, filter),
            "{\"section\":\"segments\"}\n{\"segment\":{\"device\":0,\"stream\":0}}\n"
            "{\"section\":\"device_traces\"}\n{\"trace\":0}\n" +
                first_entry + "{\"trace\":1}\n");
}

std::string note(const char* call, int before) {
  return "{\"device\":0,\"before\":" + std::to_string(before) + ",\"call\":\"" + call + "\"}";
}
std::string notes(const std::string& calls) {
  return "{\"unknown_section\":{\"format\":1,\"calls\":[" + calls +
         "]},\"key\":\"vramlab_dry_run\"}\n";
}

/// An emptied cache from before the first entry that is kept says nothing of it.
TEST(RecordFilter, notes_of_a_dry_run_move_with_the_entries) {
  const std::string calls = note("options", 0) + "," + note("empty_cache", 1) + "," +
                            note("options", 1) + "," + note("empty_cache", 2);
  const std::string kept = filtered(recorded + notes(calls), span_ns(10'000, std::nullopt));
  const std::string moved =
      note("options", 0) + "," + note("options", 0) + "," + note("empty_cache", 1);
  EXPECT_THAT(kept, testing::EndsWith(notes(moved)));
  RecordFilter other_device;
  other_device.device = 1;
  EXPECT_THAT(filtered(recorded + notes(calls), other_device), testing::EndsWith(notes("")));
  EXPECT_THAT(filtered(recorded + notes(calls), span_ns(std::nullopt, 10'000)),
              testing::EndsWith(notes(note("options", 0) + "," + note("empty_cache", 1) + "," +
                                      note("options", 1))));
}

TEST(RecordFilter, notes_before_the_entries_lose_their_calls) {
  EXPECT_THAT(
      filtered(notes(note("options", 1)) + recorded, span_ns(10'000, std::nullopt)),
      testing::StartsWith("{\"unknown_section\":{\"format\":1},\"key\":\"vramlab_dry_run\"}\n"));
}

TEST(RecordFilter, an_event_without_a_time_is_where_the_last_one_was) {
  const std::string untimed = "{\"marker\":\"m\"}\n";
  EXPECT_EQ(filtered("{\"marker\":\"a\",\"time_ns\":5}\n" + untimed +
                         "{\"marker\":\"b\",\"time_ns\":15}\n" + untimed,
                     span_ns(10, std::nullopt)),
            "{\"marker\":\"b\",\"time_ns\":15}\n" + untimed);
}

TEST(RecordFilter, a_free_goes_with_its_malloc) {
  const std::string kept =
      "{\"malloc\":2,\"bytes\":1,\"stream\":7,\"time_ns\":10}\n{\"use\":2}\n{\"free\":2}\n";
  const std::string dropped = "{\"malloc\":1,\"bytes\":1,\"time_ns\":0}\n";
  EXPECT_EQ(filtered(dropped + kept + "{\"use\":1}\n{\"free\":1}\n", span_ns(10, std::nullopt)),
            kept);
  RecordFilter filter;
  filter.stream = allocator::StreamId{7};
  EXPECT_EQ(filtered(dropped + kept + "{\"free\":1}\n{\"work\":0,\"duration_ns\":3}\n", filter),
            kept);
}

TEST(RecordFilter, a_free_of_pinned_memory_goes_with_its_request) {
  const std::string kept =
      "{\"host_malloc\":1,\"bytes\":1,\"time_ns\":10}\n{\"host_use\":1}\n{\"host_free\":1}\n";
  const std::string dropped =
      "{\"malloc\":1,\"bytes\":1,\"time_ns\":0}\n{\"host_malloc\":2,\"bytes\":1}\n";
  EXPECT_EQ(filtered(dropped + kept + "{\"free\":1}\n{\"host_use\":2}\n{\"host_free\":2}\n",
                     span_ns(10, std::nullopt)),
            kept);
}

}  // namespace
}  // namespace vramlab::traces
