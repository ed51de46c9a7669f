// Replayer: what a recording's program, or the programs of its devices, would do under other
// conditions. Replays share nothing that changes: several may run at a time. A program that is not
// kept can be replayed once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/recording/pinned_history.h"
#include "replay/recording/recording.h"
#include "replay/replayer/history_program.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replay_setup.h"
#include "replay/replayer/replay_watch.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

struct RecordedRun;

struct BoundlessHistories {
  std::vector<DeviceHistory> devices;
  /// In force while they were made.
  Settings settings;
};

/// A device whose recording began when memory was reserved already.
struct LateStart {
  traces::DeviceIndex device;
  /// Before the first event.
  Bytes reserved;
  /// In the recording.
  Bytes peak_reserved;
  /// No event reserved more, so no setting can be told from another by the peak.
  bool holds_peak() const { return reserved >= peak_reserved; }
  friend bool operator==(const LateStart&, const LateStart&) = default;
};
/// Such as `device 0: 15.96 GiB of 15.96 GiB (100 %) were reserved before the first event`.
std::string late_start_text(const LateStart& start);

enum class Trust : std::uint8_t { exact, modelled, guessed };

class Replayer {
 public:
  /// The recording must outlive it and stay where it is. Throws InputError where it has neither a
  /// program nor a history to replay.
  explicit Replayer(Recording& recording);

  /// Everything, device by device. Requires: the conditions name no other version than the
  /// recording was opened with. Throws InputError.
  ReplayReport run(const ReplayConditions& conditions, const ReplayWatch& watch = {}) const;
  /// The same without times, curves, histories and notes, as fast as it goes.
  ReplayReport figures(const ReplayConditions& conditions) const;

  const std::string& file() const { return recording_.file(); }
  traces::SnapshotTables& tables() const { return recording_.tables(); }
  /// Requires: the program is kept, or was replayed.
  const ReferenceVersion& version() const;
  /// In force at the beginning, if nothing else is asked for.
  Settings settings() const { return settings_for({}); }
  /// Devices have recorded histories; otherwise it is a program.
  bool has_histories() const { return !histories_.empty(); }
  /// Null if the device has none.
  const HistoryProgram* history(std::int64_t device) const;
  /// In force in a replay. Throws InputError where the options are refused.
  Settings settings_for(const ReplayConditions& conditions) const;
  /// Throws InputError where others would hold all of a device.
  void refuse_full_devices(const ReplayConditions& conditions) const;
  /// Whether the allocator answers as it did to the byte where it is asked the same; or streams are
  /// simulated, or memory from before the recording is taken to be the same under other options; or
  /// following or replaying the recording was not exact.
  Trust trust(const ReplayConditions& conditions) const;
  /// Devices whose recordings began late.
  std::vector<LateStart> late_starts() const;
  /// Whether no event of any device reserved more than what was there before the first.
  bool start_holds_peaks() const;
  /// Whether the recorded run went on after a request had failed.
  bool has_caught_failures() const;
  /// Throws InputError where there is no request, so that all settings do the same.
  void refuse_without_requests() const;
  /// The architectures that the program's kernels are compiled for, such as `sm_90`; empty if
  /// nobody knows.
  std::vector<std::string> kernel_code() const;
  /// Sentences about what replays of any kind assume.
  std::vector<std::string> notes() const;
  /// Sentences about recordings that were short of memory, without a word of how much there was.
  std::vector<std::string> short_memory_notes() const;
  /// Malloc and free events, of all devices.
  std::uint64_t call_count() const;
  /// The events of a program, or those of each device of a recording.
  std::vector<const ProgramPart*> parts() const;
  /// Each device's history where nothing limits memory, by a replay under the options in the
  /// file. The conditions' `timing` and `scratch` count. Throws InputError.
  BoundlessHistories boundless_histories(const ReplayConditions& conditions) const;

 private:
  void take_history();
  void add_host(const ReplayConditions& conditions, const ReplayWatch& watch,
                ReplayReport& report) const;
  void add_device(const DeviceHistory& history);
  /// Requires: the program is kept.
  const ProgramPart& program() const;
  ReplayReport run_program(const ReplayConditions& conditions, const ReplayWatch& watch) const;
  /// Whether a replay under these conditions is one as recorded, which may have to follow the
  /// recorded course.
  bool is_recorded_replay(const ReplayConditions& conditions, const HistoryProgram& history) const;
  bool departs(const HistoryProgram& history) const;
  /// Requires: the history was followed exactly, and PyTorch's own allocator made it.
  const RecordedRun& recorded_run(const HistoryProgram& history) const;
  /// `history`: null of a program.
  ReplaySetup setup_for(const ReplayConditions& conditions, const HistoryProgram* history) const;

  Recording& recording_;
  /// Null of a program that was not kept.
  const ReferenceVersion* version_ = nullptr;
  std::vector<HistoryProgram> histories_;
  HostHistory host_;
  /// Found when it is first asked for, by device.
  struct RecordedRuns;
  std::shared_ptr<RecordedRuns> recorded_runs_;
};

/// Replayers of several files, such as the ranks of a job, in the order of the files.
using Replayers = std::vector<const Replayer*>;

}  // namespace vramlab::replay
