// CaseRun: the calls of one recorded case, made one by one on a fresh subject, as far as one likes.
// The subject is the caching allocator on a simulated device, or the allocator of pinned memory on
// a simulated host. Running a case again gives the same answers, so that a moment in it can be
// looked at afterwards. The comparison of answers is left to case_differences.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/replayer/apply_event.h"
#include "replay/replayer/program_runner.h"
#include "replay/replayer/replay_device.h"
#include "replay/replayer/subjects.h"
#include "streams/device/simulated_host.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::replay {

/// A call that could not be made; the run ends there.
struct RunStop {
  std::size_t call = 0;
  std::string reason;
};

class CaseRun : public Interface {
 public:
  /// Makes calls until `call_count` were made, or one could not be made.
  void run_until(std::size_t call_count);
  const std::optional<RunStop>& stop() const { return stop_; }

  virtual std::size_t history_size() const = 0;
  /// The memory that the subject holds, near this address where it is much: lines with line breaks.
  virtual std::string memory_text(Address around) = 0;

 private:
  /// AllocatorError, DeviceError: the call cannot be made, and the run ends.
  virtual void make_call(std::size_t call) = 0;

  std::size_t calls_made_ = 0;
  std::optional<RunStop> stop_;
};

/// Everything that a whole run on a device answered.
struct CaseAnswers {
  /// Includes an error of the starting settings, under call -1.
  Answers answers;
  std::vector<AllocatorEvent> history;
  Snapshot final_snapshot;
  StatisticValues final_statistics;
  streams::DeviceCallCounts device_calls;
  std::optional<RunStop> stop;
};

/// The streams under the allocator: counters, or streams in virtual time whose work waits until it
/// is to be done. The answers are the same.
enum class CaseStreams : std::uint8_t { counters, virtual_time };

/// The allocator and the device that a case runs on.
struct CaseSetup {
  SubjectFactory factory;
  CaseStreams streams = CaseStreams::counters;
  /// Set if the case is to run on another device than a simulated one.
  MakeDevice make_device = {};
};

class DeviceCaseRun final : public CaseRun {
 public:
  /// The program must outlive the run.
  DeviceCaseRun(const traces::RecordedProgram& program, const CaseSetup& setup);

  std::size_t history_size() const override { return subject_->history().size(); }
  std::string memory_text(Address around) override;
  /// Reads the history, takes a last snapshot, and collects all other answers.
  CaseAnswers finish();

 private:
  void make_call(std::size_t call) override { runner_.step(call); }

  DeviceSides device_;
  std::optional<allocator::SettingsError> config_error_;
  std::unique_ptr<AllocatorSubject> subject_;
  ProgramRunner runner_;
};

/// A run with pinned memory. Errors of calls are answers, so the run always goes on.
class HostCaseRun final : public CaseRun {
 public:
  /// The program must outlive the run.
  HostCaseRun(const traces::HostProgram& program, const HostSubjectFactory& make_subject);

  const HostSubject& subject() const { return *subject_; }
  const streams::SimulatedHost& host() const { return host_; }
  /// The answers so far, without those that are read at the end.
  const traces::HostAnswers& answers() const { return answers_; }

  std::size_t history_size() const override { return subject_->history().size(); }
  std::string memory_text(Address around) override;
  traces::HostAnswers finish() const;

 private:
  using Call = traces::HostCall;

  void make_call(std::size_t call) override;
  void apply(const Call& call);
  void apply_to_host(const Call& call);
  void request(const Call& call);
  void use(const Call& call);
  void note_error(const std::string& text);
  HostStack stack() const { return {call_}; }

  const traces::HostProgram& program_;
  streams::SimulatedHost host_;
  std::unique_ptr<HostSubject> subject_;
  LiveAddresses addresses_;
  StreamId current_stream_;
  /// The number of the call that is being made.
  std::size_t call_ = 0;
  traces::HostAnswers answers_;
};

}  // namespace vramlab::replay
