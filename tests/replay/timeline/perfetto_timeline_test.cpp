// How much memory a history held: the figures beside the allocator's own after each call, and small
// histories counted by hand. Timelines and annotations, merged into one trace.
#include "replay/timeline/perfetto_timeline.h"

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/devices/allocator_setup.h"
#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/random_numbers.h"

namespace vramlab::replay {
namespace {

using namespace allocator;
using namespace allocator::literals;
using nlohmann::json;
using tests::AllocatorSetup;
using tests::RandomNumbers;
using traces::MemoryFigures;
using traces::TextId;

VerifyConditions conditions(std::string_view version, Settings settings) {
  return {*find_reference_version(version), false, {std::move(settings), {}}};
}

using FiguresByTrack = std::map<std::string, MemoryFigures>;

void count(MemoryFigures& figures, const SnapshotSegment& segment) {
  figures.reserved += segment.total_size;
  for (const SnapshotBlock& block : segment.blocks) {
    if (block.state == BlockState::active_allocated) figures.allocated += block.size;
    if (block.state == BlockState::inactive)
      figures.largest_free = std::max(figures.largest_free, block.size);
  }
}

/// The figures of each track, counted from a snapshot.
FiguresByTrack figures_of(const Snapshot& snapshot) {
  FiguresByTrack figures;
  for (const SnapshotSegment& segment : snapshot.segments) {
    count(figures["all pools"], segment);
    const bool is_default = segment.pool == default_pool;
    const MemoryTrack track{segment.pool, is_default ? std::optional(segment.kind) : std::nullopt};
    count(figures[track_name(track)], segment);
  }
  return figures;
}

/// A random program, with the figures of the allocator after each of its calls.
class Program {
 public:
  Program(std::string_view options, std::uint64_t seed)
      : setup_({300_MiB, "2.12", options}), numbers_(seed) {
    history.traits.names_pools = true;
    history.traits.requests_frees = true;
  }

  void run(std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) {
      call();
      for (AllocatorEvent event : setup_.new_entries()) {
        event.time_us = 1000 + history.events.size();
        history.events.push_back(event);
      }
      said_.push_back({history.events.size(), figures_of(setup_.engine.take_snapshot())});
    }
    history.final_segments = setup_.engine.take_snapshot().segments;
  }

  /// For a history that begins with its event number `first`.
  void expect_timeline(std::size_t first, const Settings& settings) const {
    DeviceHistory cut = history;
    cut.events = {};
    for (std::size_t i = first; i < history.events.size(); ++i)
      cut.events.push_back(history.events[i]);
    const MemoryTimeline timeline =
        find_timeline(cut, walk_history(cut, conditions("2.12", settings)));
    FiguresByTrack now;
    std::size_t next = 0;
    for (const auto& [event_count, expected] : said_) {
      for (; next < timeline.points.size() && timeline.points[next].time_us < 1000 + event_count;
           ++next)
        now[track_name(timeline.tracks[timeline.points[next].track])] =
            timeline.points[next].figures;
      if (event_count <= first) continue;
      ASSERT_EQ(compared(now), compared(expected))
          << "after event " << event_count << ", begun at " << first;
    }
    EXPECT_EQ(next, timeline.points.size());
  }

  DeviceHistory history;

 private:
  /// Tracks that hold something; where pools are inferred, all of them together.
  FiguresByTrack compared(FiguresByTrack figures) const {
    std::erase_if(figures, [&](const auto& one) {
      return one.second == MemoryFigures{} ||
             (!history.traits.names_pools && one.first != "all pools");
    });
    return figures;
  }
  void call() {
    const std::uint64_t pool = numbers_.below(3);
    if (numbers_.one_in(60)) return setup_.engine.empty_cache();
    if (!live_.empty() && numbers_.one_in(2)) {
      const std::size_t index = numbers_.below(live_.size());
      if (numbers_.one_in(5)) setup_.use_on(1, live_[index]);
      setup_.free(live_[index]);
      live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(index));
      return;
    }
    if (numbers_.one_in(10)) setup_.complete(1);
    if (pool != 0) setup_.begin_scope(pool);
    const Bytes size{numbers_.between(1, numbers_.one_in(2) ? 600'000 : 30'000'000)};
    const MallocResult result = setup_.engine.malloc(size, {0});
    if (result) live_.push_back(result.address);
    if (pool != 0) setup_.end_scope(pool);
  }

  AllocatorSetup setup_;
  RandomNumbers numbers_;
  std::vector<Address> live_;
  std::vector<std::pair<std::size_t, FiguresByTrack>> said_;
};

Settings settings_for(std::string_view options) {
  return parse_settings({}, options, *find_reference_version("2.12")).settings;
}

TEST(MemoryTimeline, says_after_each_event_what_the_allocator_says) {
  for (const std::string_view options : {"", "max_split_size_mb:20", "roundup_power2_divisions:4"})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(std::string(options) + " " + std::to_string(seed));
      Program program(options, seed);
      program.run(400);
      program.expect_timeline(0, settings_for(options));
    }
}

TEST(MemoryTimeline, says_so_for_expandable_segments_too) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Program program("expandable_segments:True", seed);
    program.run(300);
    program.expect_timeline(0, settings_for("expandable_segments:True"));
  }
}

TEST(MemoryTimeline, says_so_from_the_middle_on_too) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    for (const std::size_t first : {100, 300}) {
      SCOPED_TRACE(seed);
      Program program("", seed);
      program.run(300);
      program.expect_timeline(first, {});
    }
}

TEST(MemoryTimeline, says_so_for_all_pools_together_where_the_file_names_none) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Program program("", seed);
    program.run(300);
    program.history.traits.names_pools = false;
    program.expect_timeline(0, {});
    program.expect_timeline(200, {});
  }
}

class SmallHistory : public testing::Test {
 protected:
  void event(Action action, Address at, Bytes size) {
    history.events.push_back({action, at, size, {}, {}, ++time_us});
  }
  static MemoryPoint point(std::uint64_t time_us, std::uint32_t track, MemoryFigures figures) {
    return {time_us, track, figures};
  }
  void expect_points(const std::vector<MemoryPoint>& expected) {
    history.traits.requests_frees = true;
    timeline = find_timeline(history, walk_history(history, conditions("2.6", {})));
    ASSERT_EQ(timeline.points.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(timeline.points[i].time_us, expected[i].time_us) << i;
      EXPECT_EQ(timeline.points[i].track, expected[i].track) << i;
      EXPECT_EQ(timeline.points[i].figures, expected[i].figures) << i;
    }
  }

  static constexpr Address base{0x7f0000000000};
  DeviceHistory history;
  MemoryTimeline timeline;
  std::uint64_t time_us = 0;
};

TEST_F(SmallHistory, from_nothing_to_a_block_and_back) {
  event(Action::segment_alloc, base, 20_MiB);
  event(Action::alloc, base, 5_MiB);
  event(Action::free_requested, base, 5_MiB);
  event(Action::oom, {4096}, 80_GiB);
  event(Action::free_completed, base, 5_MiB);
  event(Action::segment_free, base, 20_MiB);
  expect_points({point(1, 0, {}), point(1, 1, {0_B, 20_MiB, 20_MiB}),
                 point(1, 0, {0_B, 20_MiB, 20_MiB}), point(2, 1, {5_MiB, 20_MiB, 15_MiB}),
                 point(2, 0, {5_MiB, 20_MiB, 15_MiB}), point(3, 1, {0_B, 20_MiB, 15_MiB}),
                 point(3, 0, {0_B, 20_MiB, 15_MiB}), point(5, 1, {0_B, 20_MiB, 20_MiB}),
                 point(5, 0, {0_B, 20_MiB, 20_MiB}), point(6, 1, {}), point(6, 0, {})});
  EXPECT_EQ(track_name(timeline.tracks[1]), "default large");
  ASSERT_EQ(timeline.failures.size(), 1U);
  EXPECT_EQ(timeline.failures[0].time_us, 4U);
  EXPECT_EQ(timeline.failures[0].wanted, 80_GiB);
  EXPECT_TRUE(timeline.doubts.empty());
}

TEST_F(SmallHistory, begins_with_what_was_there) {
  event(Action::free_requested, base, 5_MiB);
  event(Action::free_completed, base, 5_MiB);
  AllocatorEvent completed = history.events[1];
  completed.time_us = history.events[0].time_us;
  history.events = {history.events[0], completed};
  SnapshotSegment segment;
  segment.address = base;
  segment.total_size = 20_MiB;
  segment.kind = PoolKind::large;
  segment.pool = {7, 0};
  segment.blocks = {{base, 20_MiB, 5_MiB, BlockState::inactive}};
  history.final_segments = {segment};
  expect_points({point(1, 1, {5_MiB, 20_MiB, 15_MiB}), point(1, 0, {5_MiB, 20_MiB, 15_MiB}),
                 point(1, 1, {0_B, 20_MiB, 15_MiB}), point(1, 0, {0_B, 20_MiB, 15_MiB}),
                 point(1, 1, {0_B, 20_MiB, 20_MiB}), point(1, 0, {0_B, 20_MiB, 20_MiB})});
  EXPECT_EQ(track_name(timeline.tracks[1]), "pool (7, 0)");
  ASSERT_EQ(timeline.doubts.size(), 1U);
  EXPECT_NE(timeline.doubts[0].find("1 blocks are older than the first event"), std::string::npos);
}

TEST_F(SmallHistory, times_that_go_back_count_as_those_before) {
  time_us = 10;
  event(Action::segment_alloc, base, 20_MiB);
  time_us = 3;
  event(Action::alloc, base, 5_MiB);
  event(Action::oom, {0}, 1_GiB);
  find_timeline(history, walk_history(history, conditions("2.6", {})));
  history.traits.requests_frees = true;
  timeline = find_timeline(history, walk_history(history, conditions("2.6", {})));
  for (const MemoryPoint& one : timeline.points) EXPECT_EQ(one.time_us, 11U);
  EXPECT_EQ(timeline.failures[0].time_us, 11U);
}

TEST_F(SmallHistory, without_times_the_events_are_a_microsecond_apart) {
  event(Action::segment_alloc, base, 20_MiB);
  event(Action::alloc, base, 5_MiB);
  std::vector<AllocatorEvent> events = history.events.to_vector();
  for (AllocatorEvent& one : events) one.time_us = 0;
  history.events = std::move(events);
  expect_points({point(0, 0, {}), point(0, 1, {0_B, 20_MiB, 20_MiB}),
                 point(0, 0, {0_B, 20_MiB, 20_MiB}), point(1, 1, {5_MiB, 20_MiB, 15_MiB}),
                 point(1, 0, {5_MiB, 20_MiB, 15_MiB})});
  ASSERT_FALSE(timeline.doubts.empty());
  EXPECT_NE(timeline.doubts[0].find("have no times"), std::string::npos);
}

TEST_F(SmallHistory, events_that_cannot_be_are_doubted) {
  event(Action::alloc, base, 5_MiB);
  timeline = find_timeline(history, walk_history(history, conditions("2.6", {})));
  ASSERT_FALSE(timeline.doubts.empty());
  EXPECT_NE(timeline.doubts[0].find("event 0"), std::string::npos);
}

// Timelines and annotations, merged into one trace.

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
    RecordedAnnotation value;
    value.name = texts.intern(name);
    value.stage = TextId(stage);
    value.time_us = time_us;
    value.has_time = true;
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
  RecordedAnnotation value;
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
