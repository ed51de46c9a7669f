// ProbedRun: a program run on the engine up to any call, with its state open to look at and to try.
// Running the same program again gives the same moment, so each try has a run of its own.
#pragma once

#include <optional>

#include "replay/metrics/engine_rules.h"
#include "replay/replayer/program_runner.h"
#include "replay/replayer/subjects.h"
#include "streams/device/simulated_device.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::tests {

class ProbedRun {
 public:
  /// Makes the first `call_count` calls; calls that must not be made change nothing. The program
  /// must outlive the run.
  ProbedRun(const traces::RecordedProgram& program, std::size_t call_count);

  allocator::RecordingAllocator& engine() { return subject_.engine(); }
  allocator::StatisticValues statistics() const { return subject_.statistics(); }
  replay::FragmentationRules rules();
  allocator::Bytes reserved() { return engine().core().reserved; }
  bool has_open_scope();
  /// Empty if an open scope forbids every release.
  std::optional<allocator::Bytes> released_by_emptying();
  /// True if the request was served without new memory of the device.
  enum class Served { no, from_the_cache, with_new_memory };
  Served request(allocator::Bytes bytes, allocator::StreamId stream);

 private:
  streams::SimulatedDevice device_;
  replay::EngineSubject<allocator::Listeners<allocator::Statistics, allocator::History>> subject_;
  replay::ProgramRunner runner_;
};

}  // namespace vramlab::tests
