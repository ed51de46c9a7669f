#include "tests/support/cases/device_answers_check.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "allocator/types/check.h"
#include "tests/support/cases/told_order.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using Kind = StreamCallKind;

/// The precision of an event's time and a stamp: both clocks go in steps.
constexpr std::int64_t stamp_tolerance_ns = 20'000;

constexpr std::string_view success = "cudaSuccess";
constexpr std::string_view not_ready = "cudaErrorNotReady";

bool depends_on_time(Kind kind) {
  return kind == Kind::query_stream || kind == Kind::query_event || kind == Kind::elapsed;
}
bool is_of_time(std::string_view error) { return error == success || error == not_ready; }

/// A query that said complete told its thread what a wait would have told it.
StreamCall as_answered(StreamCall call, const CallAnswer& answer) {
  if (answer.error != success) return call;
  if (call.kind == Kind::query_event) call.kind = Kind::synchronize_event;
  if (call.kind == Kind::query_stream) call.kind = Kind::synchronize_stream;
  return call;
}

struct ElapsedBetween {
  std::size_t call = 0;
  std::int64_t ns = 0;
  OrderedPlace from;
  OrderedPlace to;
};

/// The latest instant at which something can have happened, and the earliest.
struct Bounds {
  std::optional<std::int64_t> earliest;
  std::optional<std::int64_t> latest;
};

class AnswersCheck {
 public:
  AnswersCheck(const StreamProgram& program, const DeviceAnswers& answers)
      : program_(program), answers_(answers), timed_({}, order_) {}

  std::vector<std::string> run() {
    check(answers_.calls.size() == program_.calls.size(), "every call has an answer");
    for (std::size_t i = 0; i < program_.calls.size(); ++i)
      if (!is_call_comparable(i)) return broken_;
    check_what_ran();
    check_order();
    for (const ElapsedBetween& elapsed : elapsed_) check_elapsed(elapsed);
    return broken_;
  }

 private:
  void add(std::size_t call, const std::string& sentence) {
    broken_.push_back("call " + std::to_string(call) + ", " +
                      stream_call_text(program_.calls[call]) + ": " + sentence);
  }

  /// False where the error is another: from there on both are in different states.
  bool is_call_comparable(std::size_t i) {
    const StreamCall& call = program_.calls[i];
    const CallAnswer& found = answers_.calls[i];
    if (found.error == not_ready && is_known_to_be_done(call))
      add(i, "it says cudaErrorNotReady of what the host was told to have ended");
    const StreamAnswer expected = make(as_answered(call, found));
    const std::string_view name = cuda_status_name(expected.status);
    const bool is_same = depends_on_time(call.kind) && is_of_time(name) ? is_of_time(found.error)
                                                                        : name == found.error;
    if (!is_same) {
      add(i, "expected " + std::string(name) + ", found " + found.error);
      return false;
    }
    if (call.kind == Kind::elapsed)
      note_elapsed(i);
    else if (device_figures(call, expected) != found.figures)
      add(i, "expected " + figures_text(device_figures(call, expected)) + ", found " +
                 figures_text(found.figures));
    check_what_ended(i, order_.known_to(call.thread));
    return true;
  }

  StreamAnswer make(const StreamCall& call) {
    if (depends_on_time(call.kind)) order_.begin_asking();
    const StreamAnswer answer = answer_of(timed_, call);
    order_.end_asking();
    check(answer.is_made, "programs for an executor come to an end");
    return answer;
  }

  bool is_known_to_be_done(const StreamCall& call) {
    const auto is_done = [&](allocator::EventId event) {
      const auto record = order_.record_of(event);
      return !record || order_.is_known_to_be_done(*record);
    };
    if (call.kind == Kind::query_stream) return order_.is_known_to_be_done(call.stream);
    if (call.kind == Kind::query_event) return is_done(call.event);
    return call.kind == Kind::elapsed && is_done(call.event) && is_done(call.other_event);
  }

  void check_what_ended(std::size_t i, const WorkRuns& must_have_ended) {
    for (const WorkRun run : must_have_ended)
      if (!answers_.calls[i].ended.contains(run))
        add(i, "it returned, but " + work_run_text(run) + " had not ended");
  }

  void note_elapsed(std::size_t i) {
    const StreamCall& call = program_.calls[i];
    if (answers_.calls[i].error != success) return;
    const auto from = order_.record_of(call.event);
    const auto to = order_.record_of(call.other_event);
    check(from && to, "the simulator refuses other events");
    if (answers_.calls[i].figures.size() != 1) return add(i, "it says no time");
    elapsed_.push_back({i, answers_.calls[i].figures[0], *from, *to});
    WorkRuns before;
    for (const OrderedRun& run : order_.runs())
      if (from->after.covers(run.place.at) || to->after.covers(run.place.at))
        before.insert(run.run);
    check_what_ended(i, before);
  }

  void check_what_ran() {
    WorkRuns expected;
    for (const OrderedRun& run : order_.runs()) expected.insert(run.run);
    for (const WorkRun run : expected)
      if (!answers_.runs.contains(run)) broken_.push_back(work_run_text(run) + " never ended");
    for (const auto& [run, answer] : answers_.runs)
      if (!expected.contains(run)) broken_.push_back(work_run_text(run) + " was not to run");
  }

  void check_order() {
    for (const OrderedRun& later : order_.runs()) {
      const auto found = answers_.runs.find(later.run);
      if (found == answers_.runs.end()) continue;
      for (const OrderedRun& earlier : order_.runs())
        if (earlier.run != later.run && later.place.after.covers(earlier.place.at) &&
            !found->second.ended_before.contains(earlier.run))
          broken_.push_back(work_run_text(later.run) + " began before " +
                            work_run_text(earlier.run) + " had ended, which comes before it");
    }
  }

  Bounds bounds_of(const OrderedPlace& record) {
    Bounds bounds;
    for (const OrderedRun& run : order_.runs()) {
      const auto found = answers_.runs.find(run.run);
      if (found == answers_.runs.end() || !found->second.stamps) continue;
      const auto begin = static_cast<std::int64_t>(found->second.stamps->begin_ns);
      const auto end = static_cast<std::int64_t>(found->second.stamps->end_ns);
      if (record.after.covers(run.place.at))
        bounds.earliest = std::max(bounds.earliest.value_or(end), end);
      else if (run.place.after.covers(record.at))
        bounds.latest = std::min(bounds.latest.value_or(begin), begin);
    }
    return bounds;
  }

  void check_elapsed(const ElapsedBetween& elapsed) {
    const Bounds from = bounds_of(elapsed.from);
    const Bounds to = bounds_of(elapsed.to);
    if (from.earliest && to.latest && elapsed.ns > *to.latest - *from.earliest + stamp_tolerance_ns)
      add(elapsed.call, "it says " + std::to_string(elapsed.ns) +
                            " ns; by the stamps of the work " + "around it was " +
                            std::to_string(*to.latest - *from.earliest) + " ns at most");
    if (from.latest && to.earliest && elapsed.ns < *to.earliest - *from.latest - stamp_tolerance_ns)
      add(elapsed.call, "it says " + std::to_string(elapsed.ns) +
                            " ns; by the stamps of the work " + "between it was " +
                            std::to_string(*to.earliest - *from.latest) + " ns at least");
  }

  static std::string figures_text(const std::vector<std::int64_t>& figures) {
    std::string text = "figures";
    for (const std::int64_t figure : figures) text += " " + std::to_string(figure);
    return text;
  }

  const StreamProgram& program_;
  const DeviceAnswers& answers_;
  ToldOrder order_;
  TimedStreams timed_;
  std::vector<ElapsedBetween> elapsed_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> broken_stream_rules(const StreamProgram& program,
                                             const DeviceAnswers& answers) {
  return AnswersCheck(program, answers).run();
}

std::optional<OtherError> first_other_error(const StreamProgram& program,
                                            const DeviceAnswers& answers) {
  StreamWatcher nobody;
  TimedStreams timed({}, nobody);
  check(answers.calls.size() == program.calls.size(), "every call has an answer");
  for (std::size_t i = 0; i < program.calls.size(); ++i) {
    const StreamCall& call = program.calls[i];
    CudaStatus expected = answer_of(timed, call).status;
    // A device's wait returns the fault of what it waited for; the simulator's returns before.
    if (is_wait(call.kind) && expected == CudaStatus::success &&
        timed.begin_call(call.thread, std::nullopt))
      expected = timed.lost_context();
    const std::string_view name = cuda_status_name(expected);
    const std::string& found = answers.calls[i].error;
    const bool can_depend_on_time = depends_on_time(call.kind);
    if (name != found && !(can_depend_on_time && is_of_time(name) && is_of_time(found)))
      return OtherError{i, std::string(name), found};
  }
  return std::nullopt;
}

}  // namespace vramlab::tests
