// docs/reference/stream_model.md, 1 and 2: the order of work on streams, and the legacy default
// stream.
#include <gtest/gtest.h>

#include "tests/support/devices/scripted_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;

class StreamOrder : public testing::Test {
 protected:
  explicit StreamOrder(const StreamModel& model = {}) : script_(model) {
    script_.next().create_stream(first, blocking);
    script_.next().create_stream(second, non_blocking);
  }
  ScriptedStreams script_;
};

TEST_F(StreamOrder, work_on_one_stream_runs_one_after_another) {
  script_.at(10).submit(first, kernel(5, 1));
  script_.at(10).submit(first, kernel(7, 2));
  EXPECT_EQ(script_.span_of(1), Span(10, 15));
  EXPECT_EQ(script_.span_of(2), Span(15, 22));
}

TEST_F(StreamOrder, work_on_two_streams_runs_together) {
  script_.at(10).submit(first, kernel(5, 1));
  script_.at(10).submit(second, kernel(7, 2));
  EXPECT_EQ(script_.span_of(1), Span(10, 15));
  EXPECT_EQ(script_.span_of(2), Span(10, 17));
}

TEST_F(StreamOrder, the_caller_does_not_wait_for_what_it_submits) {
  script_.at(10).submit(first, kernel(1000, 1));
  script_.next();
  EXPECT_EQ(script_.now(), 10U);
}

TEST_F(StreamOrder, a_destroyed_stream_finishes_its_work) {
  script_.at(10).submit(first, kernel(5, 1));
  EXPECT_EQ(script_.at(11).destroy_stream(first), CudaStatus::success);
  EXPECT_EQ(script_.at(12).submit(first, kernel(5, 2)), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(script_.span_of(1), Span(10, 15));
}

TEST_F(StreamOrder, a_stream_made_again_is_another_stream) {
  script_.at(10).submit(second, kernel(50, 1));
  script_.at(11).destroy_stream(second);
  EXPECT_EQ(script_.at(12).create_stream(second, non_blocking), CudaStatus::success);
  script_.at(13).submit(second, kernel(5, 2));
  EXPECT_EQ(script_.span_of(2), Span(13, 18));
}

TEST_F(StreamOrder, a_stream_in_use_is_not_made_again) {
  EXPECT_EQ(script_.next().create_stream(first, blocking), CudaStatus::invalid_value);
  EXPECT_EQ(script_.next().create_stream(legacy, blocking), CudaStatus::invalid_value);
}

TEST_F(StreamOrder, a_stream_that_nobody_made_is_an_invalid_handle) {
  const StreamAt unknown = stream_number(9);
  EXPECT_FALSE(script_.timed().has_stream(unknown));
  EXPECT_EQ(script_.next().submit(unknown, kernel(1, 1)), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(script_.next().query_stream(unknown), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(script_.next().destroy_stream(unknown), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(script_.next().end_capture(unknown, {1}), CudaStatus::invalid_resource_handle);
}

TEST_F(StreamOrder, the_legacy_stream_of_every_device_is_there_and_stays) {
  const StreamAt of_another_device = stream_number(0, 3);
  EXPECT_TRUE(script_.timed().has_stream(of_another_device));
  EXPECT_EQ(script_.next().destroy_stream(of_another_device), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(script_.next().end_capture(of_another_device, {1}), CudaStatus::illegal_state);
  EXPECT_EQ(script_.next().submit(of_another_device, kernel(4, 1)), CudaStatus::success);
  EXPECT_EQ(script_.span_of(1), Span(0, 4));
}

class StreamOrderWithLatency : public StreamOrder {
 protected:
  StreamOrderWithLatency()
      : StreamOrder({.launch_latency = {100}, .call_time = {0}, .limits = {}}) {}
};

TEST_F(StreamOrderWithLatency, work_begins_no_sooner_than_its_launch_latency_after_the_call) {
  script_.at(10).submit(first, kernel(5, 1));
  EXPECT_EQ(script_.span_of(1), Span(110, 115));
}

TEST_F(StreamOrderWithLatency, work_issued_ahead_follows_without_a_gap) {
  script_.at(10).submit(first, kernel(500, 1));
  script_.at(20).submit(first, kernel(5, 2));
  EXPECT_EQ(script_.span_of(2), Span(610, 615));
}

using LegacyStream = StreamOrder;

TEST_F(LegacyStream, its_work_waits_for_the_earlier_work_of_blocking_streams) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(0).submit(legacy, kernel(5, 2));
  EXPECT_EQ(script_.span_of(2), Span(50, 55));
}

TEST_F(LegacyStream, later_work_of_blocking_streams_waits_for_it) {
  script_.at(0).submit(legacy, kernel(50, 1));
  script_.at(0).submit(first, kernel(5, 2));
  EXPECT_EQ(script_.span_of(2), Span(50, 55));
}

TEST_F(LegacyStream, two_blocking_streams_meet_at_it) {
  script_.next().create_stream(stream_number(3), blocking);
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(0).submit(legacy, kernel(5, 2));
  script_.at(0).submit(stream_number(3), kernel(1, 3));
  EXPECT_EQ(script_.span_of(3), Span(55, 56));
}

TEST_F(LegacyStream, non_blocking_streams_and_it_pass_each_other) {
  script_.at(0).submit(second, kernel(50, 1));
  script_.at(0).submit(legacy, kernel(60, 2));
  script_.at(0).submit(second, kernel(5, 3));
  EXPECT_EQ(script_.span_of(2), Span(0, 60));
  EXPECT_EQ(script_.span_of(3), Span(50, 55));
}

TEST_F(LegacyStream, it_orders_the_streams_of_its_own_device_only) {
  script_.next().create_stream(stream_number(1, 1), blocking);
  script_.at(0).submit(legacy, kernel(50, 1));
  script_.at(0).submit(stream_number(1, 1), kernel(5, 2));
  EXPECT_EQ(script_.span_of(2), Span(0, 5));
}

TEST_F(LegacyStream, an_event_recorded_on_it_waits_for_blocking_streams_too) {
  script_.next().create_event({1}, 0, true);
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(0).record_event({1}, legacy, 2);
  EXPECT_EQ(script_.span_of(2), Span(50, 50));
}

TEST_F(LegacyStream, asking_about_it_asks_about_blocking_streams_too) {
  script_.at(0).submit(first, kernel(50, 1));
  EXPECT_EQ(script_.at(49).query_stream(legacy), CudaStatus::not_ready);
  EXPECT_EQ(script_.at(50).query_stream(legacy), CudaStatus::success);
  script_.at(60).submit(second, kernel(50, 2));
  EXPECT_EQ(script_.at(61).query_stream(legacy), CudaStatus::success);
}

TEST_F(LegacyStream, waiting_for_it_waits_for_blocking_streams_too) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).synchronize_stream(legacy);
  script_.next();
  EXPECT_EQ(script_.now(), 50U);
}

TEST_F(LegacyStream, work_of_a_destroyed_blocking_stream_still_comes_before_it) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).destroy_stream(first);
  script_.at(2).submit(legacy, kernel(5, 2));
  EXPECT_EQ(script_.span_of(2), Span(50, 55));
}

}  // namespace
}  // namespace vramlab::tests
