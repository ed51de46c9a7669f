// LoadedRecording: a file read once, whatever its format, to be replayed many times under other
// conditions. Replays share nothing that changes: several may run at a time.
#pragma once

#include <memory>
#include <string>

#include "replay/follow/recorded_places.h"
#include "replay/run/compact_run.h"
#include "replay/run/history_replay.h"
#include "traces/formats/open_trace.h"
#include "traces/values/program_sink.h"

namespace vramlab::replay {

/// What is fixed when a file is read.
struct LoadConditions {
  /// Null: as the file says, or guessed from it.
  const allocator::ReferenceVersion* version = nullptr;
  traces::ProgressListener listener{};
};

struct BoundlessHistories {
  std::vector<DeviceHistory> devices;
  /// That they were made under.
  allocator::Settings settings;
};

enum class Trust : std::uint8_t { exact, modelled, guessed };

class LoadedRecording {
 public:
  /// `path` may be `-`. Throws InputError.
  LoadedRecording(const std::string& path, const LoadConditions& conditions);
  /// The listener is the trace's own.
  LoadedRecording(traces::OpenTrace trace, const LoadConditions& conditions);
  ~LoadedRecording();
  LoadedRecording(LoadedRecording&&) noexcept;

  /// As `vramlab replay` would do it, without times, curves and states. Requires: the conditions
  /// name no other version. Throws InputError.
  ReplayReport run(const ReplayConditions& conditions) const;

  const std::string& file() const { return file_; }
  const allocator::ReferenceVersion& version() const { return *version_; }
  /// Those in force when nothing else is asked for, when the recording begins.
  allocator::Settings settings() const { return settings_for({}); }
  /// A recorded history, not a program.
  bool is_recording() const { return !histories_.empty(); }
  /// What a replay runs under. Throws InputError where the options are refused.
  allocator::Settings settings_for(const ReplayConditions& conditions) const;
  /// Throws InputError where others would hold all of a device.
  void refuse_full_devices(const ReplayConditions& conditions) const;
  /// Whether the allocator answers as it did to the byte where it is asked the same, or streams are
  /// simulated, or following the recording was not exact.
  Trust trust(const ReplayConditions& conditions) const;
  /// Sentences about what the replays assume.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Malloc and free events, of all devices.
  std::uint64_t call_count() const { return call_count_; }
  /// What is live over time, of all devices: of a program's events together, of recorded ones each.
  /// Without what follows from how much memory there was.
  std::vector<LoadedPart> parts() const;
  /// What happens on each device where nothing limits memory, by a replay under the options in the
  /// file. Of the conditions `timing` counts, and where long histories wait. Throws InputError.
  BoundlessHistories boundless_histories(const ReplayConditions& conditions) const;

 private:
  struct History;

  void add_history(const DeviceHistory& history, bool version_is_guessed);
  void run_program(const ReplayConditions& conditions, ReplayReport& report) const;
  ReplayReport run_program_as_file(ReplayConditions conditions, const ReplayWatch& watch) const;
  void watch_all(const ReplayConditions& conditions, const ReplayWatch& watch) const;
  void run_history(const History& history, const ReplayConditions& conditions,
                   ReplayReport& report) const;
  DeviceConditions device_conditions(const ReplayConditions& conditions) const;

  std::string file_;
  const allocator::ReferenceVersion* version_ = nullptr;
  SettingsInForce recorded_;
  traces::TraceHeader header_;
  std::unique_ptr<traces::SnapshotTables> tables_;
  CompactProgram program_;
  std::vector<History> histories_;
  std::vector<std::string> notes_;
  std::uint64_t call_count_ = 0;
  bool is_followed_exactly_ = true;
};

}  // namespace vramlab::replay
