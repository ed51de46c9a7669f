#include "traces/cases/program_calls.h"

#include <gtest/gtest.h>

#include "traces/calls/call_text.h"

namespace vramlab::traces {
namespace {

using allocator::PoolId;
using allocator::StreamId;

class CallsOfEvents : public testing::Test {
 protected:
  void add(ProgramEvent event) { calls_.program_event(event); }
  static ProgramEvent of(ProgramEventKind kind) {
    ProgramEvent event;
    event.kind = kind;
    return event;
  }
  void add_pool(ProgramEventKind kind, PoolId pool) {
    ProgramEvent event = of(kind);
    event.pool = pool;
    add(event);
  }

  SnapshotTables tables_;
  ProgramCalls calls_{tables_};
};

TEST_F(CallsOfEvents, carry_what_the_events_say) {
  ProgramEvent event = of(ProgramEventKind::malloc);
  event.id = 3;
  event.bytes = {4096};
  event.stream = {2};
  add(event);
  event = of(ProgramEventKind::options);
  event.text = tables_.texts.intern("max_split_size_mb:64");
  add(event);
  ASSERT_EQ(calls_.calls().size(), 2U);
  EXPECT_EQ(calls_.calls()[0].kind, CallKind::malloc);
  EXPECT_EQ(calls_.calls()[0].id, 3U);
  EXPECT_EQ(calls_.calls()[0].bytes.count, 4096U);
  EXPECT_EQ(calls_.calls()[0].stream, StreamId{2});
  EXPECT_EQ(calls_.calls()[1].kind, CallKind::set_config);
  EXPECT_EQ(calls_.calls()[1].text, "max_split_size_mb:64");
}

TEST_F(CallsOfEvents, number_pools_by_when_they_come) {
  add_pool(ProgramEventKind::pool_begin, {7, 0});
  add_pool(ProgramEventKind::pool_begin, {0, 7});
  add_pool(ProgramEventKind::pool_end, {7, 0});
  add_pool(ProgramEventKind::empty_cache, allocator::default_pool);
  ASSERT_EQ(calls_.calls().size(), 4U);
  EXPECT_EQ(calls_.calls()[0].pool, 1U);
  EXPECT_EQ(calls_.calls()[1].pool, 2U);
  EXPECT_EQ(calls_.calls()[2].pool, 1U);
  EXPECT_EQ(calls_.calls()[3].pool, 0U);
}

TEST_F(CallsOfEvents, wait_for_the_stream_that_recorded_last) {
  ProgramEvent event = of(ProgramEventKind::event_record);
  event.event = {5};
  event.stream = {1};
  add(event);
  event.stream = {3};
  add(event);
  event.kind = ProgramEventKind::event_wait;
  event.stream = {2};
  add(event);
  ASSERT_EQ(calls_.calls().size(), 1U);
  EXPECT_EQ(calls_.calls()[0].kind, CallKind::wait);
  EXPECT_EQ(calls_.calls()[0].stream, StreamId{2});
  EXPECT_EQ(calls_.calls()[0].waited_stream, StreamId{3});
}

TEST_F(CallsOfEvents, leave_out_marks_records_and_what_only_a_model_of_streams_needs) {
  for (std::size_t i = 0; i < program_event_kind_count; ++i) {
    const auto kind = static_cast<ProgramEventKind>(i);
    if (kind == ProgramEventKind::event_wait) continue;
    const std::size_t before = calls_.calls().size();
    add(of(kind));
    const bool is_left_out =
        kind == ProgramEventKind::marker || kind == ProgramEventKind::range_begin ||
        kind == ProgramEventKind::range_end || kind == ProgramEventKind::event_record ||
        kind == ProgramEventKind::reads || kind == ProgramEventKind::writes ||
        kind >= ProgramEventKind::flag_write;
    EXPECT_EQ(calls_.calls().size() == before, is_left_out) << program_event_name(kind);
  }
}

}  // namespace
}  // namespace vramlab::traces
