#include "tests/support/cases/simulated_executor.h"

#include <string>

#include "allocator/types/check.h"

namespace vramlab::tests {
namespace {

using namespace streams;

/// The work that began and ended, with times.
class RunLog : public StreamWatcher {
 public:
  void issued(const IssuedItem& item) override {
    if (item.work != nullptr) runs_[item.number] = {item.tag, run_counts_[item.tag]++};
  }
  void ended(const EndedItem& item) override {
    const auto run = runs_.find(item.number);
    if (run == runs_.end()) return;
    spans_[run->second] = {item.begin.ns, item.end.ns};
    ended_.insert(run->second);
  }

  const WorkRuns& ended_runs() const { return ended_; }

  std::map<WorkRun, RunAnswer> run_answers() const {
    std::map<WorkRun, RunAnswer> answers;
    for (const auto& [run, span] : spans_) {
      RunAnswer& answer = answers[run];
      answer.stamps = span;
      for (const auto& [other, other_span] : spans_)
        if (other != run && other_span.end_ns <= span.begin_ns) answer.ended_before.insert(other);
    }
    return answers;
  }

 private:
  std::map<std::uint64_t, WorkRun> runs_;
  std::map<std::uint64_t, std::uint32_t> run_counts_;
  std::map<WorkRun, StampSpan> spans_;
  WorkRuns ended_;
};

}  // namespace

DeviceAnswers SimulatedExecutor::run(const StreamProgram& program) {
  RunLog log;
  TimedStreams timed(model_, log);
  DeviceAnswers answers;
  for (const StreamCall& call : program.calls) {
    const StreamAnswer answer = answer_of(timed, call);
    // A call that waits has returned when its thread could make the next one.
    const bool returns = answer.is_made && timed.begin_call(call.thread, std::nullopt);
    check(returns, "programs for an executor come to an end");
    const bool has_new_fault = is_wait(call.kind) && answer.status == CudaStatus::success;
    const CudaStatus status = has_new_fault ? timed.lost_context() : answer.status;
    answers.calls.push_back(
        {std::string(cuda_status_name(status)), device_figures(call, answer), log.ended_runs()});
  }
  timed.finish();
  answers.runs = log.run_answers();
  return answers;
}

}  // namespace vramlab::tests
