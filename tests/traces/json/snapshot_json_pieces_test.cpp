// The reader of snapshot JSON could be led astray by the borders of the pieces that a file
// comes in, by texts longer than its window, and by what it remembers of earlier frames and keys.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/fuzz/snapshot_listing.h"
#include "tests/support/kit/memory_source.h"
#include "tests/support/recordings/pickle_writer.h"
#include "traces/json/letter_window.h"
#include "traces/json/snapshot_json.h"

namespace vramlab::traces {
namespace {

using support::read_json_bytes;

std::string event_with_frames(const std::string& frames) {
  return R"({"action": "alloc", "addr": 1, "frames": [)" + frames + "]}";
}

std::string frame(const std::string& name, int line) {
  return R"({"name": ")" + name + R"(", "filename": "f.py", "line": )" + std::to_string(line) + "}";
}

std::string trace_of(const std::string& events) {
  return R"({"device_traces": [[)" + events + "]]}";
}

void expect_same_in_any_pieces(const std::string& json) {
  const auto whole = read_json_bytes(json);
  for (std::size_t bytes_at_a_time = 1; bytes_at_a_time < 40; ++bytes_at_a_time) {
    const auto pieces = read_json_bytes(json, bytes_at_a_time);
    EXPECT_EQ(pieces.lines, whole.lines) << bytes_at_a_time;
    EXPECT_EQ(pieces.error, whole.error) << bytes_at_a_time;
  }
}

TEST(SnapshotJsonPieces, a_border_may_be_anywhere_in_a_snapshot) {
  expect_same_in_any_pieces(support::small_snapshot().dump());
  expect_same_in_any_pieces(support::small_snapshot().dump(2));
}

TEST(SnapshotJsonPieces, a_border_may_be_in_a_number_a_literal_or_an_escape) {
  expect_same_in_any_pieces(
      R"({"a": [18446744073709551615, -12.5e-3, true, false, null, "a\\\"\ud83d\ude00\u00e9"],)"
      R"( "\u0062\n": "é€😀", "segments": [{"segment_pool_id": [12345, 67890]}]})");
}

TEST(SnapshotJsonPieces, a_border_may_be_in_repeated_frames) {
  const std::string frames = frame("inner", 1) + ", " + frame("operator[]", 2);
  std::string events;
  for (int i = 0; i < 20; ++i)
    events += event_with_frames(frames + ", " + frame("outer", i % 3)) + ", ";
  expect_same_in_any_pieces(trace_of(events + event_with_frames(frames)));
}

TEST(SnapshotJsonPieces, an_error_is_the_same_wherever_the_border_is) {
  const std::string json = support::small_snapshot().dump();
  for (std::size_t place = 0; place < json.size(); place += 7) {
    std::string broken = json;
    broken[place] = '#';
    const std::string error = read_json_bytes(broken).error;
    for (const std::size_t bytes_at_a_time : {1, 2, 5, 16, 31})
      EXPECT_EQ(read_json_bytes(broken, bytes_at_a_time).error, error) << place;
  }
}

TEST(SnapshotJsonPieces, a_zero_behind_a_remembered_key_is_refused_in_the_same_words) {
  std::string json = trace_of(R"({"action": "alloc", "size": 1}, {"action": "alloc", "size": 0})");
  json[json.rfind('0')] = '\0';
  EXPECT_TRUE(read_json_bytes(json).error.ends_with("found ', \"size\": ?'"))
      << read_json_bytes(json).error;
  expect_same_in_any_pieces(json);
}

TEST(SnapshotJsonPieces, a_text_may_be_longer_than_the_window) {
  for (const std::size_t size : {LetterWindow::default_bytes - 1, LetterWindow::default_bytes,
                                 4 * LetterWindow::default_bytes + 5}) {
    const std::string text(size, 'x');
    for (const char* escape : {"", "\\t"}) {
      SnapshotTables tables;
      SnapshotSink sink;
      const auto source =
          support::make_memory_source(R"({"a": ")" + text + escape + R"(", "c": "end"})");
      read_snapshot_json(*source, "file", tables, sink);
      const TextId last(static_cast<std::uint32_t>(tables.texts.count() - 1));
      EXPECT_EQ(tables.texts.text(last), "end");
      const TextId long_one(last.value - 2);
      EXPECT_EQ(tables.texts.text(long_one).size(), size + (*escape == '\0' ? 0 : 1));
    }
  }
}

TEST(SnapshotJsonPieces, frames_longer_than_those_remembered_are_read_like_others) {
  const std::string name(KnownFrames::longest_letters, 'x');
  const std::string event = event_with_frames(frame(name, 1) + "," + frame(name, 2));
  const auto reading = read_json_bytes(trace_of(event + "," + event));
  EXPECT_EQ(reading.error, "");
  const std::string listed = "frames=[" + name + "@f.py:1;" + name + "@f.py:2;]";
  const std::size_t first = reading.lines.find(listed);
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(reading.lines.find(listed, first + 1), std::string::npos);
}

TEST(SnapshotJsonPieces, more_frames_than_are_remembered_change_nothing) {
  const std::string long_part(300, 'y');
  const std::size_t frame_count = 2 * KnownFrames::default_most_bytes / long_part.size();
  std::string events;
  std::string expected = "section 1\ntrace 0\n";
  const std::string plain_event = read_json_bytes(trace_of(event_with_frames(""))).lines;
  const std::string event_line = plain_event.substr(expected.size());
  const std::string before_frames = event_line.substr(0, event_line.find("frames=[") + 8);
  for (std::size_t i = 0; i < frame_count; i += 2) {
    const std::string one = std::to_string(i) + long_part;
    const std::string other = std::to_string(i / 2) + long_part;
    if (!events.empty()) events += ", ";
    events += event_with_frames(frame(one, 1) + ", " + frame(other, 2));
    expected += before_frames + one + "@f.py:1;" + other + "@f.py:2;]\n";
  }
  const auto reading = read_json_bytes(trace_of(events));
  EXPECT_EQ(reading.error, "");
  EXPECT_TRUE(reading.lines == expected);
}

TEST(SnapshotJsonPieces, frames_with_the_same_begin_are_told_apart) {
  const auto reading =
      read_json_bytes(trace_of(event_with_frames(R"({"name": "a", "line": 1})") + "," +
                               event_with_frames(R"({"name": "a", "line": 12})") + "," +
                               event_with_frames(R"({"name": "a", "line": 1, "filename": "g"})") +
                               "," + event_with_frames(R"({"name": "a", "line": 1})")));
  EXPECT_EQ(reading.error, "");
  for (const char* frames : {"[a@:1;]", "[a@:12;]", "[a@g:1;]"})
    EXPECT_NE(reading.lines.find(frames), std::string::npos) << frames << reading.lines;
}

TEST(SnapshotJsonPieces, frames_with_unknown_fields_stay_frames_of_their_own) {
  const std::string event = event_with_frames(R"({"name": "a", "line": 1, "node": {"op": "x"}})");
  SnapshotTables tables;
  SnapshotSink sink;
  const auto source = support::make_memory_source(trace_of(event + "," + event));
  read_snapshot_json(*source, "file", tables, sink);
  EXPECT_EQ(tables.frames.count(), 2);
}

TEST(SnapshotJsonPieces, the_last_value_of_a_key_of_a_frame_counts) {
  const auto reading =
      read_json_bytes(trace_of(event_with_frames(R"({"line": 1, "name": "a", "line": 2})")));
  EXPECT_NE(reading.lines.find("[a@:2;]"), std::string::npos) << reading.lines;
}

TEST(SnapshotJsonPieces, keys_may_come_in_another_order_each_time) {
  const auto reading = read_json_bytes(trace_of(R"({"action": "alloc", "addr": 1, "size": 2},
      {"size": 3, "addr": 4, "action": "oom"},{"x":5,"size":6,"y":7,"action":"alloc"},
      {"action": "alloc", "size": 8}, {"action": "alloc", "addr": 9, "size": 10})"));
  EXPECT_EQ(reading.error, "");
  for (const char* part :
       {"address=0x1 free=0 size=2", "event oom device=0 address=0x4 free=0 size=3", "size=6",
        "x=5 y=7", "size=8", "address=0x9 free=0 size=10"})
    EXPECT_NE(reading.lines.find(part), std::string::npos) << part << reading.lines;
}

TEST(SnapshotJsonPieces, a_remembered_key_does_not_excuse_a_misplaced_comma) {
  for (const char* events : {R"({"x": 1, "action": "alloc"}, {, "action": "alloc"})",
                             R"({"action": "alloc", "size": 1}, {"action": "alloc" "size": 1})",
                             R"({"action": "alloc", "size": 1}, {"action": "alloc",, "size": 1})"})
    EXPECT_NE(read_json_bytes(trace_of(events)).error.find("expected valid JSON"),
              std::string::npos)
        << events;
}

TEST(SnapshotJsonPieces, a_remembered_key_that_comes_again_is_refused) {
  EXPECT_NE(read_json_bytes(trace_of(R"({"action": "a", "size": 1, "addr": 1},
      {"size": 1, "addr": 2, "size": 3})"))
                .error.find("the key 'size' again"),
            std::string::npos);
}

TEST(SnapshotJsonPieces, pools_may_be_written_in_any_way_that_json_has) {
  for (const char* pool : {"[1, 2]", "[1,2]", "[ 1 , 2 ]", "[1,\n2]"}) {
    const auto reading =
        read_json_bytes(R"({"segments": [{"segment_pool_id": )" + std::string(pool) + "}]}");
    EXPECT_NE(reading.lines.find("pool=(1, 2)"), std::string::npos) << reading.lines;
  }
  for (const char* pool : {"[1]", "[1, 2, 3]", "[1, -2]", "[01, 2]", "[1, \"2\"]", "[]", "{}"})
    EXPECT_NE(
        read_json_bytes(R"({"segments": [{"segment_pool_id": )" + std::string(pool) + "}]}").error,
        "")
        << pool;
}

}  // namespace
}  // namespace vramlab::traces
