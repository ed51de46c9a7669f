// Timelines and annotations, merged into one trace.
#include "replay/timeline/perfetto_timeline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/kit/collected_bytes.h"

namespace vramlab::replay {
namespace {

using nlohmann::json;
using traces::TextId;

class Merged : public testing::Test {
 protected:
  json events() {
    support::CollectedBytes output;
    traces::PerfettoWriter writer(output);
    write_perfetto(timelines, annotations.spans(), texts, writer);
    writer.finish();
    return json::parse(output.bytes)["traceEvents"];
  }
  void annotate(traces::KnownText stage, const char* name, std::uint64_t time_us) {
    traces::AnnotationValue value;
    value.name = texts.intern(name);
    value.stage = TextId(stage);
    value.time_us = time_us;
    value.keys.add(traces::KnownText::time_us);
    annotations.add(value);
  }
  void begin(const char* name, std::uint64_t time_us) {
    annotate(traces::KnownText::start, name, time_us);
  }
  void end(const char* name, std::uint64_t time_us) {
    annotate(traces::KnownText::end, name, time_us);
  }
  /// Phase, name, id and time of the slices.
  std::string slices() {
    std::string text;
    for (const json& event : events())
      if (event["ph"] == "b" || event["ph"] == "e")
        text += event["ph"].get<std::string>() + " " + event["name"].get<std::string>() +
                event["id"].dump() + " " + event["ts"].dump() + "\n";
    return text;
  }

  traces::TextTable texts;
  std::vector<MemoryTimeline> timelines;
  AnnotationCollector annotations;
};

TEST_F(Merged, devices_come_in_the_order_of_time) {
  for (const std::int64_t device : {0, 1}) {
    MemoryTimeline timeline;
    timeline.device = device;
    timeline.tracks = {MemoryTrack{}};
    for (const std::uint64_t time_us : {10, 20})
      timeline.points.push_back({time_us + static_cast<std::uint64_t>(device), 0, {}});
    timeline.failures = {{15, {7}}};
    timelines.push_back(timeline);
  }
  std::vector<std::uint64_t> times;
  for (const json& event : events())
    if (event.contains("ts")) times.push_back(event["ts"]);
  EXPECT_EQ(times, (std::vector<std::uint64_t>{10, 11, 15, 15, 20, 21}));
  EXPECT_EQ(events()[0]["args"]["name"], "device 0");
  EXPECT_EQ(events()[1]["args"]["name"], "device 1");
}

TEST_F(Merged, annotations_that_overlap_keep_their_own_ends) {
  begin("a", 1);
  begin("b", 2);
  begin("a", 3);
  end("a", 4);
  end("a", 5);
  end("b", 6);
  EXPECT_EQ(slices(), "b a0 1\nb b1 2\nb a2 3\ne a2 4\ne a0 5\ne b1 6\n");
}

TEST_F(Merged, annotation_without_a_time_is_left_out) {
  traces::AnnotationValue value;
  value.name = texts.intern("a");
  value.stage = TextId(traces::KnownText::start);
  annotations.add(value);
  end("a", 7);
  EXPECT_EQ(slices(), "b a0 7\ne a0 7\n");
}

TEST_F(Merged, an_end_or_a_beginning_that_was_not_recorded_is_that_of_the_recording) {
  end("a", 7);
  begin("b", 8);
  begin("c", 9);
  end("c", 9);
  EXPECT_EQ(slices(), "b a0 7\ne a0 7\nb b1 8\ne b1 9\nb c2 9\ne c2 9\n");
}

}  // namespace
}  // namespace vramlab::replay
