// A Perfetto trace as a JSON parser sees it.
#include "traces/json/perfetto_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/kit/collected_bytes.h"

namespace vramlab::traces {
namespace {

using Json = nlohmann::json;

template <typename Use>
Json written(const Use& use) {
  support::CollectedBytes output;
  PerfettoWriter writer(output);
  use(writer);
  writer.finish();
  return Json::parse(output.bytes);
}

TEST(PerfettoWriter, an_empty_trace_is_one_too) {
  const Json trace = written([](PerfettoWriter&) {});
  EXPECT_EQ(trace["traceEvents"], Json::array());
  EXPECT_EQ(trace["otherData"], Json({{"written by", "vramlab"}}));
}

TEST(PerfettoWriter, notes_come_before_the_events) {
  const Json trace = written([](PerfettoWriter& writer) {
    writer.note("a \"doubt\"");
    writer.note("b");
  });
  EXPECT_EQ(trace["otherData"]["note 1"], "a \"doubt\"");
  EXPECT_EQ(trace["otherData"]["note 2"], "b");
}

TEST(PerfettoWriter, each_kind_of_event_has_what_a_viewer_asks_for) {
  const Json trace = written([](PerfettoWriter& writer) {
    writer.device(3);
    writer.figures({3, 17}, "default small", {{1}, {18446744073709551615U}, {2}});
    writer.moment({3, 18}, "out of memory", {99});
    writer.slice_begin({3, 19}, {"step\n\xff", 5});
    writer.slice_end({3, 20}, {"step", 5});
  });
  const Json expected = Json::parse(R"([
    {"ph": "M", "name": "process_name", "pid": 3, "tid": 0, "args": {"name": "device 3"}},
    {"ph": "C", "pid": 3, "tid": 0, "ts": 17, "name": "default small",
     "args": {"allocated": 1, "reserved": 18446744073709551615, "largest free": 2}},
    {"ph": "i", "pid": 3, "tid": 0, "ts": 18, "name": "out of memory", "s": "p",
     "args": {"wanted bytes": 99}},
    {"ph": "b", "pid": 3, "tid": 0, "ts": 19, "name": "step\n\ufffd", "cat": "annotation",
     "id": 5},
    {"ph": "e", "pid": 3, "tid": 0, "ts": 20, "name": "step", "cat": "annotation", "id": 5}
  ])");
  EXPECT_EQ(trace["traceEvents"], expected);
}

}  // namespace
}  // namespace vramlab::traces
