// docs/reference/stream_model.md, 7 and 8: limits of work at once, priorities, and hardware queues.
#include <gtest/gtest.h>

#include <memory>

#include "tests/support/devices/scripted_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;

StreamModel model_with(const ConcurrencyLimits& limits) {
  return {.launch_latency = {0}, .call_time = {0}, .limits = limits};
}

/// Streams 1 to 4, none of which waits for the legacy stream.
class LimitsRules : public testing::Test {
 protected:
  void start(const ConcurrencyLimits& limits) {
    script_ = std::make_unique<ScriptedStreams>(model_with(limits));
    for (std::uint64_t i = 1; i <= 4; ++i)
      script_->next().create_stream(stream_number(i), non_blocking);
  }
  void submit(std::uint64_t at, std::uint64_t stream, const Work& work) {
    script_->at(at).submit(stream_number(stream), work);
  }
  void create_urgent_stream(std::uint64_t number, std::int32_t priority) {
    script_->next().create_stream(stream_number(number),
                                  {.is_blocking = false, .priority = priority});
  }
  std::optional<Span> span_of(std::uint64_t tag) { return script_->span_of(tag); }

  std::unique_ptr<ScriptedStreams> script_;
};

TEST_F(LimitsRules, as_many_kernels_run_at_once_as_there_are_places) {
  start({.kernels = 2});
  submit(0, 1, kernel(10, 1));
  submit(0, 2, kernel(20, 2));
  submit(0, 3, kernel(10, 3));
  EXPECT_EQ(span_of(2), Span(0, 20));
  EXPECT_EQ(span_of(3), Span(10, 20));
}

TEST_F(LimitsRules, memsets_and_copies_on_the_device_take_the_places_of_kernels) {
  start({.kernels = 1});
  submit(0, 1, work_of(WorkKind::memset, 10, 1));
  submit(0, 2, work_of(WorkKind::copy_on_device, 10, 2));
  submit(0, 3, kernel(10, 3));
  EXPECT_EQ(span_of(2), Span(10, 20));
  EXPECT_EQ(span_of(3), Span(20, 30));
}

TEST_F(LimitsRules, each_device_has_places_of_its_own) {
  start({.kernels = 1});
  script_->next().create_stream(stream_number(1, 1), blocking);
  submit(0, 1, kernel(10, 1));
  script_->at(0).submit(stream_number(1, 1), kernel(10, 2));
  EXPECT_EQ(span_of(2), Span(0, 10));
}

TEST_F(LimitsRules, of_the_work_that_waits_the_higher_priority_goes_first) {
  start({.kernels = 1});
  create_urgent_stream(5, -2);
  submit(0, 1, kernel(10, 1));
  submit(1, 2, kernel(10, 2));
  submit(2, 5, kernel(10, 3));
  EXPECT_EQ(span_of(3), Span(10, 20));
  EXPECT_EQ(span_of(2), Span(20, 30));
}

TEST_F(LimitsRules, work_that_runs_is_not_interrupted) {
  start({.kernels = 1});
  create_urgent_stream(5, greatest_priority);
  submit(0, 1, kernel(100, 1));
  submit(1, 5, kernel(10, 2));
  EXPECT_EQ(span_of(1), Span(0, 100));
  EXPECT_EQ(span_of(2), Span(100, 110));
}

TEST_F(LimitsRules, a_priority_is_held_within_what_there_is) {
  start({.kernels = 1});
  create_urgent_stream(5, greatest_priority);
  create_urgent_stream(6, -100);
  create_urgent_stream(7, 100);
  submit(0, 1, kernel(10, 1));
  submit(1, 7, kernel(10, 2));
  submit(2, 2, kernel(10, 3));
  submit(3, 5, kernel(10, 4));
  submit(4, 6, kernel(10, 5));
  EXPECT_EQ(span_of(4), Span(10, 20));
  EXPECT_EQ(span_of(5), Span(20, 30));
  EXPECT_EQ(span_of(2), Span(30, 40));
  EXPECT_EQ(span_of(3), Span(40, 50));
}

TEST_F(LimitsRules, of_equal_priority_what_was_ready_first_goes_first) {
  start({.kernels = 1});
  submit(0, 1, kernel(10, 1));
  // The work was issued before, but is ready only when its stream's copy is done.
  submit(0, 2, work_of(WorkKind::copy_to_device, 5, 2));
  submit(0, 2, kernel(10, 3));
  submit(1, 3, kernel(10, 4));
  EXPECT_EQ(span_of(4), Span(10, 20));
  EXPECT_EQ(span_of(3), Span(20, 30));
}

TEST_F(LimitsRules, of_those_ready_together_what_was_issued_first_goes_first) {
  start({.kernels = 1});
  submit(0, 1, kernel(10, 1));
  submit(1, 2, kernel(10, 2));
  submit(1, 3, kernel(10, 3));
  EXPECT_EQ(span_of(2), Span(10, 20));
  EXPECT_EQ(span_of(3), Span(20, 30));
}

TEST_F(LimitsRules, what_is_submitted_when_a_place_is_taken_again_comes_too_late) {
  start({.kernels = 1});
  create_urgent_stream(5, -5);
  submit(0, 1, kernel(10, 1));
  submit(0, 2, kernel(10, 2));
  // At 10 the place went to the work that waited for it, before this call.
  submit(10, 5, kernel(10, 3));
  EXPECT_EQ(span_of(2), Span(10, 20));
  EXPECT_EQ(span_of(3), Span(20, 30));
}

TEST_F(LimitsRules, what_ends_at_an_instant_leaves_its_place_to_what_it_releases_then) {
  start({.kernels = 1});
  create_urgent_stream(5, -5);
  script_->next().create_event({1}, 0, false);
  submit(0, 1, kernel(10, 1));
  script_->next().record_event({1}, stream_number(1), 2);
  submit(0, 2, kernel(10, 3));
  script_->next().wait_for_event(stream_number(5), {1}, 4);
  submit(0, 5, kernel(10, 5));
  EXPECT_EQ(span_of(5), Span(10, 20));
  EXPECT_EQ(span_of(3), Span(20, 30));
}

TEST_F(LimitsRules, one_copy_engine_takes_turns_in_both_directions) {
  start({.copy_engines = 1});
  submit(0, 1, work_of(WorkKind::copy_to_device, 10, 1));
  submit(0, 2, work_of(WorkKind::copy_to_host, 10, 2));
  submit(0, 3, work_of(WorkKind::copy_on_device, 10, 3));
  EXPECT_EQ(span_of(2), Span(10, 20));
  EXPECT_EQ(span_of(3), Span(0, 10));
}

TEST_F(LimitsRules, two_copy_engines_copy_one_each_way) {
  start({.copy_engines = 2});
  submit(0, 1, work_of(WorkKind::copy_to_device, 10, 1));
  submit(0, 2, work_of(WorkKind::copy_to_host, 10, 2));
  submit(0, 3, work_of(WorkKind::copy_to_device, 10, 3));
  EXPECT_EQ(span_of(2), Span(0, 10));
  EXPECT_EQ(span_of(3), Span(10, 20));
}

TEST_F(LimitsRules, without_a_limit_copies_of_one_direction_run_together) {
  start({});
  submit(0, 1, work_of(WorkKind::copy_to_device, 10, 1));
  submit(0, 2, work_of(WorkKind::copy_to_device, 10, 2));
  EXPECT_EQ(span_of(2), Span(0, 10));
}

TEST_F(LimitsRules, host_functions_have_places_of_their_own) {
  start({.kernels = 1, .host_functions = 1});
  submit(0, 1, work_of(WorkKind::host_function, 10, 1));
  submit(0, 2, work_of(WorkKind::host_function, 10, 2));
  submit(0, 3, kernel(10, 3));
  EXPECT_EQ(span_of(2), Span(10, 20));
  EXPECT_EQ(span_of(3), Span(0, 10));
}

TEST_F(LimitsRules, records_waits_and_flags_need_no_place) {
  start({.kernels = 1});
  script_->next().create_event({1}, 0, false);
  submit(0, 1, kernel(100, 1));
  script_->at(1).record_event({1}, stream_number(2), 2);
  submit(2, 2, write_flag(1, 3));
  submit(3, 3, await_flag(1, 4));
  EXPECT_EQ(span_of(2), Span(1, 1));
  EXPECT_EQ(span_of(3), Span(2, 2));
  EXPECT_EQ(span_of(4), Span(3, 3));
}

using QueueRules = LimitsRules;

TEST_F(QueueRules, work_on_a_queue_begins_in_the_order_in_which_it_was_put_there) {
  start({.hardware_queues = 1});
  submit(0, 1, kernel(10, 1));
  submit(0, 1, kernel(10, 2));
  // It waits for nothing of its own stream, but the work before it on the queue has not begun.
  submit(0, 2, kernel(10, 3));
  EXPECT_EQ(span_of(2), Span(10, 20));
  EXPECT_EQ(span_of(3), Span(10, 20));
}

TEST_F(QueueRules, streams_share_queues_in_turns_beginning_with_the_legacy_one) {
  start({.hardware_queues = 2});
  submit(0, 1, kernel(10, 1));
  submit(0, 1, kernel(10, 2));
  submit(0, 2, kernel(10, 3));
  submit(0, 3, kernel(10, 4));
  // Streams 1 and 3 share the second queue; stream 2 is on that of the legacy stream.
  EXPECT_EQ(span_of(3), Span(0, 10));
  EXPECT_EQ(span_of(4), Span(10, 20));
}

TEST_F(QueueRules, a_wait_holds_up_what_is_behind_it_on_its_queue) {
  start({.hardware_queues = 1});
  submit(0, 1, await_flag(1, 1));
  submit(0, 2, kernel(10, 2));
  submit(0, 3, write_flag(1, 3));
  EXPECT_EQ(span_of(2), std::nullopt);
  EXPECT_EQ(script_->timed().stuck_work().size(), 3U);
}

TEST_F(QueueRules, with_a_queue_for_each_stream_nothing_is_held_up) {
  start({.hardware_queues = 5});
  submit(0, 1, await_flag(1, 1));
  submit(0, 2, kernel(10, 2));
  submit(3, 3, write_flag(1, 3));
  EXPECT_EQ(span_of(1), Span(3, 3));
  EXPECT_EQ(span_of(2), Span(0, 10));
}

}  // namespace
}  // namespace vramlab::tests
