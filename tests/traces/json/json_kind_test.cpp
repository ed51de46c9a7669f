#include "traces/json/json_kind.h"

#include <gtest/gtest.h>

namespace vramlab::traces {
namespace {

TEST(JsonKind, sections_tell_a_snapshot) {
  EXPECT_EQ(json_kind_of(R"({"segments": [)"), JsonKind::snapshot);
  EXPECT_EQ(json_kind_of("\xEF\xBB\xBF \n{\"device_traces\":"), JsonKind::snapshot);
  EXPECT_EQ(json_kind_of(R"([{"device": 0, "address": 1)"), JsonKind::snapshot);
  EXPECT_EQ(json_kind_of("{}"), JsonKind::snapshot);
  EXPECT_EQ(json_kind_of("[]"), JsonKind::snapshot);
}

TEST(JsonKind, words_of_the_profiler_tell_its_traces) {
  EXPECT_EQ(json_kind_of(R"({"schemaVersion": 1)"), JsonKind::profiler);
  EXPECT_EQ(json_kind_of(R"( {"traceEvents": [)"), JsonKind::profiler);
  EXPECT_EQ(json_kind_of(R"([{"name": "a", "args": {"segments": 1}, "ph": "X")"),
            JsonKind::profiler);
}

TEST(JsonKind, a_list_of_lists_of_numbers_is_a_memory_timeline) {
  EXPECT_EQ(json_kind_of("[[1795641503661300, 1795"), JsonKind::memory_timeline);
  EXPECT_EQ(json_kind_of("\xEF\xBB\xBF [ [\n-1, 1, 16384, 0]"), JsonKind::memory_timeline);
  EXPECT_EQ(json_kind_of("[1, 2]"), JsonKind::snapshot);
  EXPECT_EQ(json_kind_of(R"([[{"action": "alloc"}]])"), JsonKind::snapshot);
  EXPECT_EQ(json_kind_of("[[[1"), std::nullopt);
}

TEST(JsonKind, only_keys_of_the_top_count) {
  EXPECT_EQ(json_kind_of(R"({"x": {"traceEvents": [{"ph": "i"}]}, "y": "ts", "segments": [])"),
            JsonKind::snapshot);
  EXPECT_EQ(json_kind_of(R"({"x": ["segments", {"segments": 1}], "a\":\"": 0, "traceEvents": 1)"),
            JsonKind::profiler);
}

TEST(JsonKind, a_beginning_that_tells_nothing_yet) {
  for (const char* start : {"", "[", "{", R"({"x")", R"({"x": {"segments": 1}, )", R"({"traceEv)",
                            R"({"traceEvents")", "{\"a\\"})
    EXPECT_EQ(json_kind_of(start), std::nullopt) << start;
}

TEST(JsonKind, unknown_keys_alone_are_a_snapshot_s) {
  EXPECT_EQ(json_kind_of(R"({"x": 1})"), JsonKind::snapshot);
  EXPECT_EQ(json_kind_of(R"([{"x": 1}, {"ph": 1}])"), JsonKind::snapshot);
}

}  // namespace
}  // namespace vramlab::traces
