// docs/reference/stream_model.md, 9: captures, and the calls that they forbid.
#include <gtest/gtest.h>

#include "tests/support/devices/scripted_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using allocator::EventId;

class CaptureRules : public testing::Test {
 protected:
  CaptureRules() {
    for (const StreamAt stream : {first, second, outside})
      calls().create_stream(stream, non_blocking);
    calls().create_event(event, 0, true);
    calls().create_event(other_event, 0, true);
  }
  TimedStreams& calls(std::uint32_t thread = 0) { return script_.next(thread); }
  CudaStatus begin(StreamAt stream, CaptureMode mode = CaptureMode::relaxed) {
    return calls().begin_capture(stream, mode);
  }
  CudaStatus end(StreamAt stream) { return calls().end_capture(stream, graph); }
  /// Ends the capture, which was invalidated.
  void expect_invalidated(StreamAt origin) {
    EXPECT_EQ(end(origin), CudaStatus::stream_capture_invalidated);
    EXPECT_EQ(calls().launch_graph(graph, outside, 9), CudaStatus::invalid_value);
  }
  void fork(StreamAt from, StreamAt to, EventId by) {
    EXPECT_EQ(calls().record_event(by, from, 0), CudaStatus::success);
    EXPECT_EQ(calls().wait_for_event(to, by, 0), CudaStatus::success);
  }

  ScriptedStreams script_;
};

TEST_F(CaptureRules, captured_work_does_not_run) {
  EXPECT_EQ(begin(first), CudaStatus::success);
  EXPECT_EQ(calls().submit(first, kernel(10, 1)), CudaStatus::success);
  EXPECT_EQ(end(first), CudaStatus::success);
  EXPECT_EQ(script_.span_of(1), std::nullopt);
  EXPECT_TRUE(script_.timed().stuck_work().empty());
}

TEST_F(CaptureRules, a_stream_takes_part_from_its_wait_for_a_captured_event_on) {
  begin(first);
  EXPECT_FALSE(script_.timed().capture_of(second));
  fork(first, second, event);
  ASSERT_TRUE(script_.timed().capture_of(second));
  EXPECT_EQ(script_.timed().capture_of(second)->id, script_.timed().capture_of(first)->id);
  fork(second, first, other_event);
  EXPECT_EQ(end(first), CudaStatus::success);
  EXPECT_FALSE(script_.timed().capture_of(second));
}

TEST_F(CaptureRules, streams_that_joined_have_to_come_back_before_the_end) {
  begin(first);
  fork(first, second, event);
  calls().submit(second, kernel(10, 1));
  EXPECT_EQ(end(first), CudaStatus::stream_capture_unjoined);
  EXPECT_FALSE(script_.timed().capture_of(first));
  EXPECT_FALSE(script_.timed().capture_of(second));
}

TEST_F(CaptureRules, a_stream_that_joined_and_did_nothing_need_not_come_back) {
  begin(first);
  fork(first, second, event);
  EXPECT_EQ(end(first), CudaStatus::success);
}

TEST_F(CaptureRules, a_capture_ends_on_the_stream_where_it_began) {
  begin(first);
  fork(first, second, event);
  EXPECT_EQ(end(second), CudaStatus::stream_capture_unmatched);
  expect_invalidated(first);
}

TEST_F(CaptureRules, a_stream_that_does_not_capture_has_none_to_end) {
  EXPECT_EQ(end(first), CudaStatus::illegal_state);
}

TEST_F(CaptureRules, a_capture_that_is_not_relaxed_ends_on_its_own_thread) {
  begin(first, CaptureMode::thread_local_only);
  EXPECT_EQ(calls(1).end_capture(first, graph), CudaStatus::stream_capture_wrong_thread);
  EXPECT_EQ(end(first), CudaStatus::illegal_state);
  EXPECT_EQ(calls().launch_graph(graph, outside, 9), CudaStatus::invalid_value);
  begin(first, CaptureMode::relaxed);
  EXPECT_EQ(calls(1).end_capture(first, graph), CudaStatus::success);
}

TEST_F(CaptureRules, the_legacy_stream_cannot_be_captured) {
  EXPECT_EQ(begin(legacy), CudaStatus::stream_capture_unsupported);
  begin(first);
  calls().record_event(event, first, 0);
  EXPECT_EQ(calls().wait_for_event(legacy, event, 0), CudaStatus::stream_capture_implicit);
  expect_invalidated(first);
}

TEST_F(CaptureRules, a_capturing_stream_does_not_begin_another_capture) {
  begin(first);
  EXPECT_EQ(begin(first), CudaStatus::illegal_state);
  EXPECT_EQ(end(first), CudaStatus::success);
  begin(first);
  calls().query_stream(first);
  EXPECT_EQ(begin(first), CudaStatus::illegal_state);
  EXPECT_EQ(end(first), CudaStatus::stream_capture_invalidated);
}

TEST_F(CaptureRules, nothing_is_captured_any_more_once_it_is_invalidated) {
  begin(first);
  EXPECT_EQ(calls().query_stream(first), CudaStatus::stream_capture_unsupported);
  EXPECT_EQ(calls().submit(first, kernel(1, 1)), CudaStatus::stream_capture_invalidated);
  EXPECT_EQ(calls().record_event(event, first, 0), CudaStatus::stream_capture_invalidated);
  expect_invalidated(first);
  EXPECT_EQ(calls().submit(first, kernel(1, 1)), CudaStatus::success);
}

TEST_F(CaptureRules, a_capturing_stream_cannot_be_waited_for_or_asked) {
  begin(first);
  EXPECT_EQ(calls().synchronize_stream(first), CudaStatus::stream_capture_unsupported);
  expect_invalidated(first);
  begin(first);
  EXPECT_EQ(calls().query_stream(first), CudaStatus::stream_capture_unsupported);
  expect_invalidated(first);
  begin(first);
  EXPECT_EQ(calls().synchronize_device(0), CudaStatus::stream_capture_unsupported);
  expect_invalidated(first);
}

TEST_F(CaptureRules, a_captured_event_cannot_be_waited_for_or_asked_on_the_host) {
  for (int i = 0; i < 2; ++i) {
    begin(first);
    calls().record_event(event, first, 0);
    const CudaStatus status =
        i == 0 ? calls().query_event(event) : calls().synchronize_event(event);
    EXPECT_EQ(status, CudaStatus::captured_event);
    expect_invalidated(first);
  }
}

TEST_F(CaptureRules, a_captured_event_has_no_time_and_the_capture_stays_as_it_was) {
  begin(first);
  calls().record_event(event, first, 0);
  EXPECT_EQ(calls().elapsed(event, event).status, CudaStatus::captured_event);
  EXPECT_EQ(end(first), CudaStatus::success);
}

TEST_F(CaptureRules, an_event_recorded_outside_serves_again_after_it_was_captured) {
  begin(first);
  calls().record_event(event, first, 0);
  end(first);
  EXPECT_EQ(calls().query_event(event), CudaStatus::invalid_value);
  EXPECT_EQ(calls().record_event(event, outside, 0), CudaStatus::success);
  EXPECT_EQ(calls().query_event(event), CudaStatus::success);
}

TEST_F(CaptureRules, an_event_of_a_capture_that_ended_is_an_invalid_value) {
  begin(first);
  calls().record_event(event, first, 0);
  end(first);
  EXPECT_EQ(calls().query_event(event), CudaStatus::invalid_value);
  EXPECT_EQ(calls().synchronize_event(event), CudaStatus::invalid_value);
  EXPECT_EQ(calls().elapsed(event, event).status, CudaStatus::invalid_value);
  EXPECT_EQ(calls().wait_for_event(outside, event, 0), CudaStatus::invalid_value);
  begin(second);
  EXPECT_EQ(calls().wait_for_event(second, event, 0), CudaStatus::invalid_value);
  EXPECT_EQ(end(second), CudaStatus::stream_capture_invalidated);
}

TEST_F(CaptureRules, an_event_of_an_invalidated_capture_is_an_invalid_value) {
  begin(first);
  calls().record_event(event, first, 0);
  calls().query_stream(first);
  EXPECT_EQ(calls().query_event(event), CudaStatus::invalid_value);
  EXPECT_EQ(calls().elapsed(event, event).status, CudaStatus::invalid_value);
  EXPECT_EQ(calls().wait_for_event(outside, event, 0), CudaStatus::invalid_value);
  begin(second);
  EXPECT_EQ(calls().wait_for_event(second, event, 0), CudaStatus::invalid_value);
  expect_invalidated(second);
  expect_invalidated(first);
}

TEST_F(CaptureRules, a_wait_for_an_event_that_was_never_recorded_does_nothing) {
  begin(first);
  EXPECT_EQ(calls().wait_for_event(first, event, 0), CudaStatus::success);
  EXPECT_EQ(end(first), CudaStatus::success);
}

TEST_F(CaptureRules, captured_work_does_not_wait_for_work_outside) {
  calls().record_event(event, outside, 0);
  begin(first);
  EXPECT_EQ(calls().wait_for_event(first, event, 0), CudaStatus::stream_capture_isolation);
  expect_invalidated(first);
}

TEST_F(CaptureRules, two_captures_do_not_become_one) {
  begin(first);
  begin(second);
  calls().record_event(event, first, 0);
  EXPECT_EQ(calls().wait_for_event(second, event, 0), CudaStatus::stream_capture_merge);
  expect_invalidated(first);
  expect_invalidated(second);
}

TEST_F(CaptureRules, the_legacy_stream_stands_still_while_a_blocking_stream_is_captured) {
  const StreamAt waits_for_legacy = stream_number(4);
  calls().create_stream(waits_for_legacy, blocking);
  begin(waits_for_legacy);
  EXPECT_EQ(calls().submit(legacy, kernel(1, 1)), CudaStatus::stream_capture_implicit);
  EXPECT_EQ(end(legacy), CudaStatus::stream_capture_implicit);
  expect_invalidated(waits_for_legacy);
  EXPECT_EQ(calls().submit(legacy, kernel(1, 1)), CudaStatus::success);
  EXPECT_EQ(end(legacy), CudaStatus::illegal_state);
}

TEST_F(CaptureRules, nobody_asks_whether_the_legacy_stream_captures_while_a_blocking_one_does) {
  const StreamAt waits_for_legacy = stream_number(4);
  calls().create_stream(waits_for_legacy, blocking);
  EXPECT_EQ(calls().check_capture_query(legacy), CudaStatus::success);
  begin(waits_for_legacy);
  EXPECT_EQ(calls().check_capture_query(legacy), CudaStatus::stream_capture_implicit);
  EXPECT_EQ(calls().check_capture_query(waits_for_legacy), CudaStatus::success);
  EXPECT_EQ(calls().check_capture_query(stream_number(0, 1)), CudaStatus::success);
  EXPECT_EQ(calls().check_capture_query(stream_number(77)), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(end(waits_for_legacy), CudaStatus::success);
}

TEST_F(CaptureRules, the_legacy_stream_goes_on_while_non_blocking_streams_are_captured) {
  begin(first);
  EXPECT_EQ(calls().submit(legacy, kernel(1, 1)), CudaStatus::success);
  EXPECT_EQ(calls().submit(stream_number(0, 1), kernel(1, 2)), CudaStatus::success);
  EXPECT_EQ(end(first), CudaStatus::success);
}

TEST_F(CaptureRules, a_copy_of_pageable_memory_is_captured_and_holds_up_nobody) {
  Work copy = work_of(WorkKind::copy_to_host, 10, 1);
  copy.blocks_host = true;
  begin(first);
  EXPECT_EQ(script_.at(0).submit(first, copy), CudaStatus::success);
  EXPECT_EQ(end(first), CudaStatus::success);
  EXPECT_EQ(script_.at(5).launch_graph(graph, outside, 9), CudaStatus::success);
  calls();
  EXPECT_EQ(script_.timed().now(), Time{5});
  EXPECT_EQ(script_.span_of(1), Span(5, 15));
}

TEST_F(CaptureRules, a_capture_is_over_when_the_stream_where_it_began_is_destroyed) {
  begin(first, CaptureMode::global);
  calls().record_event(event, first, 0);
  EXPECT_EQ(calls().wait_for_event(second, event, 0), CudaStatus::success);
  EXPECT_EQ(calls().destroy_stream(first), CudaStatus::success);
  EXPECT_FALSE(script_.timed().capture_of(second));
  EXPECT_EQ(calls().check_unsafe_call(), CudaStatus::success);
  EXPECT_EQ(calls().query_event(event), CudaStatus::invalid_value);
}

TEST_F(CaptureRules, a_stream_that_joined_leaves_its_nodes_when_it_is_destroyed) {
  begin(first);
  fork(first, second, event);
  EXPECT_EQ(calls().destroy_stream(second), CudaStatus::success);
  EXPECT_EQ(end(first), CudaStatus::success);
  calls().create_stream(second, non_blocking);
  begin(first);
  fork(first, second, event);
  calls().submit(second, kernel(10, 1));
  EXPECT_EQ(calls().destroy_stream(second), CudaStatus::success);
  EXPECT_EQ(end(first), CudaStatus::stream_capture_unjoined);
}

TEST_F(CaptureRules, waiting_for_an_event_that_nobody_made_invalidates_the_capture) {
  begin(first);
  EXPECT_EQ(calls().wait_for_event(first, {77}, 1), CudaStatus::invalid_resource_handle);
  expect_invalidated(first);
}

TEST_F(CaptureRules, recording_an_event_that_nobody_made_leaves_the_capture_as_it_was) {
  begin(first);
  EXPECT_EQ(calls().record_event({77}, first, 1), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(calls().end_capture(first, graph), CudaStatus::success);
}

TEST_F(CaptureRules, an_invalidated_capture_ends_as_such_on_another_thread) {
  begin(first, CaptureMode::thread_local_only);
  EXPECT_EQ(calls().wait_for_event(first, {77}, 1), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(calls(1).end_capture(first, graph), CudaStatus::stream_capture_invalidated);
}

/// The calls that a capture in each mode allows its own thread and another one.
using CaptureModes = CaptureRules;

TEST_F(CaptureModes, a_global_capture_forbids_unsafe_calls_to_every_thread) {
  begin(first, CaptureMode::global);
  EXPECT_EQ(calls(1).check_unsafe_call(), CudaStatus::stream_capture_unsupported);
  expect_invalidated(first);
  begin(first, CaptureMode::global);
  EXPECT_EQ(calls(0).check_unsafe_call(), CudaStatus::stream_capture_unsupported);
  expect_invalidated(first);
}

TEST_F(CaptureModes, a_thread_local_capture_forbids_them_to_its_own_thread) {
  begin(first, CaptureMode::thread_local_only);
  EXPECT_EQ(calls(1).check_unsafe_call(), CudaStatus::success);
  EXPECT_EQ(calls(0).check_unsafe_call(), CudaStatus::stream_capture_unsupported);
  expect_invalidated(first);
}

TEST_F(CaptureModes, a_relaxed_capture_forbids_them_to_nobody) {
  begin(first, CaptureMode::relaxed);
  EXPECT_EQ(calls(0).check_unsafe_call(), CudaStatus::success);
  EXPECT_EQ(calls(1).check_unsafe_call(), CudaStatus::success);
  EXPECT_EQ(end(first), CudaStatus::success);
}

TEST_F(CaptureModes, a_thread_that_looks_only_at_its_own_ignores_other_threads) {
  EXPECT_EQ(calls(1).exchange_capture_mode(CaptureMode::thread_local_only), CaptureMode::global);
  begin(first, CaptureMode::global);
  EXPECT_EQ(calls(1).check_unsafe_call(), CudaStatus::success);
  EXPECT_EQ(end(first), CudaStatus::success);
}

TEST_F(CaptureModes, a_relaxed_thread_may_do_as_it_likes) {
  EXPECT_EQ(calls().exchange_capture_mode(CaptureMode::relaxed), CaptureMode::global);
  begin(first, CaptureMode::global);
  EXPECT_EQ(calls().check_unsafe_call(), CudaStatus::success);
  EXPECT_EQ(calls().exchange_capture_mode(CaptureMode::global), CaptureMode::relaxed);
  EXPECT_EQ(calls().check_unsafe_call(), CudaStatus::stream_capture_unsupported);
  expect_invalidated(first);
}

TEST_F(CaptureModes, asking_about_anything_and_waiting_for_it_is_unsafe) {
  for (int i = 0; i < 5; ++i) {
    begin(first, CaptureMode::global);
    const CudaStatus status = i == 0   ? calls(1).query_stream(outside)
                              : i == 1 ? calls(1).synchronize_stream(outside)
                              : i == 2 ? calls(1).synchronize_device(1)
                              : i == 3 ? calls(1).query_event(event)
                                       : calls(1).synchronize_event(event);
    EXPECT_EQ(status, CudaStatus::stream_capture_unsupported);
    expect_invalidated(first);
  }
}

TEST_F(CaptureModes, destroying_a_graph_is_unsafe) {
  begin(second);
  calls().end_capture(second, {2});
  begin(first, CaptureMode::global);
  EXPECT_EQ(calls(1).destroy_graph({2}), CudaStatus::stream_capture_unsupported);
  expect_invalidated(first);
  EXPECT_EQ(calls(1).destroy_graph({2}), CudaStatus::success);
}

TEST_F(CaptureModes, putting_work_on_other_streams_is_safe) {
  begin(first, CaptureMode::global);
  EXPECT_EQ(calls(1).submit(outside, kernel(1, 1)), CudaStatus::success);
  EXPECT_EQ(calls(1).record_event(event, outside, 2), CudaStatus::success);
  EXPECT_EQ(script_.at(5, 1).elapsed(event, event).status, CudaStatus::success);
  EXPECT_EQ(calls(1).create_stream(stream_number(8), blocking), CudaStatus::success);
  EXPECT_EQ(end(first), CudaStatus::success);
}

}  // namespace
}  // namespace vramlab::tests
