#include "replay/cases/case_run.h"

#include "allocator/words/allocator_error.h"
#include "streams/device/counted_timed_device.h"
#include "streams/device/simulated_device.h"

namespace vramlab::replay {

namespace {

SteeredDevice make_device(allocator::Bytes total, const CaseWorld& world) {
  const streams::MemoryOptions options{.total = total};
  if (world.make_device) return world.make_device(options);
  if (world.streams == CaseStreams::counters)
    return steered(std::make_shared<streams::SimulatedDevice>(options));
  return steered(std::make_shared<streams::CountedTimedDevice>(options));
}

}  // namespace

CaseRun::CaseRun(const traces::RecordedProgram& program, const CaseWorld& world)
    : device_(make_device(program.device_total, world)),
      subject_(world.factory(*device_.device, *program.version, program.config, config_error_)),
      runner_(program.calls, {*subject_, *device_.world}) {
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
  result.device_calls = device_.world->call_counts();
  result.stop = stop_;
  return result;
}

}  // namespace vramlab::replay
