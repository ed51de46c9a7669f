#include "replay/case_run.h"

#include "allocator/allocator_error.h"
#include "streams/counted_timed_device.h"
#include "streams/simulated_device.h"

namespace vramlab::replay {

namespace {

std::unique_ptr<streams::CountedDevice> make_device(allocator::Bytes total, CaseStreams streams) {
  const streams::MemoryOptions options{.total = total};
  if (streams == CaseStreams::counters) return std::make_unique<streams::SimulatedDevice>(options);
  return std::make_unique<streams::CountedTimedDevice>(options);
}

}  // namespace

CaseRun::CaseRun(const traces::RecordedProgram& program, const CaseWorld& world)
    : device_(make_device(program.device_total, world.streams)),
      subject_(world.factory(*device_, *program.version, program.config, config_error_)),
      runner_(program.calls, {*subject_, *device_}) {
  if (program.memory_fraction) subject_->set_memory_fraction(*program.memory_fraction);
}

void CaseRun::run_until(std::size_t call_count) {
  while (!stop_ && calls_made_ < call_count) {
    const std::size_t call = calls_made_++;
    try {
      runner_.step(call);
    } catch (const allocator::AllocatorError& error) {
      stop_ = {call, error.what()};
    } catch (const allocator::DeviceError& error) {
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
  result.device_calls = device_->call_counts();
  result.stop = stop_;
  return result;
}

}  // namespace vramlab::replay
