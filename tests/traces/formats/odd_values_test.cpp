// A value that decides nothing never refuses a file, whatever it is: it comes out of every format
// as it was. One that decides something is refused, and the refusal says it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fuzz/snapshot_listing.h"
#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/memory_source.h"
#include "tests/support/recordings/pickle_writer.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"
#include "traces/json/snapshot_json.h"
#include "traces/model/user_frame.h"
#include "traces/native/native_binary.h"
#include "traces/native/native_text.h"
#include "traces/pickle/snapshot_pickle.h"

namespace vramlab::traces {
namespace {

using testing::HasSubstr;
using testing::Not;

void read(TraceFormat format, ByteSource& source, SnapshotTables& tables, NativeSinks sinks) {
  switch (format) {
    case TraceFormat::snapshot_pickle:
      read_snapshot_pickle(source, "file", tables, sinks.recorded);
      return;
    case TraceFormat::snapshot_json:
      read_snapshot_json(source, "file", tables, sinks.recorded);
      return;
    case TraceFormat::native_text:
      read_native_text(source, "file", tables, sinks);
      return;
    default:
      read_native_binary(source, "file", tables, sinks);
  }
}

std::string converted(const std::string& bytes, TraceFormat from, TraceFormat to) {
  SnapshotTables tables;
  support::CollectedBytes output;
  const auto writer = make_trace_writer(to, output, tables);
  const auto source = support::make_memory_source(bytes);
  read(from, *source, tables, writer->sinks());
  writer->finish();
  return output.bytes;
}

/// JSON through every other format and back.
std::string round_trip(const std::string& json) {
  using enum TraceFormat;
  constexpr TraceFormat way[] = {snapshot_json, snapshot_pickle, native_text,   snapshot_pickle,
                                 native_binary, native_text,     native_binary, snapshot_json};
  std::string bytes = json;
  for (std::size_t step = 1; step < std::size(way); ++step)
    bytes = converted(bytes, way[step - 1], way[step]);
  return bytes;
}

std::string snapshot_with_entry(const std::string& fields) {
  return R"({"device_traces": [[{"action": "alloc", "addr": 4096, "size": 512, )" + fields + "}]]}";
}
std::string snapshot_with_frame(const std::string& fields) {
  return snapshot_with_entry(R"("stream": 0, "frames": [{)" + fields + "}]");
}
std::string snapshot_with_annotation(const std::string& fields) {
  return R"({"external_annotations": [{"device": 0, )" + fields + "}]}";
}

/// No number, no text, and numbers of every size.
const std::vector<std::string> odd_values = {"null",
                                             "true",
                                             "0.5",
                                             "-1.5e+300",
                                             "[1, {\"a\": null}]",
                                             "{\"a\": [\"b\"]}",
                                             "-1",
                                             "0",
                                             "4294967296",
                                             "9223372036854775807",
                                             "9223372036854775808",
                                             "-9223372036854775808",
                                             "18446744073709551615",
                                             "18446744073709551616",
                                             "-9223372036854775809",
                                             "99999999999999999999999999999999999999999",
                                             "-1267650600228229401496703205376"};

TEST(OddValue, line_of_a_frame_comes_out_of_every_format_as_it_was) {
  for (const std::string& value : odd_values) {
    const std::string field = "\"line\": " + value;
    EXPECT_THAT(round_trip(snapshot_with_frame(R"("name": "f", "filename": "a.py", )" + field)),
                HasSubstr(R"({"name": "f", "filename": "a.py", )" + field + "}"));
  }
}

TEST(OddValue, name_or_file_of_a_frame_comes_out_of_every_format_as_it_was) {
  for (const std::string& value : odd_values)
    for (const std::string key : {"name", "filename"})
      EXPECT_THAT(round_trip(snapshot_with_frame("\"" + key + "\": " + value)),
                  HasSubstr("[{\"" + key + "\": " + value + "}]"));
}

TEST(OddValue, time_or_label_of_an_event_comes_out_of_every_format_as_it_was) {
  for (const std::string key :
       {"time_us", "compile_context", "user_metadata", "internal_metadata", "category"})
    for (const std::string& value : odd_values) {
      const std::string field = "\"" + key + "\": " + value;
      EXPECT_THAT(round_trip(snapshot_with_entry(field)), HasSubstr("\"size\": 512, " + field));
    }
}

TEST(OddValue, time_or_name_of_an_annotation_comes_out_of_every_format_as_it_was) {
  for (const std::string key : {"time_us", "name", "stage"})
    for (const std::string& value : odd_values) {
      const std::string field = "\"" + key + "\": " + value;
      EXPECT_THAT(round_trip(snapshot_with_annotation(field)), HasSubstr(field));
    }
}

TEST(OddValue, number_of_any_size_under_an_unknown_key_is_kept) {
  const std::string digits(600, '7');
  for (const std::string& number : {digits, "-" + digits})
    EXPECT_THAT(round_trip(R"({"mine": [)" + number + "]}"), HasSubstr(number));
}

/// As PyTorch writes the line of a frame that has none, such as one under init_gpu_context.
TEST(OddValue, line_that_pytorch_writes_for_none_is_read_from_both_kinds_of_pickles) {
  support::PickleTree tree = support::small_snapshot();
  tree["device_traces"][0][1]["frames"][0]["line"] = 18446744073709551615U;
  for (const std::string& pickle : {support::python_pickle(tree), support::cpp_pickle(tree)}) {
    EXPECT_EQ(support::read_pickle_bytes(pickle).error, "");
    EXPECT_THAT(converted(pickle, TraceFormat::snapshot_pickle, TraceFormat::snapshot_json),
                HasSubstr("\"line\": 18446744073709551615}"));
  }
}

TEST(OddValue, time_that_only_the_fast_way_through_events_sees_is_no_time) {
  support::PickleTree tree = support::small_snapshot();
  auto& events = tree["device_traces"][0];
  while (events.size() < 40) events.push_back(events[0]);
  events[20]["time_us"] = 18446744073709551615U;
  const auto reading = support::read_pickle_bytes(support::python_pickle(tree));
  EXPECT_EQ(reading.error, "");
  EXPECT_THAT(reading.lines, HasSubstr("time_us=0 "));
  EXPECT_THAT(reading.lines, HasSubstr("time_us=18446744073709551615"));
}

TEST(OddValue, frame_without_a_line_is_shown_without_one) {
  SnapshotTables tables;
  SnapshotSink sink;
  const auto shown = [&](const std::string& line) {
    const std::string json =
        snapshot_with_frame(R"("name": "f", "filename": "a.py", "line": )" + line);
    const auto source = support::make_memory_source(json);
    read_snapshot_json(*source, "file", tables, sink);
    return frame_text({static_cast<std::uint32_t>(tables.frames.count() - 1)}, tables);
  };
  EXPECT_EQ(shown("7"), "a.py:7 f");
  EXPECT_EQ(shown("-1"), "a.py f");
  EXPECT_EQ(shown("18446744073709551615"), "a.py f");
}

TEST(OddValue, frames_that_differ_in_nothing_are_one_frame_also_with_such_a_line) {
  SnapshotTables tables;
  SnapshotSink sink;
  const std::string frame = R"({"name": "f", "line": 18446744073709551615, "mine": 1.5})";
  const std::string other = R"({"name": "f", "line": 18446744073709551615, "mine": -0.0})";
  const std::string json = R"([{"frames": [)" + frame + "]}, {\"frames\": [" + other +
                           "]}, {\"address\": 1, \"frames\": [" + frame + "]}]";
  const auto source = support::make_memory_source(json);
  read_snapshot_json(*source, "file", tables, sink);
  EXPECT_EQ(tables.frames.count(), 2U);
  EXPECT_EQ(tables.stacks.count(), 3U);
}

TEST(OddValue, number_that_decides_is_refused_in_every_format_with_what_was_found) {
  const auto refusal = [](const std::string& bytes, TraceFormat from) -> std::string {
    try {
      converted(bytes, from, TraceFormat::snapshot_json);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  const std::string header =
      "{\"format\":\"vramlab-trace\",\"version\":1}\n"
      "{\"section\":\"device_traces\"}\n{\"trace\":0}\n";
  for (const char* value : {"-7", "null", "1.5", "99999999999999999999"}) {
    const std::string fields = R"("action": "alloc", "size": )" + std::string(value);
    const std::string found =
        std::string("under 'size', found ") + (value == std::string("null") ? "None" : value);
    EXPECT_THAT(refusal("{\"device_traces\": [[{" + fields + "}]]}", TraceFormat::snapshot_json),
                HasSubstr(found));
    EXPECT_THAT(refusal(header + "{\"entry\":{" + fields + "}}\n", TraceFormat::native_text),
                HasSubstr(found));
  }
  const auto pickle_with = [](const char* key, const support::PickleTree& value) {
    support::PickleTree tree = support::small_snapshot();
    tree["device_traces"][0][1][key] = value;
    return support::python_pickle(tree);
  };
  EXPECT_THAT(refusal(pickle_with("size", -7), TraceFormat::snapshot_pickle),
              HasSubstr("under 'size', found -7"));
  EXPECT_THAT(refusal(pickle_with("stream", "side"), TraceFormat::snapshot_pickle),
              HasSubstr("under 'stream', found 'side'"));
  EXPECT_THAT(refusal(pickle_with("pool_id", {0, -7}), TraceFormat::snapshot_pickle),
              HasSubstr("found -7"));
  EXPECT_THAT(refusal(pickle_with("action", 7.5), TraceFormat::snapshot_pickle),
              HasSubstr("under 'action', found 7.5"));
  EXPECT_THAT(refusal(R"({"segments": [5]})", TraceFormat::snapshot_json),
              HasSubstr("expected a dict, found 5"));
}

TEST(OddValue, number_that_is_too_long_to_keep_is_refused_with_its_length) {
  const std::string json = R"({"mine": )" + std::string(2000, '7') + "}";
  EXPECT_THAT(support::read_json_bytes(json).error, HasSubstr("found one of 2000"));
  const std::string pickle = std::string("\x80\x04}\x8c\x04mine\x8b\x00\x10\x00\x00", 14) +
                             std::string(4096, '\x7f') + "s.";
  EXPECT_THAT(support::read_pickle_bytes(pickle).error, HasSubstr("found one of 4096"));
}

}  // namespace
}  // namespace vramlab::traces
