// A program's events as calls on streams in virtual time.
#include "replay/replayer/stream_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

using streams::CudaStatus;
using traces::ProgramEvent;
using Kind = traces::ProgramEventKind;
using testing::ElementsAre;
using testing::IsEmpty;

class StreamPrograms : public testing::Test {
 protected:
  bool add(const ProgramEvent& event) {
    if (!program_.begin(event, number_++)) return false;
    program_.apply(event);
    return true;
  }
  bool add(Kind kind, std::uint64_t stream = 0, std::uint64_t duration_ns = 0) {
    ProgramEvent event;
    event.kind = kind;
    event.stream = {stream};
    event.duration_ns = duration_ns;
    return add(event);
  }
  bool on_event(Kind kind, std::uint64_t id, std::uint64_t stream = 0, std::uint32_t device = 0) {
    ProgramEvent event;
    event.kind = kind;
    event.event = {id};
    event.stream = {stream};
    event.device = {device};
    return add(event);
  }
  std::uint64_t now() { return program_.streams().now().ns; }

  streams::StreamWatcher nobody_;
  ProgramAccesses accesses_{ProgramAccesses::Use::hazards};
  StreamProgram program_{{}, nobody_, accesses_};
  std::uint64_t number_ = 0;
};

TEST_F(StreamPrograms, undeclared_streams_run_side_by_side_and_are_waited_for) {
  add(Kind::work, 1, 100);
  add(Kind::work, 2, 250);
  add(Kind::stream_sync, 1);
  add(Kind::snapshot);
  EXPECT_EQ(now(), 100U);
  add(Kind::device_sync);
  add(Kind::snapshot);
  EXPECT_EQ(now(), 250U);
  EXPECT_THAT(program_.refused(), IsEmpty());
}

TEST_F(StreamPrograms, declared_blocking_streams_wait_for_the_legacy_stream) {
  add(Kind::stream_create, 1);
  add(Kind::work, 0, 100);
  add(Kind::work, 1, 10);
  add(Kind::stream_sync, 1);
  add(Kind::snapshot);
  EXPECT_EQ(now(), 110U);
}

TEST_F(StreamPrograms, once_one_stream_is_created_all_must_be) {
  add(Kind::work, 3, 1);
  add(Kind::stream_create, 1);
  add(Kind::work, 3, 1);
  EXPECT_THROW(add(Kind::work, 2, 1), ProgramError);
}

TEST_F(StreamPrograms, nothing_is_created_after_it_was_used) {
  add(Kind::work, 3, 1);
  EXPECT_THROW(add(Kind::stream_create, 3), ProgramError);
  on_event(Kind::event_wait, 4);
  EXPECT_THROW(on_event(Kind::event_create, 4), ProgramError);
}

TEST_F(StreamPrograms, a_destroyed_stream_is_refused_and_not_bad_input) {
  add(Kind::stream_create, 1);
  add(Kind::stream_destroy, 1);
  add(Kind::work, 1, 5);
  ASSERT_EQ(program_.refused().size(), 1U);
  EXPECT_EQ(program_.refused()[0].event, 2U);
  EXPECT_EQ(program_.refused()[0].status, CudaStatus::invalid_resource_handle);
}

TEST_F(StreamPrograms, a_stream_waits_for_another_s_event) {
  add(Kind::work, 1, 100);
  on_event(Kind::event_record, 5, 1);
  on_event(Kind::event_wait, 5, 2);
  add(Kind::work, 2, 10);
  add(Kind::stream_sync, 2);
  add(Kind::snapshot);
  EXPECT_EQ(now(), 110U);
}

TEST_F(StreamPrograms, a_stream_waits_for_another_stream) {
  add(Kind::work, 1, 100);
  ProgramEvent wait;
  wait.kind = Kind::stream_wait;
  wait.stream = {2};
  wait.for_stream = {1};
  add(wait);
  add(Kind::work, 2, 10);
  add(Kind::stream_sync, 2);
  add(Kind::snapshot);
  EXPECT_EQ(now(), 110U);
}

TEST_F(StreamPrograms, an_undeclared_event_goes_where_it_is_recorded) {
  on_event(Kind::event_record, 5, 1, 0);
  on_event(Kind::event_record, 5, 1, 1);
  EXPECT_THAT(program_.refused(), IsEmpty());
}

TEST_F(StreamPrograms, a_declared_event_stays_on_its_device) {
  on_event(Kind::event_create, 5);
  on_event(Kind::event_record, 5, 1, 1);
  ASSERT_EQ(program_.refused().size(), 1U);
  EXPECT_THROW(on_event(Kind::event_record, 6), ProgramError);
}

TEST_F(StreamPrograms, questions_are_answered_at_their_time) {
  add(Kind::work, 1, 100);
  add(Kind::stream_query, 1);
  add(Kind::stream_sync, 1);
  add(Kind::stream_query, 1);
  ASSERT_EQ(program_.answers().size(), 2U);
  EXPECT_EQ(program_.answers()[0].status, CudaStatus::not_ready);
  EXPECT_EQ(program_.answers()[1].status, CudaStatus::success);
  EXPECT_THAT(program_.refused(), IsEmpty());
}

TEST_F(StreamPrograms, time_between_events_is_told) {
  on_event(Kind::event_record, 1, 4);
  add(Kind::work, 4, 1500);
  on_event(Kind::event_record, 2, 4);
  on_event(Kind::event_sync, 2);
  ProgramEvent elapsed;
  elapsed.kind = Kind::event_elapsed;
  elapsed.event = {2};
  elapsed.from_event = {1};
  add(elapsed);
  EXPECT_EQ(program_.answers().back().status, CudaStatus::success);
  EXPECT_EQ(program_.answers().back().elapsed_ns, 1500);
}

TEST_F(StreamPrograms, captured_work_runs_when_its_graph_is_launched) {
  add(Kind::capture_begin, 4);
  add(Kind::work, 4, 30);
  ProgramEvent graph;
  graph.kind = Kind::capture_end;
  graph.stream = {4};
  graph.graph = 9;
  add(graph);
  EXPECT_EQ(now(), 0U);
  graph.kind = Kind::graph_launch;
  add(graph);
  add(graph);
  add(Kind::stream_sync, 4);
  add(Kind::snapshot);
  EXPECT_EQ(now(), 60U);
}

TEST_F(StreamPrograms, accesses_are_the_next_work_s_and_a_graph_keeps_its_own) {
  accesses_.hand_out(7, 0);
  ProgramEvent access;
  access.kind = Kind::reads;
  access.id = 7;
  access.stream = {4};
  add(Kind::capture_begin, 4);
  add(access);
  const std::uint64_t work = number_;
  add(Kind::work, 4, 30);
  EXPECT_THAT(accesses_.accesses_of(work).read, ElementsAre(streams::BlockNumber{1}));
  add(Kind::capture_end, 4);
  add(access);
  add(Kind::work, 4, 30);
  EXPECT_THAT(accesses_.accesses_of(number_ - 1).read, IsEmpty());
  access.id = 8;
  EXPECT_THROW(add(access), ProgramError);
}

TEST_F(StreamPrograms, a_thread_that_waits_in_vain_gets_no_further) {
  ProgramEvent wait;
  wait.kind = Kind::flag_wait;
  wait.flag = 6;
  wait.value = 1;
  wait.stream = {3};
  add(wait);
  add(Kind::stream_sync, 3);
  EXPECT_FALSE(add(Kind::snapshot));
  const Deadlock deadlock = program_.finish();
  ASSERT_EQ(deadlock.threads.size(), 1U);
  EXPECT_EQ(deadlock.threads[0].event, 1U);
  ASSERT_EQ(deadlock.work.size(), 1U);
  EXPECT_EQ(deadlock.work[0].awaited, streams::FlagId{6});
}

TEST_F(StreamPrograms, a_fault_loses_the_context_and_is_no_deadlock) {
  ProgramEvent work;
  work.kind = Kind::work;
  work.fault = traces::WorkFault::illegal_address;
  work.duration_ns = 10;
  add(work);
  add(Kind::device_sync);
  add(Kind::work, 0, 10);
  ASSERT_EQ(program_.refused().size(), 1U);
  EXPECT_EQ(program_.refused()[0].status, CudaStatus::illegal_address);
  EXPECT_FALSE(program_.finish().is_one());
}

}  // namespace
}  // namespace vramlab::replay
