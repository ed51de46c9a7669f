// docs/reference/stream_model.md, 4 to 6: host threads, flags in memory, and faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/scripted_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;

class HostRules : public testing::Test {
 protected:
  explicit HostRules(const StreamModel& model = {}) : script_(model) {
    script_.next().create_stream(first, non_blocking);
    script_.next().create_stream(second, non_blocking);
  }
  ScriptedStreams script_;
};

TEST_F(HostRules, a_thread_that_waits_for_a_stream_goes_on_when_that_is_done) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(0).submit(second, kernel(90, 2));
  EXPECT_EQ(script_.at(5).synchronize_stream(first), CudaStatus::success);
  script_.next();
  EXPECT_EQ(script_.now(), 50U);
}

TEST_F(HostRules, waiting_for_what_is_done_takes_no_time) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(70).synchronize_stream(first);
  script_.next();
  EXPECT_EQ(script_.now(), 70U);
}

TEST_F(HostRules, asking_about_a_stream_does_not_wait) {
  script_.at(0).submit(first, kernel(50, 1));
  EXPECT_EQ(script_.at(49).query_stream(first), CudaStatus::not_ready);
  EXPECT_EQ(script_.at(50).query_stream(first), CudaStatus::success);
}

TEST_F(HostRules, other_threads_go_on_while_one_waits) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).synchronize_stream(first);
  script_.at(10, 1).submit(second, kernel(5, 2));
  script_.next();
  EXPECT_EQ(script_.now(), 50U);
  EXPECT_EQ(script_.span_of(2), Span(10, 15));
}

TEST_F(HostRules, waiting_for_a_device_covers_all_its_streams_and_no_other_device) {
  script_.at(0).create_stream(stream_number(1, 1), blocking);
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(0).submit(second, kernel(60, 2));
  script_.at(0).submit(stream_number(1, 1), kernel(900, 3));
  script_.at(1).destroy_stream(second);
  EXPECT_EQ(script_.at(2).synchronize_device(0), CudaStatus::success);
  script_.next();
  EXPECT_EQ(script_.now(), 60U);
}

TEST_F(HostRules, two_waits_in_one_call_are_both_waited_for) {
  TimedStreams& timed = script_.at(0);
  timed.submit(first, kernel(50, 1));
  timed.submit(second, kernel(20, 2));
  timed.synchronize_stream(first);
  timed.synchronize_stream(second);
  script_.next();
  EXPECT_EQ(script_.now(), 50U);
}

TEST_F(HostRules, a_copy_of_pageable_memory_holds_up_its_thread) {
  Work copy = work_of(WorkKind::copy_to_device, 40, 2);
  copy.blocks_host = true;
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).submit(first, copy);
  script_.next();
  EXPECT_EQ(script_.now(), 90U);
}

TEST_F(HostRules, a_host_function_holds_up_its_stream_and_no_thread) {
  script_.at(0).submit(first, work_of(WorkKind::host_function, 40, 1));
  script_.at(1).submit(first, kernel(5, 2));
  EXPECT_EQ(script_.now(), 1U);
  EXPECT_EQ(script_.span_of(2), Span(40, 45));
}

TEST_F(HostRules, calls_happen_in_the_order_of_the_program) {
  script_.at(100, 0).submit(first, kernel(5, 1));
  script_.at(10, 1).submit(second, kernel(5, 2));
  EXPECT_EQ(script_.span_of(2), Span(100, 105));
}

TEST_F(HostRules, a_thread_whose_wait_is_never_over_makes_no_call_and_is_named) {
  script_.at(0).submit(first, await_flag(1, 1));
  script_.at(3).synchronize_stream(first);
  script_.at(4);
  EXPECT_FALSE(script_.is_made());
  const auto stuck = script_.timed().finish();
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck[0].thread, ThreadId{0});
  EXPECT_EQ(stuck[0].since, Time{3});
}

TEST_F(HostRules, other_threads_go_on_after_one_waited_in_vain_and_may_free_it) {
  script_.at(0).submit(first, await_flag(1, 1));
  script_.at(0).submit(second, kernel(80, 2));
  script_.at(3).synchronize_stream(first);
  script_.at(4);
  EXPECT_FALSE(script_.is_made());
  script_.at(5, 1).submit(second, write_flag(1, 3));
  // Everything that could happen without that call had happened.
  EXPECT_EQ(script_.now(), 80U);
  script_.at(0);
  EXPECT_TRUE(script_.is_made());
  EXPECT_EQ(script_.span_of(1), Span(80, 80));
}

class HostRulesWithCosts : public HostRules {
 protected:
  HostRulesWithCosts() : HostRules({.launch_latency = {0}, .call_time = {10}, .limits = {}}) {}
};

TEST_F(HostRulesWithCosts, each_call_costs_its_thread_and_no_other) {
  script_.next().submit(first, kernel(1, 1));
  script_.next().submit(first, kernel(1, 2));
  script_.next(1).submit(second, kernel(1, 3));
  // Two streams were made before.
  EXPECT_EQ(script_.span_of(1), Span(20, 21));
  EXPECT_EQ(script_.span_of(2), Span(30, 31));
  EXPECT_EQ(script_.span_of(3), Span(30, 31));
}

using FlagRules = HostRules;

TEST_F(FlagRules, a_stream_waits_until_another_wrote_the_flag) {
  script_.at(0).submit(first, await_flag(2, 1));
  script_.at(1).submit(first, kernel(5, 2));
  script_.at(2).submit(second, kernel(40, 3));
  script_.at(3).submit(second, write_flag(2, 4));
  EXPECT_EQ(script_.span_of(1), Span(42, 42));
  EXPECT_EQ(script_.span_of(2), Span(42, 47));
}

TEST_F(FlagRules, a_flag_that_was_written_before_is_not_waited_for) {
  script_.at(0).submit(second, write_flag(3, 1));
  script_.at(5).submit(first, await_flag(2, 2));
  EXPECT_EQ(script_.span_of(2), Span(5, 5));
}

TEST_F(FlagRules, a_lower_value_neither_frees_a_wait_nor_lowers_the_flag) {
  script_.at(0).submit(first, await_flag(2, 1));
  script_.at(1).submit(second, write_flag(1, 2));
  script_.at(5).submit(second, write_flag(2, 3));
  script_.at(6).submit(second, write_flag(0, 4));
  script_.at(9).submit(second, await_flag(2, 5));
  EXPECT_EQ(script_.span_of(1), Span(5, 5));
  EXPECT_EQ(script_.span_of(5), Span(9, 9));
}

TEST_F(FlagRules, work_that_waits_for_ever_is_named_with_its_flag) {
  script_.at(0).submit(first, await_flag(2, 11));
  script_.at(0).submit(first, kernel(1, 12));
  script_.at(0).submit(second, kernel(1, 13));
  script_.timed().finish();
  const auto stuck = script_.timed().stuck_work();
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck[0].stream, first);
  EXPECT_EQ(stuck[0].tag, 11U);
  EXPECT_EQ(stuck[0].awaited, FlagId{7});
}

TEST_F(FlagRules, work_behind_a_wait_on_another_stream_is_stuck_for_no_flag_of_its_own) {
  script_.next().create_event({1}, 0, true);
  script_.at(0).submit(first, await_flag(2, 11));
  script_.at(0).record_event({1}, first, 12);
  script_.at(0).wait_for_event(second, {1}, 13);
  script_.timed().finish();
  const auto stuck = script_.timed().stuck_work();
  ASSERT_EQ(stuck.size(), 2U);
  EXPECT_EQ(stuck[1].tag, 13U);
  EXPECT_EQ(stuck[1].awaited, std::nullopt);
}

using FaultRules = HostRules;

TEST_F(FaultRules, a_fault_is_answered_by_every_call_after_it) {
  EXPECT_EQ(script_.at(0).submit(first, faulty_kernel(10, 1)), CudaStatus::success);
  EXPECT_EQ(script_.at(9).query_stream(second), CudaStatus::success);
  EXPECT_EQ(script_.at(10).query_stream(second), CudaStatus::illegal_address);
  EXPECT_EQ(script_.next().submit(second, kernel(1, 2)), CudaStatus::illegal_address);
  EXPECT_EQ(script_.next().create_event({1}, 0, true), CudaStatus::illegal_address);
  EXPECT_EQ(script_.next().synchronize_device(0), CudaStatus::illegal_address);
  EXPECT_EQ(script_.next().destroy_stream(first), CudaStatus::illegal_address);
  EXPECT_EQ(script_.next().check_unsafe_call(), CudaStatus::illegal_address);
  EXPECT_EQ(script_.timed().lost_context(), CudaStatus::illegal_address);
}

TEST_F(FaultRules, nothing_begins_or_ends_after_a_fault_on_any_device) {
  script_.at(0).create_stream(stream_number(1, 1), blocking);
  script_.at(0).submit(first, faulty_kernel(10, 1));
  script_.at(0).submit(first, kernel(10, 2));
  script_.at(0).submit(stream_number(1, 1), kernel(11, 3));
  EXPECT_EQ(script_.span_of(1), Span(0, 10));
  EXPECT_EQ(script_.span_of(2), std::nullopt);
  EXPECT_EQ(script_.span_of(3), std::nullopt);
}

TEST_F(FaultRules, what_was_issued_first_still_ends_at_the_instant_of_a_fault) {
  script_.at(0).submit(first, kernel(10, 1));
  script_.at(0).submit(second, faulty_kernel(10, 2));
  script_.at(0).submit(legacy, kernel(10, 3));
  EXPECT_EQ(script_.span_of(1), Span(0, 10));
  EXPECT_EQ(script_.span_of(3), std::nullopt);
}

TEST_F(FaultRules, a_waiting_thread_goes_on_at_the_fault) {
  script_.at(0).submit(second, faulty_kernel(10, 1));
  script_.at(0).submit(first, kernel(50, 2));
  script_.at(1).synchronize_stream(first);
  EXPECT_EQ(script_.next().query_stream(first), CudaStatus::illegal_address);
  EXPECT_EQ(script_.now(), 10U);
  EXPECT_THAT(script_.timed().finish(), testing::IsEmpty());
}

TEST_F(FaultRules, an_error_that_is_not_sticky_loses_nothing) {
  Work work = kernel(10, 1);
  work.fault = CudaStatus::invalid_value;
  script_.at(0).submit(first, work);
  EXPECT_EQ(script_.at(11).query_stream(first), CudaStatus::success);
}

}  // namespace
}  // namespace vramlab::tests
