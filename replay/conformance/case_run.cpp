#include "replay/conformance/case_run.h"

#include "allocator/types/answers.h"
#include "streams/device/simulated_device.h"
#include "streams/device/timed_device.h"

namespace vramlab::replay {

namespace {

DeviceSides make_device(Bytes total, const CaseSetup& setup) {
  const streams::MemoryOptions options{.total = total};
  if (setup.make_device) return setup.make_device(options);
  if (setup.streams == CaseStreams::counters)
    return both_sides(std::make_shared<streams::SimulatedDevice>(options));
  return both_sides(std::make_shared<streams::CountedTimedDevice>(options));
}

}  // namespace

CaseRun::CaseRun(const traces::RecordedProgram& program, const CaseSetup& setup)
    : device_(make_device(program.device_total, setup)),
      subject_(setup.factory(*device_.device, *program.version, program.config, config_error_)),
      runner_(program.calls, program.texts, {*subject_, *device_.driven}) {
  if (program.memory_fraction) subject_->set_memory_fraction(*program.memory_fraction);
}

void CaseRun::run_until(std::size_t call_count) {
  while (!stop_ && calls_made_ < call_count) {
    const std::size_t call = calls_made_++;
    try {
      runner_.step(call);
    } catch (const AllocatorError& error) {
      stop_ = {call, error.what()};
    } catch (const DeviceError& error) {
      stop_ = {call, error.what()};
    }
  }
}

CaseAnswers CaseRun::finish() {
  CaseAnswers result;
  result.answers = runner_.answers();
  if (config_error_) {
    auto& failures = result.answers.config_failures;
    failures.insert(failures.begin(), {-1, *config_error_});
  }
  // In this order: the last snapshot's own entry is not part of the history.
  result.history = subject_->history();
  result.final_snapshot = subject_->take_snapshot();
  result.final_statistics = subject_->statistics();
  result.device_calls = device_.driven->call_counts();
  result.stop = stop_;
  return result;
}

}  // namespace vramlab::replay
