// The check of a device's answers: answers of the simulator hold, and altered ones are found.
#include "tests/support/cases/device_answers_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/cases/simulated_executor.h"
#include "tests/support/cases/stream_script.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = StreamCallKind;

constexpr std::size_t first_call = 7;

class DeviceAnswersCheck : public testing::Test {
 protected:
  explicit DeviceAnswersCheck(StreamScript script = {}) : script_(std::move(script)) {}
  /// The simulator's answers, to be altered.
  void answer() { answers_ = SimulatedExecutor().run(script_.program()); }
  CallAnswer& call(std::size_t number) { return answers_.calls[first_call + number]; }
  std::vector<std::string> broken() const {
    return broken_stream_rules(script_.program(), answers_);
  }

  StreamScript script_;
  DeviceAnswers answers_;
};

TEST_F(DeviceAnswersCheck, a_wait_returns_the_fault_of_what_it_waited_for) {
  script_.faulty_kernel(1, CudaStatus::illegal_address);
  script_.on_stream(Kind::synchronize_stream, 1).work(2);
  answer();
  EXPECT_EQ(call(0).error, "cudaSuccess");
  EXPECT_EQ(call(1).error, "cudaErrorIllegalAddress");
  EXPECT_FALSE(first_other_error(script_.program(), answers_));
  call(1).error = "cudaSuccess";
  EXPECT_TRUE(first_other_error(script_.program(), answers_));
}

TEST_F(DeviceAnswersCheck, work_on_one_stream_that_overlaps_is_found) {
  script_.work(1).work(1);
  answer();
  EXPECT_THAT(broken(), IsEmpty());
  answers_.runs.at({9, 0}).ended_before.clear();
  EXPECT_THAT(broken(),
              ElementsAre("work 9, run 0 began before work 8, run 0 had ended, which comes "
                          "before it"));
}

TEST_F(DeviceAnswersCheck, work_that_nothing_orders_may_come_in_any_order) {
  script_.work(1).work(2);
  answer();
  answers_.runs.at({9, 0}).ended_before = {{8, 0}};
  EXPECT_THAT(broken(), IsEmpty());
  answers_.runs.at({9, 0}).ended_before.clear();
  answers_.runs.at({8, 0}).ended_before = {{9, 0}};
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(DeviceAnswersCheck, work_that_passes_the_event_it_waits_for_is_found) {
  script_.work(1).record(1, 1).wait(2, 1).work(2);
  answer();
  answers_.runs.at({11, 0}).ended_before.clear();
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("work 11, run 0 began before work 8")));
}

TEST_F(DeviceAnswersCheck, launches_of_a_graph_that_overlap_are_found) {
  script_.begin(1).work(1).end(1).launch(2).launch(3);
  answer();
  EXPECT_THAT(broken(), IsEmpty());
  answers_.runs.at({9, 1}).ended_before.clear();
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("work 9, run 1 began before work 9, run 0")));
}

TEST_F(DeviceAnswersCheck, a_query_that_says_complete_too_soon_is_found) {
  script_.work(1).record(1, 1).on_event(Kind::query_event, 1);
  answer();
  EXPECT_EQ(call(2).error, "cudaErrorNotReady");
  EXPECT_THAT(broken(), IsEmpty());
  call(2).error = "cudaSuccess";
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("it returned, but work 8, run 0 had not ended")));
  call(2).ended = {{8, 0}};
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(DeviceAnswersCheck, a_wait_that_is_over_too_soon_is_found) {
  script_.work(1).on_stream(Kind::synchronize_stream, 1);
  answer();
  call(1).ended.clear();
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("work 8, run 0 had not ended")));
}

TEST_F(DeviceAnswersCheck, a_pageable_copy_that_returns_too_soon_is_found) {
  script_.pageable_copy(1);
  answer();
  call(0).ended.clear();
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("work 8, run 0 had not ended")));
}

TEST_F(DeviceAnswersCheck, a_query_that_says_pending_after_a_wait_is_found) {
  script_.work(1).record(1, 1).on_stream(Kind::synchronize_stream, 1);
  script_.by_thread(1).on_event(Kind::query_event, 1).on_stream(Kind::query_stream, 1);
  script_.elapsed(1, 1);
  answer();
  EXPECT_THAT(broken(), IsEmpty());
  for (const std::size_t query : {3U, 4U, 5U}) call(query).error = "cudaErrorNotReady";
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("query_event"), HasSubstr("query_stream"),
                                    HasSubstr("elapsed")));
}

TEST_F(DeviceAnswersCheck, a_query_about_the_legacy_stream_after_a_wait_for_the_device) {
  script_.work(4).work(0).on_stream(Kind::query_stream, 0).call(Kind::synchronize_device);
  script_.on_stream(Kind::query_stream, 0);
  answer();
  EXPECT_THAT(broken(), IsEmpty());
  call(4).error = "cudaErrorNotReady";
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("cudaErrorNotReady of what the host was told")));
}

/// The thread follows the answer of a query, and so does the work that it submits from then on.
TEST_F(DeviceAnswersCheck, what_a_query_told_a_thread_orders_what_it_submits) {
  script_.work(1).on_stream(Kind::query_stream, 1).work(2);
  answer();
  EXPECT_THAT(broken(), IsEmpty());
  call(1).error = "cudaSuccess";
  call(1).ended = call(2).ended = {{8, 0}};
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("work 10, run 0 began before work 8, run 0")));
  answers_.runs.at({10, 0}).ended_before = {{8, 0}};
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(DeviceAnswersCheck, an_error_of_another_name_is_found) {
  script_.begin(1).on_stream(Kind::query_stream, 1).end(1);
  answer();
  EXPECT_THAT(broken(), IsEmpty());
  EXPECT_FALSE(first_other_error(script_.program(), answers_));
  call(1).error = "cudaErrorStreamCaptureImplicit";
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("expected cudaErrorStreamCaptureUnsupported, found "
                                              "cudaErrorStreamCaptureImplicit")));
  const auto other = first_other_error(script_.program(), answers_);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->call, first_call + 1);
}

TEST_F(DeviceAnswersCheck, another_mode_before_is_found) {
  script_.exchange_mode(CaptureMode::relaxed);
  answer();
  call(0).figures = {2};
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("expected figures 0, found figures 2")));
}

TEST_F(DeviceAnswersCheck, work_that_never_ended_or_ran_too_often_is_found) {
  script_.work(1);
  answer();
  answers_.runs[{8, 1}] = answers_.runs.at({8, 0});
  answers_.runs.erase({8, 0});
  EXPECT_THAT(broken(), ElementsAre("work 8, run 0 never ended", "work 8, run 1 was not to run"));
}

class ElapsedTimesCheck : public DeviceAnswersCheck {
 protected:
  /// Work of 1 ms, a record, work of 5 ms, a record, work again.
  ElapsedTimesCheck() {
    script_.work(1, 1'000'000).record(1, 1).work(1, 5'000'000).record(2, 1).work(1, 1'000'000);
    script_.call(Kind::synchronize_device).elapsed(1, 2);
    answer();
  }
};

TEST_F(ElapsedTimesCheck, the_time_between_two_events_is_that_of_the_work_between_them) {
  EXPECT_THAT(call(6).figures, ElementsAre(5'000'000));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ElapsedTimesCheck, a_time_that_is_too_short_is_found) {
  call(6).figures = {4'900'000};
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("between it was 5000000 ns at least")));
}

TEST_F(ElapsedTimesCheck, a_time_that_is_too_long_is_found) {
  call(6).figures = {5'100'000};
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("around it was 5000000 ns at most")));
}

}  // namespace
}  // namespace vramlab::tests
