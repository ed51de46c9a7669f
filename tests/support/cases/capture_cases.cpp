#include "tests/support/cases/capture_cases.h"

#include "tests/support/cases/stream_script.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using Kind = StreamCallKind;

constexpr CaptureMode global = CaptureMode::global;
constexpr CaptureMode thread_local_only = CaptureMode::thread_local_only;

void add_graphs(CaptureCases& to) {
  add(to, "9.1", "captured_work_does_not_run",
      script().begin(1).work(1).end(1).on_stream(Kind::synchronize_stream, 1));
  add(to, "9.1", "a_graph_runs_once_for_each_launch",
      script().begin(1).work(1).work(1).end(1).launch(2).launch(3).launch(2));
  add(to, "9.2", "a_stream_that_waits_for_a_captured_event_takes_part",
      script()
          .begin(1)
          .work(1)
          .fork(1, 2)
          .on_stream(Kind::capture_of, 2)
          .work(2)
          .record(2, 2)
          .wait(1, 2)
          .work(1)
          .end(1)
          .on_stream(Kind::capture_of, 2)
          .launch(3)
          .work(3));
  add(to, "9.2", "what_runs_beside_a_capture_is_not_captured",
      script().begin(1).work(1).work(2).end(1).launch(2));
  add(to, "9.3", "a_stream_that_worked_has_to_come_back",
      script()
          .begin(1)
          .fork(1, 2)
          .work(2)
          .end(1)
          .on_stream(Kind::capture_of, 1)
          .on_stream(Kind::capture_of, 2));
  add(to, "9.3", "a_capture_ends_on_the_stream_where_it_began",
      script().begin(1).fork(1, 2).end(2));
  add(to, "9.3", "a_stream_that_does_not_capture_has_none_to_end", script().end(1));
  add(to, "9.4", "a_thread_local_capture_ends_on_its_own_thread",
      script().begin(1, thread_local_only).by_thread(1).end(1));
  add(to, "9.4", "a_global_capture_ends_on_its_own_thread",
      script().begin(1, global).by_thread(1).end(1));
  add(to, "9.4", "a_relaxed_capture_ends_on_any_thread",
      script().begin(1).work(1).by_thread(1).end(1).launch(1));
  add(to, "9.12", "an_event_recorded_outside_again_is_an_ordinary_one",
      script()
          .begin(1)
          .record(1, 1)
          .end(1)
          .record(1, 2)
          .on_event(Kind::synchronize_event, 1)
          .wait(3, 1)
          .work(3));
  add(to, "9.13", "the_ends_of_a_capture_can_be_counted",
      script()
          .on_stream(Kind::capture_of, 1)
          .begin(1)
          .on_stream(Kind::capture_of, 1)
          .work(1)
          .on_stream(Kind::capture_of, 1)
          .fork(1, 2)
          .on_stream(Kind::capture_of, 2)
          .work(2)
          .work(1)
          .record(2, 2)
          .wait(1, 2)
          .on_stream(Kind::capture_of, 1)
          .work(1)
          .on_stream(Kind::capture_of, 1)
          .end(1)
          .on_stream(Kind::capture_of, 1));
}

void add_legacy(CaptureCases& to) {
  add(to, "9.5", "the_legacy_stream_cannot_be_captured", script().begin(0));
  add(to, "9.6", "no_work_for_the_legacy_stream_beside_a_captured_blocking_one",
      script().begin(4).work(0).end(4));
  add(to, "9.6", "no_record_on_the_legacy_stream_beside_a_captured_blocking_one",
      script().begin(4).record(1, 0).end(4));
  add(to, "9.6", "no_wait_of_the_legacy_stream_beside_a_captured_blocking_one",
      script().record(1, 1).begin(4).wait(0, 1).end(4));
  add(to, "9.6", "the_legacy_stream_is_not_asked_beside_a_captured_blocking_one",
      script().begin(4).on_stream(Kind::query_stream, 0).end(4));
  add(to, "9.6", "the_legacy_stream_is_not_waited_for_beside_a_captured_blocking_one",
      script().begin(4).on_stream(Kind::synchronize_stream, 0).end(4));
  add(to, "9.6", "the_capture_of_the_legacy_stream_is_not_asked_beside_a_captured_blocking_one",
      script().begin(4).on_stream(Kind::capture_of, 0).end(4));
  add(to, "9.6", "the_legacy_stream_goes_on_beside_a_captured_non_blocking_one",
      script().begin(1).work(0).record(1, 0).end(1).work(0));
}

void add_host_calls(CaptureCases& to) {
  for (const CaptureMode mode : {CaptureMode::relaxed, thread_local_only, global}) {
    const std::string in = mode == global              ? "in_a_global_capture"
                           : mode == thread_local_only ? "in_a_thread_local_capture"
                                                       : "in_a_relaxed_capture";
    const auto add_one = [&](const std::string& name, const StreamScript& script) {
      to.push_back({"9.7", name + "_" + in, script.program()});
    };
    add_one("a_stream_is_not_asked",
            script().begin(1, mode).on_stream(Kind::query_stream, 1).end(1));
    add_one("a_stream_is_not_waited_for",
            script().begin(1, mode).on_stream(Kind::synchronize_stream, 1).end(1));
    add_one("the_device_is_not_waited_for",
            script().begin(1, mode).call(Kind::synchronize_device).end(1));
    add_one("an_event_is_not_asked",
            script().begin(1, mode).record(1, 1).on_event(Kind::query_event, 1).end(1));
    add_one("an_event_is_not_waited_for",
            script().begin(1, mode).record(1, 1).on_event(Kind::synchronize_event, 1).end(1));
    add_one("an_event_has_no_time", script().begin(1, mode).record(1, 1).elapsed(1, 1).end(1));
    add_one("a_pageable_copy_is_captured",
            script().begin(1, mode).pageable_copy(1).end(1).launch(1));
  }
}

void add_invalidation(CaptureCases& to) {
  add(to, "9.8", "two_captures_do_not_become_one",
      script().begin(1).begin(2).record(1, 1).wait(2, 1).end(1).end(2));
  add(to, "9.8", "captured_work_does_not_wait_for_work_outside",
      script().record(1, 3).begin(1).wait(1, 1).end(1));
  add(to, "9.9", "an_invalidated_capture_takes_no_work",
      script().begin(1).on_stream(Kind::query_stream, 1).work(1).end(1).work(1));
  add(to, "9.9", "an_invalidated_capture_takes_no_record",
      script().begin(1).on_stream(Kind::query_stream, 1).record(1, 1).end(1).record(1, 1));
  add(to, "9.9", "an_invalidated_capture_takes_no_wait",
      script().begin(1).record(1, 1).on_stream(Kind::query_stream, 1).wait(1, 1).end(1));
  add(to, "9.9", "all_streams_of_an_invalidated_capture_are_lost",
      script().begin(1).fork(1, 2).on_stream(Kind::query_stream, 1).work(2).end(1).work(2));
  add(to, "9.9", "nobody_joins_an_invalidated_capture",
      script().begin(1).record(1, 1).on_stream(Kind::query_stream, 1).wait(2, 1).end(1).work(2));
}

void add_modes(CaptureCases& to) {
  add(to, "9.10", "a_global_capture_forbids_its_own_thread_an_unsafe_call",
      script().begin(1, global).call(Kind::check_unsafe_call).end(1));
  add(to, "9.10", "a_global_capture_forbids_other_threads_an_unsafe_call",
      script().begin(1, global).by_thread(1).call(Kind::check_unsafe_call).by_thread(0).end(1));
  add(to, "9.10", "a_thread_local_capture_forbids_its_own_thread_an_unsafe_call",
      script().begin(1, thread_local_only).call(Kind::check_unsafe_call).end(1));
  add(to, "9.10", "a_thread_local_capture_forbids_other_threads_nothing",
      script()
          .begin(1, thread_local_only)
          .by_thread(1)
          .call(Kind::check_unsafe_call)
          .by_thread(0)
          .end(1));
  add(to, "9.10", "a_relaxed_capture_forbids_nobody_an_unsafe_call",
      script()
          .begin(1)
          .call(Kind::check_unsafe_call)
          .by_thread(1)
          .call(Kind::check_unsafe_call)
          .by_thread(0)
          .end(1));
  add(to, "9.11", "a_thread_that_looks_at_its_own_captures_ignores_those_of_others",
      script()
          .begin(1, global)
          .by_thread(1)
          .exchange_mode(thread_local_only)
          .call(Kind::check_unsafe_call)
          .by_thread(0)
          .end(1));
  add(to, "9.11", "a_thread_that_looks_at_none_ignores_its_own",
      script()
          .exchange_mode(CaptureMode::relaxed)
          .begin(1, global)
          .call(Kind::check_unsafe_call)
          .exchange_mode(global)
          .call(Kind::check_unsafe_call)
          .end(1));
}

}  // namespace

void add(CaptureCases& cases, const char* rule, const char* name, const StreamScript& script) {
  cases.push_back({rule, name, script.program()});
}

std::vector<CaptureCase> capture_rule_cases() {
  CaptureCases cases;
  add_graphs(cases);
  add_legacy(cases);
  add_host_calls(cases);
  add_invalidation(cases);
  add_modes(cases);
  return cases;
}

}  // namespace vramlab::tests
