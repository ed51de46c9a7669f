// The decisions of docs/reference/stream_model.md about captures where no documentation says a
// rule, and handles that nobody made.
#include "tests/support/cases/capture_cases.h"
#include "tests/support/cases/stream_script.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using Kind = StreamCallKind;

constexpr std::uint64_t unknown = 77;

/// D6: the legacy stream, asked, and streams that were destroyed. The work is still running then.
void add_legacy_stream(CaptureCases& to) {
  constexpr std::uint64_t blocking = 4;
  constexpr std::uint64_t long_time = 2000;
  const auto busy = [=] { return script().work(blocking, long_time); };
  add(to, "D6", "asking_about_the_legacy_stream_asks_about_blocking_ones",
      busy().on_stream(Kind::query_stream, 0));
  add(to, "D6", "waiting_for_the_legacy_stream_waits_for_blocking_ones",
      busy().on_stream(Kind::synchronize_stream, 0));
  add(to, "D6", "waiting_for_the_legacy_stream_waits_for_a_destroyed_blocking_one",
      busy().on_stream(Kind::destroy_stream, blocking).on_stream(Kind::synchronize_stream, 0));
  add(to, "D6", "work_of_a_destroyed_blocking_stream_comes_before_that_of_the_legacy_one",
      busy().on_stream(Kind::destroy_stream, blocking).work(0));
}

/// D11: the unsafe calls.
void add_unsafe_calls(CaptureCases& to) {
  const auto by_other = [] {
    return script().record(2, 3).begin(1, CaptureMode::global).by_thread(1);
  };
  const auto by_own = [] { return script().record(2, 3).begin(1, CaptureMode::global); };
  add(to, "D11", "another_thread_does_not_ask_about_a_stream",
      by_other().on_stream(Kind::query_stream, 3).by_thread(0).end(1));
  add(to, "D11", "another_thread_does_not_wait_for_a_stream",
      by_other().on_stream(Kind::synchronize_stream, 3).by_thread(0).end(1));
  add(to, "D11", "another_thread_does_not_wait_for_the_device",
      by_other().call(Kind::synchronize_device).by_thread(0).end(1));
  add(to, "D11", "another_thread_does_not_ask_about_an_event",
      by_other().on_event(Kind::query_event, 2).by_thread(0).end(1));
  add(to, "D11", "another_thread_does_not_wait_for_an_event",
      by_other().on_event(Kind::synchronize_event, 2).by_thread(0).end(1));
  add(to, "D11", "the_own_thread_does_not_ask_about_another_stream",
      by_own().on_stream(Kind::query_stream, 3).end(1));
  add(to, "D11", "the_own_thread_does_not_wait_for_another_stream",
      by_own().on_stream(Kind::synchronize_stream, 3).end(1));
  add(to, "D11", "the_own_thread_does_not_ask_about_another_event",
      by_own().on_event(Kind::query_event, 2).end(1));
  add(to, "D11", "the_own_thread_does_not_wait_for_another_event",
      by_own().on_event(Kind::synchronize_event, 2).end(1));
  add(to, "D11", "putting_work_on_another_stream_is_safe",
      by_own().work(3).record(2, 3).wait(2, 2).work(2).end(1));
  add(to, "D11", "a_pageable_copy_on_another_stream_is_safe", by_own().pageable_copy(3).end(1));
  add(to, "D11", "making_and_destroying_streams_is_safe",
      by_own().create_stream(8, {}).on_stream(Kind::destroy_stream, 8).end(1));
  add(to, "D11", "making_and_destroying_events_is_safe",
      by_own().create_event(8, true).on_event(Kind::destroy_event, 8).end(1));
  add(to, "D11", "destroying_a_graph_is_unsafe",
      script().begin(1).end(1, 0).begin(2, CaptureMode::global).call(Kind::destroy_graph).end(2));
  add(to, "D11", "asking_for_an_elapsed_time_is_safe",
      script()
          .record(1, 3)
          .record(2, 3)
          .on_stream(Kind::synchronize_stream, 3)
          .begin(1, CaptureMode::global)
          .elapsed(1, 2)
          .end(1));
}

/// D12: the effect of a refusal on the capture.
void add_refusals(CaptureCases& to) {
  add(to, "D12", "a_second_begin_leaves_it_as_it_was", script().begin(1).begin(1).end(1));
  add(to, "D12", "a_second_begin_is_refused_alike_once_it_is_invalidated",
      script().begin(1).on_stream(Kind::query_stream, 1).begin(1).end(1));
  add(to, "D12", "an_end_on_another_stream_invalidates",
      script().begin(1).fork(1, 2).end(2).end(1));
  add(to, "D12", "it_is_over_after_an_end_on_another_thread",
      script().begin(1, CaptureMode::thread_local_only).by_thread(1).end(1).by_thread(0).end(1));
  add(to, "D12", "a_merge_invalidates_both",
      script().begin(1).begin(2).record(1, 1).wait(2, 1).work(1).work(2).end(1).end(2));
  add(to, "D12", "an_unknown_event_invalidates_by_the_wait_for_it",
      script().begin(1).work(1).record(unknown, 1).wait(1, unknown).end(1).launch(1));
  add(to, "D12", "an_unknown_event_that_is_recorded_leaves_it_as_it_was",
      script().begin(1).record(unknown, 1).end(1));
  add(to, "D12", "an_unknown_event_that_is_waited_for_invalidates",
      script().begin(1).wait(1, unknown).end(1));
  add(to, "D12", "the_end_of_a_capture_on_the_legacy_stream_is_refused_and_invalidates",
      script().begin(4).end(0).end(4));
  add(to, "D12", "joining_the_legacy_stream_invalidates",
      script().begin(1).record(1, 1).wait(0, 1).end(1));
}

/// D13: an event of a capture that ended.
void add_old_events(CaptureCases& to) {
  const auto captured = [] { return script().begin(1).work(1).record(1, 1).end(1); };
  add(to, "D13", "an_event_of_an_ended_capture_is_not_waited_for_by_a_stream",
      captured().wait(2, 1));
  add(to, "D13", "an_event_of_an_ended_capture_is_not_asked",
      captured().on_event(Kind::query_event, 1));
  add(to, "D13", "an_event_of_an_ended_capture_is_not_waited_for_on_the_host",
      captured().on_event(Kind::synchronize_event, 1));
  add(to, "D13", "an_event_of_an_ended_capture_has_no_time", captured().elapsed(1, 1));
  add(to, "D13", "a_capture_that_waits_for_it_is_lost", captured().begin(2).wait(2, 1).end(2));
  const auto invalidated = [] {
    return script().begin(1).record(1, 1).on_stream(Kind::query_stream, 1);
  };
  add(to, "D13", "an_event_of_an_invalidated_capture_is_not_asked",
      invalidated().on_event(Kind::query_event, 1).end(1));
  add(to, "D13", "an_event_of_an_invalidated_capture_has_no_time",
      invalidated().elapsed(1, 1).end(1));
  add(to, "D13", "a_capture_that_waits_for_one_of_an_invalidated_capture_is_lost",
      invalidated().begin(2).wait(2, 1).end(2).end(1));
}

/// D14 to D16: joining, destroying, graphs in graphs.
void add_ends(CaptureCases& to) {
  add(to, "D14", "a_stream_that_joined_and_did_nothing_need_not_come_back",
      script().begin(1).work(1).fork(1, 2).end(1).launch(3));
  add(to, "D14", "a_stream_that_came_back_may_join_again_and_do_nothing",
      script().begin(1).work(1).fork(1, 2).work(2).record(2, 2).wait(1, 2).fork(1, 2).end(1).launch(
          3));
  add(to, "D14", "a_stream_comes_back_by_way_of_another",
      script()
          .begin(1)
          .fork(1, 2)
          .work(2)
          .record(2, 2)
          .wait(3, 2)
          .work(3)
          .record(2, 3)
          .wait(1, 2)
          .end(1)
          .launch(3));
  add(to, "D15", "a_capture_is_over_when_the_stream_where_it_began_is_destroyed",
      script()
          .begin(1, CaptureMode::global)
          .on_stream(Kind::destroy_stream, 1)
          .call(Kind::check_unsafe_call));
  add(to, "D15", "a_stream_that_joined_is_destroyed",
      script().begin(1).fork(1, 2).on_stream(Kind::destroy_stream, 2).end(1));
  add(to, "D15", "work_captured_on_a_destroyed_stream_has_to_come_back",
      script().begin(1).fork(1, 2).work(2).on_stream(Kind::destroy_stream, 2).end(1));
  add(to, "D16", "a_graph_that_nobody_made_is_refused_in_a_capture",
      script().begin(1).work(1).launch(1, unknown).end(1).launch(1));
  add(to, "D16", "a_graph_is_not_launched_in_a_capture",
      script().begin(1).work(1).end(1, 1).begin(2).work(2).launch(2, 1).work(2).end(2, 2).launch(
          3, 2));
  add(to, "D16", "an_empty_graph_is_launched_and_done",
      script().begin(1).end(1).launch(1).on_stream(Kind::synchronize_stream, 1));
}

void add_handles(CaptureCases& to) {
  for (const Kind kind : {Kind::destroy_event, Kind::query_event, Kind::synchronize_event})
    to.push_back({"3.7",
                  std::string("an_event_that_nobody_made_is_invalid_") +
                      (kind == Kind::destroy_event ? "to_destroy"
                       : kind == Kind::query_event ? "to_ask"
                                                   : "to_wait_for"),
                  script().on_event(kind, unknown).program()});
  add(to, "3.7", "an_event_that_nobody_made_is_invalid_to_record", script().record(unknown, 1));
  add(to, "3.7", "an_event_that_nobody_made_is_invalid_to_a_stream", script().wait(1, unknown));
  add(to, "3.8", "an_event_that_nobody_made_has_no_time", script().elapsed(1, unknown));
  add(to, "3.8", "an_event_that_was_never_recorded_has_no_time",
      script().record(1, 1).on_event(Kind::synchronize_event, 1).elapsed(1, 2));
  add(to, "3.8", "an_event_without_timing_has_no_time",
      script()
          .create_event(3, false)
          .record(1, 1)
          .record(3, 1)
          .on_event(Kind::synchronize_event, 3)
          .elapsed(1, 3));
  add(to, "3.4", "a_capture_waits_for_an_event_that_was_never_recorded",
      script().begin(1).wait(1, 1).end(1));
  add(to, "3.4", "a_wait_of_the_legacy_stream_for_an_event_that_was_never_recorded_orders_nothing",
      script().work(4, 2000).wait(0, 1).work(5));
  add(to, "2.1", "the_legacy_stream_is_not_destroyed", script().on_stream(Kind::destroy_stream, 0));
  add(to, "D12", "a_graph_that_nobody_made_is_an_invalid_value", script().launch(1, unknown));
}

}  // namespace

std::vector<CaptureCase> capture_decision_cases() {
  CaptureCases cases;
  add_legacy_stream(cases);
  add_unsafe_calls(cases);
  add_refusals(cases);
  add_old_events(cases);
  add_ends(cases);
  add_handles(cases);
  return cases;
}

}  // namespace vramlab::tests
