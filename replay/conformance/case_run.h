// CaseRun: one recorded program on a fresh simulated device, run as far as one likes. Running the
// same program again gives the same answers, so that a moment in it can be looked at afterwards.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/replayer/device_sides.h"
#include "replay/replayer/program_runner.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::replay {

/// A call that could not be made; the run ends there.
struct RunStop {
  std::size_t call = 0;
  std::string reason;
};

/// Everything that a whole run answered.
struct CaseAnswers {
  /// With that of the starting settings, under call -1.
  Answers answers;
  std::vector<AllocatorEvent> history;
  Snapshot final_snapshot;
  StatisticValues final_statistics;
  streams::DeviceCallCounts device_calls;
  std::optional<RunStop> stop;
};

/// What the streams under the allocator are: counters, or streams in virtual time whose work waits
/// until it is to be done. The answers are the same.
enum class CaseStreams : std::uint8_t { counters, virtual_time };

/// What a case runs on.
struct CaseSetup {
  SubjectFactory factory;
  CaseStreams streams = CaseStreams::counters;
  /// Set if the case is to run on something else than a simulated device.
  MakeDevice make_device = {};
};

class CaseRun {
 public:
  /// The program must outlive the run.
  CaseRun(const traces::RecordedProgram& program, const CaseSetup& setup);

  /// Makes calls until that many were made, or one could not be made.
  void run_until(std::size_t call_count);
  AllocatorSubject& subject() { return *subject_; }
  /// Reads the history, takes a last snapshot, and collects the rest.
  CaseAnswers finish();

 private:
  DeviceSides device_;
  std::optional<allocator::SettingsError> config_error_;
  std::unique_ptr<AllocatorSubject> subject_;
  ProgramRunner runner_;
  std::size_t calls_made_ = 0;
  std::optional<RunStop> stop_;
};

}  // namespace vramlab::replay
