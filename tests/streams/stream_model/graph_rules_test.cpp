// docs/reference/stream_model.md, 10: graphs that were captured, and their launches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/scripted_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using allocator::EventId;
using allocator::GraphNode;
using testing::ElementsAre;

constexpr EventId forked{1};
constexpr EventId joined{2};

class GraphRules : public testing::Test {
 protected:
  explicit GraphRules(const StreamModel& model = {}) : script_(model) {
    calls().create_stream(first, non_blocking);
    calls().create_stream(second, {.is_blocking = false, .priority = -5});
    calls().create_stream(outside, non_blocking);
    calls().create_event(forked, 0, true);
    calls().create_event(joined, 0, true);
  }
  TimedStreams& calls() { return script_.next(); }

  /// 1, then 2 beside 3, then 4; they take 10, 20, 30 and 40.
  void capture_diamond() {
    calls().begin_capture(first, CaptureMode::global);
    calls().submit(first, kernel(10, 1));
    calls().record_event(forked, first, 0);
    calls().wait_for_event(second, forked, 0);
    calls().submit(first, kernel(20, 2));
    calls().submit(second, kernel(30, 3));
    calls().record_event(joined, second, 0);
    calls().wait_for_event(first, joined, 0);
    calls().submit(first, kernel(40, 4));
    ASSERT_EQ(calls().end_capture(first, graph), CudaStatus::success);
  }
  void capture_one(const Work& work, GraphId name = graph) {
    calls().begin_capture(first, CaptureMode::global);
    calls().submit(first, work);
    ASSERT_EQ(calls().end_capture(first, name), CudaStatus::success);
  }

  ScriptedStreams script_;
};

TEST_F(GraphRules, a_launch_runs_the_nodes_as_they_depend_on_each_other) {
  capture_diamond();
  EXPECT_EQ(script_.at(100).launch_graph(graph, outside, 9), CudaStatus::success);
  EXPECT_EQ(script_.span_of(1), Span(100, 110));
  EXPECT_EQ(script_.span_of(2), Span(110, 130));
  EXPECT_EQ(script_.span_of(3), Span(110, 140));
  EXPECT_EQ(script_.span_of(4), Span(140, 180));
}

TEST_F(GraphRules, a_launch_waits_for_its_stream_and_what_follows_for_all_of_it) {
  capture_diamond();
  script_.at(0).submit(outside, kernel(50, 10));
  script_.at(0).launch_graph(graph, outside, 9);
  script_.at(0).submit(outside, kernel(5, 11));
  EXPECT_EQ(script_.span_of(1), Span(50, 60));
  EXPECT_EQ(script_.span_of(11), Span(130, 135));
}

TEST_F(GraphRules, streams_that_were_captured_do_not_wait_for_a_launch) {
  capture_diamond();
  script_.at(0).launch_graph(graph, outside, 9);
  script_.at(0).submit(first, kernel(5, 10));
  EXPECT_EQ(script_.span_of(10), Span(0, 5));
}

TEST_F(GraphRules, launches_of_one_graph_take_turns_on_whichever_streams) {
  capture_one(kernel(10, 1));
  script_.at(0).launch_graph(graph, first, 8);
  script_.at(0).launch_graph(graph, outside, 9);
  EXPECT_EQ(script_.span_of(1), Span(10, 20));
}

TEST_F(GraphRules, launches_of_two_graphs_run_together) {
  capture_one(kernel(10, 1));
  capture_one(kernel(10, 2), {2});
  script_.at(0).launch_graph(graph, first, 8);
  script_.at(0).launch_graph({2}, outside, 9);
  EXPECT_EQ(script_.span_of(1), Span(0, 10));
  EXPECT_EQ(script_.span_of(2), Span(0, 10));
}

TEST_F(GraphRules, an_empty_graph_is_launched_and_done) {
  calls().begin_capture(first, CaptureMode::global);
  EXPECT_EQ(calls().end_capture(first, graph), CudaStatus::success);
  script_.at(5).launch_graph(graph, outside, 9);
  EXPECT_EQ(script_.span_of(9), Span(5, 5));
}

TEST_F(GraphRules, a_graph_is_not_launched_in_a_capture) {
  capture_one(kernel(10, 1));
  for (const GraphId launched : {graph, GraphId{77}}) {
    calls().begin_capture(second, CaptureMode::global);
    calls().submit(second, kernel(5, 2));
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(calls().launch_graph(launched, second, 0), CudaStatus::stream_capture_unsupported);
    EXPECT_EQ(calls().submit(second, kernel(7, 3)), CudaStatus::stream_capture_invalidated);
    EXPECT_EQ(calls().end_capture(second, {2}), CudaStatus::stream_capture_invalidated);
  }
}

TEST_F(GraphRules, a_destroyed_graph_finishes_what_was_launched) {
  capture_one(kernel(10, 1));
  script_.at(0).launch_graph(graph, outside, 9);
  EXPECT_EQ(script_.at(1).destroy_graph(graph), CudaStatus::success);
  EXPECT_EQ(calls().destroy_graph(graph), CudaStatus::invalid_value);
  EXPECT_EQ(calls().launch_graph(graph, outside, 9), CudaStatus::invalid_value);
  EXPECT_EQ(script_.span_of(1), Span(0, 10));
}

TEST_F(GraphRules, a_node_that_waits_for_a_flag_is_named_with_it) {
  capture_one(await_flag(1, 5));
  script_.at(0).launch_graph(graph, outside, 9);
  script_.timed().finish();
  const auto stuck = script_.timed().stuck_work();
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck[0].stream, outside);
  EXPECT_EQ(stuck[0].tag, 5U);
  EXPECT_EQ(stuck[0].awaited, FlagId{7});
}

TEST_F(GraphRules, the_ends_of_a_capture_and_what_they_depend_on_can_be_asked_for) {
  calls().begin_capture(first, CaptureMode::global);
  EXPECT_THAT(script_.timed().capture_of(first)->terminals, ElementsAre());
  calls().submit(first, kernel(1, 1));
  const GraphNode before = script_.timed().capture_of(first)->terminals.at(0);
  calls().submit(first, kernel(1, 2));
  const auto capture = script_.timed().capture_of(first);
  ASSERT_EQ(capture->terminals.size(), 1U);
  EXPECT_THAT(script_.timed().dependencies_of(capture->terminals[0]), ElementsAre(before));
  EXPECT_THAT(script_.timed().dependencies_of(before), ElementsAre());
}

TEST_F(GraphRules, an_event_recorded_for_others_is_recorded_by_each_launch) {
  calls().begin_capture(first, CaptureMode::global);
  calls().submit(first, kernel(10, 1));
  EXPECT_EQ(calls().record_event_in_graph(forked, first, 0), CudaStatus::success);
  calls().submit(first, kernel(20, 2));
  // The event is not recorded yet, and the other stream takes no part.
  EXPECT_EQ(calls().wait_for_event(outside, forked, 0), CudaStatus::success);
  EXPECT_FALSE(script_.timed().capture_of(outside));
  ASSERT_EQ(calls().end_capture(first, graph), CudaStatus::success);
  EXPECT_EQ(calls().query_event(forked), CudaStatus::success);
  for (const std::uint64_t begin : {100U, 200U}) {
    script_.at(begin).launch_graph(graph, first, 9);
    EXPECT_EQ(calls().query_event(forked), CudaStatus::not_ready);
    calls().wait_for_event(outside, forked, 0);
    calls().submit(outside, kernel(5, begin));
    EXPECT_EQ(script_.span_of(begin), Span(begin + 10, begin + 15));
    EXPECT_EQ(script_.span_of(2), Span(begin + 10, begin + 30));
  }
}

TEST_F(GraphRules, a_launch_waits_for_the_records_before_it_of_events_of_others) {
  calls().begin_capture(first, CaptureMode::global);
  EXPECT_EQ(calls().wait_for_event_in_graph(first, forked, 0), CudaStatus::success);
  calls().submit(first, kernel(10, 1));
  ASSERT_EQ(calls().end_capture(first, graph), CudaStatus::success);
  script_.at(100).launch_graph(graph, first, 9);
  EXPECT_EQ(script_.span_of(1), Span(100, 110));
  script_.at(200).submit(outside, kernel(30, 2));
  calls().record_event(forked, outside, 0);
  calls().launch_graph(graph, first, 9);
  calls().submit(outside, kernel(40, 3));
  calls().record_event(forked, outside, 0);
  EXPECT_EQ(script_.span_of(1), Span(230, 240));
}

TEST_F(GraphRules, events_of_others_are_for_captures_only) {
  EXPECT_EQ(calls().record_event_in_graph(forked, first, 0), CudaStatus::illegal_state);
  EXPECT_EQ(calls().wait_for_event_in_graph(first, forked, 0), CudaStatus::illegal_state);
}

TEST_F(GraphRules, a_launched_record_is_one_from_outside_for_later_captures) {
  calls().begin_capture(first, CaptureMode::relaxed);
  calls().record_event_in_graph(forked, first, 0);
  EXPECT_EQ(calls().wait_for_event(first, forked, 0), CudaStatus::success);
  ASSERT_EQ(calls().end_capture(first, graph), CudaStatus::success);
  calls().launch_graph(graph, first, 9);
  calls().begin_capture(first, CaptureMode::relaxed);
  EXPECT_EQ(calls().wait_for_event(first, forked, 0), CudaStatus::stream_capture_isolation);
}

TEST_F(GraphRules, a_captured_event_is_waited_for_as_others_while_its_capture_is_valid) {
  calls().begin_capture(first, CaptureMode::relaxed);
  calls().record_event(forked, first, 0);
  EXPECT_EQ(calls().record_event_in_graph(forked, first, 0), CudaStatus::success);
  EXPECT_EQ(calls().wait_for_event_in_graph(first, forked, 0), CudaStatus::success);
  ASSERT_EQ(calls().end_capture(first, graph), CudaStatus::success);
  calls().begin_capture(first, CaptureMode::relaxed);
  EXPECT_EQ(calls().wait_for_event_in_graph(first, forked, 0), CudaStatus::invalid_value);
  EXPECT_EQ(calls().end_capture(first, graph), CudaStatus::stream_capture_invalidated);
}

TEST_F(GraphRules, an_event_made_again_is_not_recorded_by_graphs_of_the_one_before) {
  calls().begin_capture(first, CaptureMode::global);
  calls().submit(first, kernel(10, 1));
  calls().record_event_in_graph(forked, first, 0);
  ASSERT_EQ(calls().end_capture(first, graph), CudaStatus::success);
  calls().destroy_event(forked);
  calls().create_event(forked, 0, true);
  EXPECT_EQ(script_.at(100).launch_graph(graph, first, 9), CudaStatus::success);
  EXPECT_EQ(calls().query_event(forked), CudaStatus::success);
}

TEST_F(GraphRules, time_between_records_of_a_launch) {
  calls().begin_capture(first, CaptureMode::global);
  calls().record_event_in_graph(forked, first, 0);
  calls().submit(first, kernel(10, 1));
  calls().record_event_in_graph(joined, first, 0);
  ASSERT_EQ(calls().end_capture(first, graph), CudaStatus::success);
  EXPECT_EQ(calls().elapsed(forked, joined).status, CudaStatus::invalid_resource_handle);
  calls().launch_graph(graph, first, 9);
  calls().synchronize_stream(first);
  EXPECT_EQ(calls().elapsed(forked, joined).ns, 10);
}

class GraphRulesOnePlace : public GraphRules {
 protected:
  GraphRulesOnePlace()
      : GraphRules({.launch_latency = {0}, .call_time = {0}, .limits = {.kernels = 1}}) {}
};

TEST_F(GraphRulesOnePlace, nodes_keep_the_priority_of_the_stream_that_captured_them) {
  capture_diamond();
  script_.at(0).launch_graph(graph, outside, 9);
  EXPECT_EQ(script_.span_of(3), Span(10, 40));
  EXPECT_EQ(script_.span_of(2), Span(40, 60));
}

TEST_F(GraphRulesOnePlace, the_nodes_of_a_launch_compete_as_one) {
  calls().begin_capture(first, CaptureMode::global);
  calls().record_event(forked, first, 0);
  calls().wait_for_event(second, forked, 0);
  calls().submit(first, kernel(20, 1));
  calls().submit(second, kernel(30, 2));
  calls().record_event(joined, second, 0);
  calls().wait_for_event(first, joined, 0);
  ASSERT_EQ(calls().end_capture(first, graph), CudaStatus::success);
  script_.at(0).launch_graph(graph, outside, 9);
  EXPECT_EQ(script_.span_of(2), Span(0, 30));
  EXPECT_EQ(script_.span_of(1), Span(30, 50));
}

}  // namespace
}  // namespace vramlab::tests
