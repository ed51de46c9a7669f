// docs/reference/stream_model.md, 3: events.
#include <gtest/gtest.h>

#include "tests/support/devices/scripted_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using allocator::EventId;

class EventRules : public testing::Test {
 protected:
  EventRules() {
    for (const StreamAt stream : {first, second, elsewhere})
      script_.next().create_stream(stream, non_blocking);
    script_.next().create_event(event, 0, true);
    script_.next().create_event(other_event, 0, true);
  }
  CudaStatus elapsed(EventId from, EventId to) { return script_.next().elapsed(from, to).status; }

  ScriptedStreams script_;
};

TEST_F(EventRules, a_record_is_complete_when_the_work_before_it_is_done) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).record_event(event, first, 2);
  script_.at(2).submit(first, kernel(50, 3));
  EXPECT_EQ(script_.at(49).query_event(event), CudaStatus::not_ready);
  EXPECT_EQ(script_.at(50).query_event(event), CudaStatus::success);
}

TEST_F(EventRules, work_behind_a_wait_begins_when_the_record_is_complete) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).record_event(event, first, 2);
  script_.at(2).submit(second, kernel(10, 3));
  script_.at(3).wait_for_event(second, event, 4);
  script_.at(4).submit(second, kernel(10, 5));
  EXPECT_EQ(script_.span_of(3), Span(2, 12));
  EXPECT_EQ(script_.span_of(4), Span(50, 50));
  EXPECT_EQ(script_.span_of(5), Span(50, 60));
}

TEST_F(EventRules, a_wait_is_for_the_latest_record_at_the_time_of_the_call) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).record_event(event, first, 2);
  script_.at(2).wait_for_event(second, event, 3);
  script_.at(3).submit(first, kernel(50, 4));
  script_.at(4).record_event(event, first, 5);
  script_.at(5).submit(second, kernel(10, 6));
  EXPECT_EQ(script_.span_of(6), Span(50, 60));
}

TEST_F(EventRules, recording_again_forgets_the_record_before) {
  script_.at(0).record_event(event, first, 1);
  script_.at(1).submit(first, kernel(50, 2));
  script_.at(2).record_event(event, first, 3);
  EXPECT_EQ(script_.at(3).query_event(event), CudaStatus::not_ready);
}

TEST_F(EventRules, a_wait_does_not_hold_up_the_caller) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).record_event(event, first, 2);
  script_.at(2).wait_for_event(second, event, 3);
  script_.next();
  EXPECT_EQ(script_.now(), 2U);
}

TEST_F(EventRules, a_wait_reaches_across_devices) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).record_event(event, first, 2);
  EXPECT_EQ(script_.at(2).wait_for_event(elsewhere, event, 3), CudaStatus::success);
  script_.at(3).submit(elsewhere, kernel(10, 4));
  EXPECT_EQ(script_.span_of(4), Span(50, 60));
}

TEST_F(EventRules, an_event_that_was_never_recorded_is_complete) {
  EXPECT_EQ(script_.at(0).query_event(event), CudaStatus::success);
  EXPECT_EQ(script_.at(0).synchronize_event(event), CudaStatus::success);
  script_.at(0).wait_for_event(first, event, 1);
  script_.at(0).submit(first, kernel(10, 2));
  EXPECT_EQ(script_.span_of(2), Span(0, 10));
}

TEST_F(EventRules, waiting_for_an_event_that_was_never_recorded_is_no_work_of_the_stream) {
  script_.next().create_stream(stream_number(4), blocking);
  script_.next().create_stream(stream_number(5), blocking);
  script_.at(0).submit(stream_number(4), kernel(50, 1));
  EXPECT_EQ(script_.at(0).wait_for_event(legacy, event, 2), CudaStatus::success);
  script_.at(0).submit(stream_number(5), kernel(10, 3));
  EXPECT_EQ(script_.span_of(3), Span(0, 10));
}

TEST_F(EventRules, waiting_for_an_event_on_the_host_ends_with_it) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).record_event(event, first, 2);
  script_.at(2).submit(first, kernel(50, 3));
  EXPECT_EQ(script_.at(3).synchronize_event(event), CudaStatus::success);
  script_.next();
  EXPECT_EQ(script_.now(), 50U);
}

TEST_F(EventRules, an_event_is_recorded_by_streams_of_its_own_device) {
  EXPECT_EQ(script_.next().record_event(event, elsewhere, 1), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(script_.next().query_event(event), CudaStatus::success);
}

TEST_F(EventRules, a_destroyed_event_still_holds_what_waits_for_it) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).record_event(event, first, 2);
  script_.at(2).wait_for_event(second, event, 3);
  EXPECT_EQ(script_.at(3).destroy_event(event), CudaStatus::success);
  script_.at(4).submit(second, kernel(10, 4));
  EXPECT_FALSE(script_.timed().has_event(event));
  EXPECT_EQ(script_.span_of(4), Span(50, 60));
}

TEST_F(EventRules, an_event_that_nobody_made_is_an_invalid_handle) {
  script_.next().destroy_event(event);
  EXPECT_EQ(script_.next().query_event(event), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(script_.next().synchronize_event(event), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(script_.next().record_event(event, first, 1), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(script_.next().wait_for_event(first, event, 1), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(script_.next().destroy_event(event), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(elapsed(event, other_event), CudaStatus::invalid_resource_handle);
}

TEST_F(EventRules, an_event_made_again_knows_nothing_of_the_one_before) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).record_event(event, first, 2);
  script_.at(2).destroy_event(event);
  EXPECT_EQ(script_.at(2).create_event(event, 0, true), CudaStatus::success);
  EXPECT_EQ(script_.at(3).create_event(event, 0, true), CudaStatus::invalid_value);
  EXPECT_EQ(script_.at(4).query_event(event), CudaStatus::success);
  script_.at(60);
  EXPECT_EQ(elapsed(event, event), CudaStatus::invalid_resource_handle);
}

TEST_F(EventRules, elapsed_is_from_the_end_of_one_record_to_that_of_the_other) {
  script_.at(5).record_event(event, first, 1);
  script_.at(6).submit(first, kernel(50, 2));
  script_.at(7).record_event(other_event, first, 3);
  EXPECT_EQ(script_.at(60).elapsed(event, other_event).ns, 51);
  EXPECT_EQ(script_.at(60).elapsed(other_event, event).ns, -51);
}

TEST_F(EventRules, elapsed_of_a_pending_record_is_not_ready) {
  script_.at(0).record_event(event, first, 1);
  script_.at(0).submit(first, kernel(50, 2));
  script_.at(0).record_event(other_event, first, 3);
  EXPECT_EQ(elapsed(event, other_event), CudaStatus::not_ready);
}

TEST_F(EventRules, elapsed_needs_two_records_with_timing_on_one_device) {
  constexpr EventId untimed{3};
  constexpr EventId far{4};
  script_.next().create_event(untimed, 0, false);
  script_.next().create_event(far, 1, true);
  script_.next().record_event(event, first, 1);
  EXPECT_EQ(elapsed(event, other_event), CudaStatus::invalid_resource_handle);
  script_.next().record_event(untimed, first, 2);
  EXPECT_EQ(elapsed(event, untimed), CudaStatus::invalid_resource_handle);
  script_.next().record_event(far, elsewhere, 3);
  EXPECT_EQ(elapsed(event, far), CudaStatus::invalid_resource_handle);
  EXPECT_EQ(elapsed(event, event), CudaStatus::success);
}

}  // namespace
}  // namespace vramlab::tests
