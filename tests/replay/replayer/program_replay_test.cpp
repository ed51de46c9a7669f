// Programs replayed event by event, small enough to know every figure.
#include "replay/replayer/program_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;
using allocator::Bytes;
using traces::ProgramEvent;
using traces::ProgramEventKind;

class Programs : public ::testing::Test {
 protected:
  ProgramEvent& add(ProgramEventKind kind, std::uint64_t id = 0, std::uint64_t time_ns = 0) {
    ProgramEvent& event = events.emplace_back();
    event.kind = kind;
    event.id = id;
    event.time_ns = time_ns;
    return event;
  }
  void malloc(std::uint64_t id, Bytes size, std::uint64_t time_ns = 0, std::uint32_t device = 0) {
    ProgramEvent& event = add(ProgramEventKind::malloc, id, time_ns);
    event.bytes = size;
    event.device = {device};
  }
  /// A block that a second stream works on for a time, freed at once and asked for again later.
  void shared_block(std::uint64_t work_ns, std::uint64_t again_at_ns) {
    malloc(1, 4_MiB);
    add(ProgramEventKind::use, 1).stream = {7};
    ProgramEvent& work = add(ProgramEventKind::work);
    work.stream = {7};
    work.duration_ns = work_ns;
    add(ProgramEventKind::free, 1);
    malloc(2, 18_MiB, again_at_ns);
  }
  ReplayReport run(ReplayConditions conditions = {}, ReplayWatch watch = {}) {
    ProgramReplay replay("program", tables, std::move(conditions), std::move(watch));
    replay.header(header);
    for (const ProgramEvent& event : events) replay.program_event(event);
    return replay.finish();
  }
  std::int64_t reserved_with(FreeTiming timing) {
    ReplayConditions conditions;
    conditions.timing = timing;
    return run(conditions).devices.front().statistics.reserved_bytes.all.current;
  }
  std::string refusal() {
    try {
      run();
    } catch (const traces::InputError& error) {
      return error.what();
    }
    return "none";
  }

  traces::SnapshotTables tables;
  traces::TraceHeader header;
  std::vector<ProgramEvent> events;
};

TEST_F(Programs, peaks_and_counts_are_those_of_the_rules) {
  malloc(1, 3_MiB, 10);
  malloc(2, 1000_B, 20);
  add(ProgramEventKind::free, 1, 30);
  const ReplayReport report = run();
  ASSERT_EQ(report.devices.size(), 1U);
  const DeviceReport& device = report.devices.front();
  EXPECT_EQ(device.requests, 2U);
  EXPECT_EQ(device.frees, 1U);
  EXPECT_EQ(device.peak_allocated.bytes, 3_MiB + 1024_B);
  EXPECT_EQ(device.peak_allocated.event, 1U);
  EXPECT_EQ(device.peak_allocated.time_ns, 20U);
  EXPECT_EQ(device.peak_reserved.bytes, 22_MiB);
  EXPECT_EQ(device.statistics.allocated_bytes.all.current, 1024);
  EXPECT_EQ(device.device_calls.allocations, 2U);
  EXPECT_EQ(device.memory_origin, "");
}

TEST_F(Programs, memory_and_options_come_from_the_header_unless_others_are_asked_for) {
  header.settings = "expandable_segments:True";
  header.devices.push_back({{0}, 64_MiB, "small"});
  malloc(1, 100_MiB);
  const ReplayReport as_said = run();
  EXPECT_EQ(as_said.options, "expandable_segments:True");
  EXPECT_EQ(as_said.stopped_at, 0U);
  EXPECT_EQ(as_said.devices.front().failures.front().figures.device_total, 64_MiB);
  ReplayConditions others;
  others.options = "";
  others.memory = 200_MiB;
  const ReplayReport report = run(others);
  EXPECT_FALSE(report.has_failures());
  EXPECT_EQ(report.devices.front().device_calls.allocations, 1U);
}

TEST_F(Programs, options_that_the_program_sets_give_way_to_those_asked_for) {
  add(ProgramEventKind::options).text = tables.texts.intern("expandable_segments:True");
  malloc(1, 4_MiB);
  EXPECT_EQ(run().devices.front().device_calls.allocations, 0U);
  ReplayConditions asked;
  asked.options = "max_split_size_mb:100";
  const ReplayReport report = run(asked);
  EXPECT_EQ(report.devices.front().device_calls.allocations, 1U);
  EXPECT_THAT(report.notes, testing::ElementsAre(testing::HasSubstr("left out: 1")));
}

TEST_F(Programs, memory_in_use_elsewhere_waits_as_the_timing_says) {
  shared_block(1000, 500);
  EXPECT_EQ(reserved_with(FreeTiming::eager), (20_MiB).count);
  EXPECT_EQ(reserved_with(FreeTiming::modelled), (38_MiB).count);
  EXPECT_EQ(reserved_with(FreeTiming::recorded), (38_MiB).count);
}

TEST_F(Programs, work_that_is_done_gives_memory_back) {
  shared_block(1000, 1000);
  EXPECT_EQ(reserved_with(FreeTiming::modelled), (20_MiB).count);
  EXPECT_EQ(reserved_with(FreeTiming::recorded), (38_MiB).count);
}

TEST_F(Programs, what_the_program_says_is_done_is_done) {
  shared_block(1'000'000, 10);
  ProgramEvent done;
  done.kind = ProgramEventKind::stream_done;
  done.stream = {7};
  events.insert(events.end() - 1, done);
  EXPECT_EQ(reserved_with(FreeTiming::recorded), (20_MiB).count);
  EXPECT_EQ(reserved_with(FreeTiming::modelled), (20_MiB).count);
}

TEST_F(Programs, a_fraction_of_nobody_knows_what_is_told_to_limit_nothing) {
  malloc(1, 3_MiB);
  ReplayConditions conditions;
  conditions.memory_fraction = 0.5;
  EXPECT_THAT(run(conditions).notes, testing::ElementsAre(testing::HasSubstr("limits nothing")));
  conditions.memory = 30_MiB;
  const ReplayReport report = run(conditions);
  EXPECT_TRUE(report.notes.empty());
  EXPECT_TRUE(report.has_failures());
}

TEST_F(Programs, devices_are_apart) {
  malloc(1, 3_MiB, 0, 0);
  malloc(2, 30_MiB, 0, 2);
  const ReplayReport report = run();
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(report.devices[0].peak_reserved.bytes, 20_MiB);
  EXPECT_EQ(report.devices[1].device.value, 2U);
  EXPECT_EQ(report.devices[1].peak_reserved.bytes, 30_MiB);
}

TEST_F(Programs, a_request_that_failed_is_left_out_of_what_follows) {
  malloc(1, 3_MiB);
  add(ProgramEventKind::use, 1).stream = {3};
  add(ProgramEventKind::free, 1);
  ReplayConditions conditions;
  conditions.memory = 2_MiB;
  conditions.on_out_of_memory = OnOutOfMemory::skip;
  const ReplayReport report = run(conditions);
  EXPECT_EQ(report.calls, 3U);
  EXPECT_EQ(report.devices.front().failures.size(), 1U);
}

TEST_F(Programs, what_must_not_be_is_refused_by_its_place) {
  malloc(1, 3_MiB);
  add(ProgramEventKind::free, 2);
  EXPECT_EQ(refusal(),
            "program at event 1 of the program: expected a call that may be made then, found the "
            "id 2 cannot be freed: nothing in use has that name");
  header.reference = "0.1";
  EXPECT_THAT(refusal(), testing::HasSubstr("found '0.1'"));
}

TEST_F(Programs, the_33rd_stream_of_a_pool_is_the_first_one_again) {
  for (std::uint64_t stream = 1; stream <= 33; ++stream)
    add(ProgramEventKind::stream_from_pool).stream = {stream};
  malloc(1, 12_MiB);
  events.back().stream = {1};
  add(ProgramEventKind::free, 1);
  malloc(2, 12_MiB);
  events.back().stream = {33};
  EXPECT_EQ(reserved_with(FreeTiming::modelled), (12_MiB).count);
  EXPECT_EQ(reserved_with(FreeTiming::recorded), (12_MiB).count);
  events.back().stream = {32};
  EXPECT_EQ(reserved_with(FreeTiming::modelled), (24_MiB).count);
}

TEST_F(Programs, a_name_is_taken_from_a_pool_once) {
  add(ProgramEventKind::stream_from_pool).stream = {5};
  add(ProgramEventKind::stream_from_pool).stream = {5};
  EXPECT_THAT(refusal(), testing::HasSubstr("stream 5 is there already"));
}

TEST_F(Programs, an_endless_wait_stops_the_program_and_is_no_out_of_memory) {
  ProgramEvent& wait = add(ProgramEventKind::flag_wait);
  wait.flag = 1;
  wait.value = 1;
  add(ProgramEventKind::device_sync);
  malloc(1, 4_MiB);
  const ReplayReport report = run();
  EXPECT_FALSE(report.stopped_at.has_value());
  EXPECT_THAT(report.notes, testing::Contains(testing::HasSubstr("the program stops at event 2")));
}

}  // namespace
}  // namespace vramlab::replay
