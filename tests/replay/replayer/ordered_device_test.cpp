// Programs replayed with backend:cudaMallocAsync, small enough to know every figure.
#include "replay/replayer/ordered_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/replayer/program_replay.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;
using allocator::Bytes;
using testing::HasSubstr;
using traces::ProgramEvent;
using traces::ProgramEventKind;

class OrderedPrograms : public ::testing::Test {
 protected:
  ProgramEvent& add(ProgramEventKind kind, std::uint64_t id = 0, std::uint64_t stream = 0,
                    std::uint64_t time_ns = 0) {
    ProgramEvent& event = events.emplace_back();
    event.kind = kind;
    event.id = id;
    event.stream = {stream};
    event.time_ns = time_ns;
    return event;
  }
  void malloc(std::uint64_t id, Bytes size, std::uint64_t stream = 0, std::uint64_t time_ns = 0) {
    add(ProgramEventKind::malloc, id, stream, time_ns).bytes = size;
  }
  void free(std::uint64_t id, std::uint64_t time_ns = 0) {
    add(ProgramEventKind::free, id, 0, time_ns);
  }
  void work(std::uint64_t stream, std::uint64_t ns) {
    add(ProgramEventKind::work, 0, stream).duration_ns = ns;
  }
  DeviceReport device(ReplayConditions conditions = {}) { return run(conditions).devices.at(0); }
  ReplayReport run(ReplayConditions conditions = {}, ReplayWatch watch = {}) {
    conditions.options = "backend:cudaMallocAsync";
    conditions.on_out_of_memory = OnOutOfMemory::skip;
    ProgramReplay replay("program", tables, std::move(conditions), std::move(watch));
    for (const ProgramEvent& event : events) replay.program_event(event);
    return replay.finish();
  }
  std::string refusal(ReplayWatch watch = {}) {
    try {
      run({}, std::move(watch));
    } catch (const traces::InputError& error) {
      return error.what();
    }
    return "none";
  }

  traces::SnapshotTables tables;
  std::vector<ProgramEvent> events;
};

TEST_F(OrderedPrograms, figures_are_those_of_the_pool) {
  malloc(1, 20_MiB);
  malloc(2, {1000});
  free(1);
  const DeviceReport report = device();
  EXPECT_EQ(report.requests, 2u);
  EXPECT_EQ(report.frees, 1u);
  EXPECT_EQ(report.peak_allocated.bytes, 20_MiB + Bytes{1024});
  EXPECT_EQ(report.peak_allocated.event, 1u);
  EXPECT_EQ(report.peak_reserved.bytes, 32_MiB);
  EXPECT_EQ(report.statistics.requested_bytes.all.current, 1000);
  EXPECT_EQ(report.statistics.allocated_bytes.all.current, 1024);
  EXPECT_EQ(report.statistics.reserved_bytes.all.current, (32_MiB).count);
  ASSERT_TRUE(report.pool);
  EXPECT_EQ(report.pool->grown, 1u);
  EXPECT_EQ(report.pool->reused, 1u);
}

TEST_F(OrderedPrograms, a_report_says_that_it_is_a_model) {
  malloc(1, 1_MiB);
  const ReplayReport report = run();
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_THAT(report.notes[0], HasSubstr("modelled"));
  EXPECT_EQ(report.options, "backend:cudaMallocAsync");
}

/// A stream's own memory is free at once, another's once its work is done.
TEST_F(OrderedPrograms, another_stream_gets_memory_when_the_work_before_the_free_is_done) {
  for (const std::uint64_t again_at : {50, 100}) {
    events.clear();
    malloc(1, 32_MiB, 1);
    work(1, 100);
    free(1);
    malloc(2, 32_MiB, 2, again_at);
    EXPECT_EQ(device().peak_reserved.bytes, again_at < 100 ? 64_MiB : 32_MiB);
  }
}

/// PyTorch frees behind all the streams that used a block.
TEST_F(OrderedPrograms, a_block_that_others_used_is_free_behind_all_of_them) {
  for (const std::uint64_t again_at : {50, 100}) {
    events.clear();
    malloc(1, 32_MiB, 1);
    add(ProgramEventKind::use, 1, 2);
    work(2, 100);
    free(1);
    malloc(2, 32_MiB, 1, again_at);
    EXPECT_EQ(device().peak_reserved.bytes, again_at < 100 ? 64_MiB : 32_MiB);
    EXPECT_EQ(device({.timing = FreeTiming::eager}).peak_reserved.bytes, 32_MiB);
  }
}

TEST_F(OrderedPrograms, with_recorded_frees_work_ends_when_the_program_says_so) {
  malloc(1, 32_MiB, 1);
  add(ProgramEventKind::use, 1, 2);
  work(2, 1);
  free(1);
  malloc(2, 32_MiB, 1, 1000);
  free(2);
  EXPECT_EQ(device({.timing = FreeTiming::recorded}).peak_reserved.bytes, 64_MiB);
  events.insert(events.end() - 2, ProgramEvent{})->kind = ProgramEventKind::stream_done;
  events[events.size() - 3].stream = {2};
  EXPECT_EQ(device({.timing = FreeTiming::recorded}).peak_reserved.bytes, 32_MiB);
}

TEST_F(OrderedPrograms, where_memory_is_short_streams_are_made_to_wait) {
  malloc(1, 32_MiB, 1);
  work(1, 100);
  free(1);
  malloc(2, 32_MiB, 2);
  const DeviceReport report = device({.memory = 32_MiB});
  EXPECT_TRUE(report.failures.empty());
  EXPECT_EQ(report.pool->made_to_wait, 1u);
}

TEST_F(OrderedPrograms, a_request_that_does_not_fit_is_told_and_left_out) {
  malloc(1, 20_MiB);
  malloc(2, 20_MiB);
  free(2);
  free(1);
  const DeviceReport report = device({.memory = 40_MiB});
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0].event, 1u);
  EXPECT_EQ(report.failures[0].figures.request, 20_MiB);
  EXPECT_EQ(report.failures[0].figures.allocated, 20_MiB);
  EXPECT_EQ(report.failures[0].figures.reserved, 32_MiB);
  EXPECT_EQ(report.statistics.allocated_bytes.all.current, 0);
}

TEST_F(OrderedPrograms, a_memory_fraction_limits_what_is_in_use) {
  malloc(1, 30_MiB);
  malloc(2, 30_MiB);
  const DeviceReport report = device({.memory = 100_MiB, .memory_fraction = 0.5});
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0].figures.allowed, 50_MiB);
}

TEST_F(OrderedPrograms, emptying_the_cache_waits_and_gives_everything_back) {
  malloc(1, 64_MiB, 1);
  work(1, 1000);
  free(1);
  add(ProgramEventKind::empty_cache);
  malloc(2, 1_MiB, 2);
  const DeviceReport report = device();
  EXPECT_EQ(report.peak_reserved.bytes, 64_MiB);
  EXPECT_EQ(report.statistics.reserved_bytes.all.current, (32_MiB).count);
  EXPECT_EQ(report.pool->units_released, 2u);
}

TEST_F(OrderedPrograms, what_must_not_be_or_is_not_modelled_is_refused) {
  free(1);
  EXPECT_THAT(refusal(), HasSubstr("nothing in use has that name"));
  events.clear();
  add(ProgramEventKind::pool_create).pool = {1, 0};
  EXPECT_THAT(refusal(), HasSubstr("private pools are not modelled"));
  events.clear();
  add(ProgramEventKind::capture_begin, 0, 1);
  malloc(1, 1_MiB, 1);
  EXPECT_THAT(refusal(), HasSubstr("streams that capture are not modelled"));
}

/// Stream 2 waits for stream 1, and the program says of stream 2 only that it is done.
TEST_F(OrderedPrograms, with_recorded_frees_what_a_finished_stream_waited_for_is_done_too) {
  work(1, 1);
  add(ProgramEventKind::event_record, 0, 1).event = {7};
  add(ProgramEventKind::event_wait, 0, 2).event = {7};
  work(2, 1);
  malloc(1, 32_MiB, 1);
  work(1, 1);
  free(1);
  add(ProgramEventKind::stream_done, 0, 2);
  malloc(2, 32_MiB, 2, 1000);
  const ReplayReport report = run({.timing = FreeTiming::recorded});
  EXPECT_EQ(report.notes.size(), 1u) << report.notes.front();
  // Work of stream 1 behind the record is not.
  EXPECT_EQ(report.devices.at(0).peak_reserved.bytes, 64_MiB);
}

TEST_F(OrderedPrograms, with_recorded_frees_events_devices_and_an_emptied_cache_are_waited_for) {
  for (const ProgramEventKind wait : {ProgramEventKind::event_sync, ProgramEventKind::device_sync,
                                      ProgramEventKind::empty_cache}) {
    events.clear();
    malloc(1, 32_MiB, 1);
    work(1, 1);
    add(ProgramEventKind::event_record, 0, 1).event = {7};
    free(1);
    add(wait).event = {7};
    malloc(2, 32_MiB, 2, 1000);
    const ReplayReport report = run({.timing = FreeTiming::recorded});
    EXPECT_EQ(report.notes.size(), 1u) << report.notes.front();
    EXPECT_EQ(report.devices.at(0).peak_reserved.bytes, 32_MiB);
  }
}

TEST_F(OrderedPrograms, with_recorded_frees_devices_are_done_each_for_itself) {
  malloc(1, 32_MiB, 1);
  work(1, 1);
  work(1, 1);
  events.back().device = {1};
  free(1);
  add(ProgramEventKind::stream_done, 0, 1).device = {1};
  malloc(2, 32_MiB, 2, 1000);
  EXPECT_EQ(device({.timing = FreeTiming::recorded}).peak_reserved.bytes, 64_MiB);
}

/// Its work goes on when a stream is destroyed.
TEST_F(OrderedPrograms, a_block_is_not_free_before_streams_that_are_gone_are_done_with_it) {
  for (const std::uint64_t gone : {1, 2})
    for (const std::uint64_t again_at : {50, 100}) {
      events.clear();
      for (const std::uint64_t stream : {1, 2, 3})
        add(ProgramEventKind::stream_create, 0, stream).non_blocking = true;
      malloc(1, 32_MiB, 1);
      add(ProgramEventKind::use, 1, 2);
      work(gone, 100);
      add(ProgramEventKind::stream_destroy, 0, gone);
      add(ProgramEventKind::stream_create, 0, gone).non_blocking = true;
      free(1);
      malloc(2, 32_MiB, 3, again_at);
      EXPECT_EQ(device().peak_reserved.bytes, again_at < 100 ? 64_MiB : 32_MiB);
    }
}

TEST_F(OrderedPrograms, frees_that_captures_stand_in_the_way_of_are_refused) {
  malloc(1, 1_MiB, 1);
  add(ProgramEventKind::use, 1, 2);
  add(ProgramEventKind::capture_begin, 0, 2);
  free(1);
  EXPECT_THAT(refusal(), HasSubstr("frees of streams that capture are not modelled"));
  events.clear();
  add(ProgramEventKind::stream_create, 0, 1);
  malloc(1, 1_MiB, 1);
  add(ProgramEventKind::use, 1, 0);
  add(ProgramEventKind::stream_create, 0, 2);
  add(ProgramEventKind::capture_begin, 0, 2);
  free(1);
  EXPECT_THAT(refusal(), HasSubstr("must wait for stream 0, and CUDA refuses that"));
}

TEST_F(OrderedPrograms, a_fraction_that_the_program_sets_is_left_out_with_other_options) {
  add(ProgramEventKind::memory_fraction).fraction = 0.1;
  malloc(1, 30_MiB);
  EXPECT_TRUE(device({.memory = 100_MiB}).failures.empty());
}

TEST_F(OrderedPrograms, requests_of_any_size_are_answered) {
  for (std::uint64_t id = 1; id < 9; ++id) malloc(id, Bytes{1ULL << 43});
  malloc(9, Bytes{UINT64_MAX});
  malloc(10, Bytes{0});
  free(10);
  EXPECT_GE(device({.memory = Bytes{1ULL << 46}}).failures.size(), 7u);
  EXPECT_EQ(device({.memory = 1_MiB}).failures.size(), 9u);
}

TEST_F(OrderedPrograms, segments_cannot_be_looked_at) {
  malloc(1, 1_MiB);
  ReplayWatch watch;
  watch.at_end = [](DeviceReplay&) {};
  EXPECT_THAT(refusal(watch), HasSubstr("expected the native backend"));
}

}  // namespace
}  // namespace vramlab::replay
