// Recording: a file opened once, whatever its format, to be replayed many times under other
// conditions. Replays share nothing that changes: several may run at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/recording/host_history.h"
#include "replay/replayer/history_program.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replay_setup.h"
#include "replay/replayer/replay_watch.h"
#include "traces/formats/open_trace.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

/// What is fixed when a file is read.
struct OpenConditions {
  /// Null: as the file says, or guessed from it.
  const ReferenceVersion* version = nullptr;
  traces::ProgressListener listener{};
  /// For long files.
  traces::ScratchPlace scratch{};
};

struct BoundlessHistories {
  std::vector<DeviceHistory> devices;
  /// That they were made under.
  Settings settings;
};

enum class Trust : std::uint8_t { exact, modelled, guessed };

class Recording {
 public:
  /// `path` may be `-`. Throws InputError.
  Recording(const std::string& path, const OpenConditions& conditions);
  /// The listener is the trace's own.
  Recording(traces::OpenTrace trace, const OpenConditions& conditions);
  /// A history that was read already; its stacks are those of the reader's tables, which get those
  /// of pinned memory. `file` is for messages. Throws InputError where there is no history to
  /// replay.
  Recording(std::string file, const RecordedHistory& history, traces::SnapshotTables& tables,
            const ReferenceVersion* version);

  /// Everything, device by device. Requires: the conditions name no other version. Throws
  /// InputError.
  ReplayReport run(const ReplayConditions& conditions, const ReplayWatch& watch = {}) const;
  /// The same without times, curves, histories and notes, as fast as it goes.
  ReplayReport figures(const ReplayConditions& conditions) const;

  const std::string& file() const { return file_; }
  const ReferenceVersion& version() const { return *version_; }
  /// Those in force when nothing else is asked for, when the recording begins.
  Settings settings() const { return settings_for({}); }
  /// A recorded history, not a program.
  bool is_recording() const { return !histories_.empty(); }
  /// Null if the device has none.
  const HistoryProgram* history(std::int64_t device) const;
  /// What a replay runs under. Throws InputError where the options are refused.
  Settings settings_for(const ReplayConditions& conditions) const;
  /// Throws InputError where others would hold all of a device.
  void refuse_full_devices(const ReplayConditions& conditions) const;
  /// Whether the allocator answers as it did to the byte where it is asked the same, or streams are
  /// simulated, or following the recording was not exact.
  Trust trust(const ReplayConditions& conditions) const;
  /// Sentences about what replays of any kind assume.
  std::vector<std::string> notes() const;
  /// Malloc and free events, of all devices.
  std::uint64_t call_count() const;
  /// What is live over time, of all devices: of a program's events together, of recorded ones each.
  std::vector<const ProgramPart*> parts() const;
  /// What happens on each device where nothing limits memory, by a replay under the options in the
  /// file. The conditions' `timing` and `scratch` count. Throws InputError.
  BoundlessHistories boundless_histories(const ReplayConditions& conditions) const;

 private:
  void take_history(const RecordedHistory& history, traces::SnapshotTables& tables,
                    KeepsStacks keeps);
  void add_host(const ReplayConditions& conditions, const ReplayWatch& watch,
                ReplayReport& report) const;
  void add_device(const DeviceHistory& history, const VerifyConditions& conditions,
                  KeepsStacks keeps);
  /// `history`: null of a program.
  ReplaySetup setup_for(const ReplayConditions& conditions, const HistoryProgram* history) const;

  std::string file_;
  /// Null until the file is read, where none was asked for.
  const ReferenceVersion* version_ = nullptr;
  /// For a recorded history.
  SettingsInForce recorded_;
  std::vector<HistoryProgram> histories_;
  HostHistory host_;
  /// For a program.
  traces::TraceHeader header_;
  std::unique_ptr<traces::SnapshotTables> tables_ = std::make_unique<traces::SnapshotTables>();
  ProgramPart program_;
};

}  // namespace vramlab::replay
