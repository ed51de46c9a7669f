// Recorded cases replayed as programs: under the recorded conditions they do what was recorded,
// under others what the rules say.
#include "replay/replayer/replayer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "replay/compare/history_metrics.h"
#include "replay/recording/recorded_states.h"
#include "replay/replayer/device_replay.h"
#include "replay/replayer/replay_report.h"
#include "tests/support/recordings/case_history.h"
#include "tests/support/recordings/replayed.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::AllocatorEvent;
using allocator::Bytes;
using tests::bundled_case;
using tests::history_of;

/// A call that gets an address, and what it set off; in which order is another matter.
using Group = std::vector<std::tuple<Action, allocator::Address, Bytes, allocator::StreamId>>;

std::vector<Group> groups_of(const std::vector<AllocatorEvent>& events) {
  std::vector<Group> groups(1);
  for (const AllocatorEvent& event : events) {
    if (event.action == Action::snapshot) continue;
    const bool is_oom = event.action == Action::oom;
    groups.back().emplace_back(event.action, is_oom ? allocator::Address{} : event.address,
                               event.size, event.stream);
    if (!is_oom && event.action != Action::alloc) continue;
    std::ranges::sort(groups.back());
    groups.emplace_back();
  }
  std::ranges::sort(groups.back());
  return groups;
}

class ReplayedHistory : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { load(GetParam()); }

  void load(const std::string& name, std::size_t first = 0) {
    recorded = bundled_case(name);
    history = history_of(recorded, first);
    history.settings = settings_value(recorded.program.config, tables.texts);
  }
  ReplayReport replay(ReplayConditions conditions, std::vector<AllocatorEvent>* trace = nullptr) {
    conditions.history_capacity = 1'000'000;
    const tests::Replayed recording(history, tables, recorded.program.version);
    ReplayWatch watch;
    watch.at_end = [trace](DeviceReplay& device) {
      if (trace != nullptr) *trace = device.history();
    };
    return recording.run(conditions, watch);
  }
  ReplayReport replay_as_recorded(std::vector<AllocatorEvent>* trace = nullptr) {
    return replay({}, trace);
  }

  traces::RecordedCase recorded;
  traces::SnapshotTables tables;
  RecordedHistory history;
};

TEST_P(ReplayedHistory, does_what_was_recorded_under_the_recorded_conditions) {
  std::vector<AllocatorEvent> trace;
  const ReplayReport report = replay_as_recorded(&trace);
  const std::vector<Group> replayed = groups_of(trace);
  const std::vector<Group> expected = groups_of(history.devices.front().events.to_vector());
  ASSERT_EQ(replayed.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(replayed[i], expected[i]) << i;
  const DeviceReport& device = report.devices.front();
  EXPECT_EQ(device.peak_reserved.bytes, device.recorded_peak_reserved);
  EXPECT_EQ(device.statistics.requested_bytes.all.peak,
            static_cast<std::int64_t>(device.recorded_peak_requested->count));
}

TEST_P(ReplayedHistory, figures_are_those_of_the_whole_run) {
  for (const std::size_t first : {std::size_t{0}, recorded.expected.trace.size() / 2}) {
    load(GetParam(), first);
    const tests::Replayed recording(history, tables, recorded.program.version);
    std::vector<ReplayConditions> all(3);
    all[1].on_out_of_memory = OnOutOfMemory::skip;
    all[2].options = "expandable_segments:True";
    // From the middle on, the memory that is there at the start might not fit into so little.
    if (first == 0) {
      ReplayConditions& little = all.emplace_back();
      little.memory = {recording.figures({}).devices.front().peak_reserved.bytes.count / 2};
      little.on_out_of_memory = OnOutOfMemory::skip;
    }
    for (const ReplayConditions& conditions : all) {
      SCOPED_TRACE(&conditions - all.data());
      const ReplayReport whole = recording.run(conditions);
      const ReplayReport figures = recording.figures(conditions);
      EXPECT_EQ(run_metrics(figures), run_metrics(whole));
      EXPECT_EQ(figures.calls, whole.calls);
      EXPECT_EQ(figures.stopped_at, whole.stopped_at);
    }
  }
}

TEST_P(ReplayedHistory, does_so_from_the_middle_on) {
  load(GetParam(), recorded.expected.trace.size() / 2);
  const ReplayReport report = replay_as_recorded();
  const DeviceReport& device = report.devices.front();
  EXPECT_EQ(device.peak_reserved.bytes, device.recorded_peak_reserved);
  EXPECT_GT(device.requests, 0U);
}

/// Figures that a recording tells, too.
void expect_figures_of(const DeviceHistory& history, const VerifyConditions& conditions,
                       const ReplayReport& report) {
  const MetricValues replayed = run_metrics(report);
  for (const MetricValue& recorded : history_metrics(history, explain(history, conditions))) {
    const MetricValue* const value = find_value(replayed, recorded.name);
    ASSERT_NE(value, nullptr) << recorded.name;
    EXPECT_EQ(value->value, recorded.value) << recorded.name;
  }
}

TEST_P(ReplayedHistory, counts_what_the_recording_shows_and_nothing_from_before) {
  for (const std::size_t first : {std::size_t{0}, recorded.expected.trace.size() / 2}) {
    SCOPED_TRACE(first);
    load(GetParam(), first);
    const ReplayReport report = replay_as_recorded();
    expect_figures_of(history.devices.front(),
                      {*recorded.program.version, false,
                       recorded_settings(history, tables.texts, *recorded.program.version)},
                      report);
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, ReplayedHistory,
                         ::testing::Values("train-1065", "trainstream-1034", "trainvar-1105",
                                           "streams-1115", "small-1164", "edge-1060", "churn-1054",
                                           "v212-train-2016", "v212-streams-2009",
                                           "v212-churn-2012", "pressure-1062", "oom-1097"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// Cases whose memory had limits that no recording tells, and that changed on the way.
class LimitedHistory : public ReplayedHistory {};

TEST_P(LimitedHistory, has_the_recorded_counts_and_peaks_under_the_recorded_conditions) {
  for (const std::size_t first : {std::size_t{0}, recorded.expected.trace.size() / 2}) {
    SCOPED_TRACE(first);
    load(GetParam(), first);
    const tests::Replayed recording(history, tables, recorded.program.version);
    if (recording.replayer().trust({}) != Trust::exact) continue;
    for (const ReplayReport& report : {recording.run({}), recording.figures({})}) {
      const DeviceReport& device = report.devices.front();
      EXPECT_EQ(device.peak_reserved.bytes, recording.replayer().history(0)->memory.peak_reserved);
      EXPECT_TRUE(device.counts() == recording.replayer().history(0)->memory.counts);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, LimitedHistory,
                         ::testing::Values("gc-1101", "gc-1122", "pressure-1062", "pressure-1075",
                                           "oversize-1010", "oversize-1117", "oom-1161",
                                           "pools-1122", "pools-1162", "streams-1076"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// A case in which requests fail and the program goes on.
class CaughtFailures : public ReplayedHistory {
 protected:
  void SetUp() override { load("oom-1097"); }

  std::vector<std::uint64_t> recorded_failures() const {
    std::vector<std::uint64_t> numbers;
    const auto& events = history.devices.front().events;
    for (std::size_t i = 0; i < events.size(); ++i)
      if (events[i].action == Action::oom) numbers.push_back(i);
    return numbers;
  }
};

TEST_F(CaughtFailures, fail_again_under_the_recorded_conditions_and_the_rest_follows) {
  const ReplayReport report = replay({});
  EXPECT_FALSE(report.stopped_at);
  std::vector<std::uint64_t> failed;
  for (const FailedRequest& failure : report.devices.front().failures)
    failed.push_back(failure.event);
  EXPECT_EQ(failed, recorded_failures());
  EXPECT_FALSE(report.devices.front().depends_from);
}

TEST_F(CaughtFailures, depend_on_the_program_from_the_first_that_passes_on) {
  ReplayConditions conditions;
  conditions.memory = boundless_memory;
  const tests::Replayed recording(history, tables, recorded.program.version);
  const ReplayReport report = recording.run(conditions);
  EXPECT_FALSE(report.has_failures());
  EXPECT_EQ(report.devices.front().depends_from, recorded_failures().front());
  EXPECT_EQ(recording.figures(conditions).devices.front().depends_from,
            recorded_failures().front());
}

TEST_F(CaughtFailures, end_a_replay_that_is_to_stop_at_any_failure) {
  ReplayConditions conditions;
  conditions.on_out_of_memory = OnOutOfMemory::stop;
  EXPECT_EQ(replay(conditions).stopped_at, recorded_failures().front());
}

class LateStarts : public ReplayedHistory {
 protected:
  void SetUp() override {
    load("train-1065");
    load("train-1065", recorded.expected.trace.size() / 2);
  }
};

TEST_F(LateStarts, are_told_with_their_share_of_the_peak) {
  const tests::Replayed recording(history, tables, recorded.program.version);
  const std::vector<LateStart> late = recording.replayer().late_starts();
  ASSERT_EQ(late.size(), 1U);
  EXPECT_GT(late.front().reserved, Bytes{});
  EXPECT_EQ(late.front().peak_reserved, recording.run({}).devices.front().peak_reserved.bytes);
  EXPECT_EQ(late_start_text({{0}, Bytes{3ULL << 30}, Bytes{4ULL << 30}}),
            "device 0: 3.00 GiB of 4.00 GiB (75 %) were reserved before the first event");
  EXPECT_EQ(recording.run({}).notes.front(), late_start_text(late.front()));
}

TEST_F(LateStarts, leave_only_the_recorded_options_exact) {
  const tests::Replayed recording(history, tables, recorded.program.version);
  ReplayConditions conditions;
  EXPECT_EQ(recording.replayer().trust(conditions), Trust::exact);
  conditions.options = "expandable_segments:True";
  EXPECT_EQ(recording.replayer().trust(conditions), Trust::modelled);
}

TEST_F(LateStarts, request_their_blocks_anew_where_that_is_asked_for) {
  const tests::Replayed recording(history, tables, recorded.program.version);
  ReplayConditions conditions;
  conditions.starting_memory = StartingMemory::requested_anew;
  conditions.options = "expandable_segments:True";
  const ReplayReport anew = recording.run(conditions);
  EXPECT_EQ(run_metrics(recording.figures(conditions)), run_metrics(anew));
  const StatisticValues& now = anew.devices.front().statistics;
  EXPECT_EQ(now.segment.all.current, 0) << "expandable segments count as none";
  conditions.starting_memory = StartingMemory::as_recorded;
  const ReplayReport kept = recording.run(conditions);
  EXPECT_EQ(kept.devices.front().statistics.requested_bytes.all.peak, now.requested_bytes.all.peak);
  EXPECT_NE(anew.devices.front().peak_reserved.bytes, kept.devices.front().peak_reserved.bytes);
}

class OtherConditions : public ReplayedHistory {};

TEST_P(OtherConditions, expandable_segments_take_their_memory_by_mapping) {
  ReplayConditions conditions;
  conditions.options = "expandable_segments:True";
  std::vector<AllocatorEvent> trace;
  const ReplayReport report = replay(conditions, &trace);
  const DeviceReport& device = report.devices.front();
  EXPECT_EQ(device.device_calls.allocations, 0U);
  EXPECT_GT(device.device_calls.units_created, 0U);
  EXPECT_EQ(std::ranges::count(trace, Action::segment_alloc, &AllocatorEvent::action), 0);
  EXPECT_EQ(device.statistics.requested_bytes.all.peak,
            static_cast<std::int64_t>(device.recorded_peak_requested->count));
}

TEST_P(OtherConditions, half_of_what_was_needed_is_too_little) {
  ReplayConditions conditions;
  conditions.memory = {replay_as_recorded().devices.front().peak_allocated.bytes.count / 2};
  const ReplayReport stopped = replay(conditions);
  ASSERT_TRUE(stopped.stopped_at);
  ASSERT_EQ(stopped.devices.front().failures.size(), 1U);
  EXPECT_EQ(stopped.devices.front().failures.front().event, *stopped.stopped_at);
  EXPECT_LE(stopped.devices.front().peak_reserved.bytes, *conditions.memory);
  conditions.on_out_of_memory = OnOutOfMemory::skip;
  const ReplayReport skipped = replay(conditions);
  EXPECT_FALSE(skipped.stopped_at);
  EXPECT_GE(skipped.devices.front().failures.size(), 1U);
  EXPECT_GT(skipped.calls, stopped.calls);
}

TEST_P(OtherConditions, a_fraction_of_the_device_limits_what_is_reserved) {
  ReplayConditions conditions;
  const Bytes reserved = replay_as_recorded().devices.front().peak_reserved.bytes;
  conditions.memory = {reserved.count * 2};
  EXPECT_FALSE(replay(conditions).has_failures());
  conditions.memory_fraction = 0.25;
  const ReplayReport report = replay(conditions);
  EXPECT_TRUE(report.has_failures());
  EXPECT_LE(report.devices.front().peak_reserved.bytes.count, reserved.count / 2);
}

TEST_P(OtherConditions, a_state_up_to_an_event_is_on_the_way_to_the_end) {
  const tests::Replayed recording(history, tables, recorded.program.version);
  const ReplayReport whole = recording.run({});
  ReplayWatch until;
  until.until[{0}] = whole.devices.front().peak_allocated.event;
  std::int64_t allocated = 0;
  until.at_end = [&allocated](DeviceReplay& device) {
    allocated = device.statistics().allocated_bytes.all.current;
  };
  const ReplayReport part = recording.run({}, until);
  EXPECT_EQ(allocated, static_cast<std::int64_t>(whole.devices.front().peak_allocated.bytes.count));
  EXPECT_LT(part.calls, whole.calls);
}

INSTANTIATE_TEST_SUITE_P(Recorded, OtherConditions,
                         ::testing::Values("train-1199", "trainstream-1072", "small-1164"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Recordings, a_free_of_what_was_never_given_is_left_out_and_told) {
  traces::RecordedCase recorded = bundled_case("train-1065");
  RecordedHistory history = history_of(recorded);
  std::vector<AllocatorEvent> events = history.devices.front().events.to_vector();
  std::erase_if(events,
                [](const AllocatorEvent& event) { return event.action == Action::snapshot; });
  const auto free = std::ranges::find(events, Action::free_requested, &AllocatorEvent::action);
  const AllocatorEvent again = *free;
  events.insert(free + 2, again);
  history.devices.front().events = std::move(events);
  traces::SnapshotTables tables;
  const ReplayReport report = tests::Replayed(history, tables).run({});
  const bool is_told = std::ranges::any_of(report.notes, [](const std::string& note) {
    return note.find("1 frees of unknown blocks are left out") != std::string::npos;
  });
  EXPECT_TRUE(is_told);
}

TEST(Recordings, a_final_state_alone_is_refused) {
  RecordedHistory history;
  history.devices.emplace_back();
  traces::SnapshotTables tables;
  EXPECT_THROW(tests::Replayed(history, tables), traces::InputError);
}

}  // namespace
}  // namespace vramlab::replay
