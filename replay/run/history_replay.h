// Replays a recorded history under other conditions: as a program of requests and frees, from the
// state that was there when the recording began, with new memory where it was recorded as long as
// the replay asks for the same.
#pragma once

#include "replay/history/recorded_history.h"
#include "replay/run/replay_conditions.h"
#include "replay/run/replay_report.h"

namespace vramlab::replay {

/// What a recording says of its device.
struct RecordedMemory {
  allocator::Bytes peak_reserved;
  allocator::Bytes peak_requested;
  /// The least memory on which everything that was granted fits and what was refused does not;
  /// nothing where nothing was refused.
  std::optional<allocator::Bytes> bound;
};
RecordedMemory recorded_memory(const DeviceHistory& history, const StartingState& start);

/// Nothing is asked for but what was there when it was recorded.
bool is_as_recorded(const ReplayConditions& conditions);

struct ChosenMemory {
  allocator::Bytes memory;
  std::string origin;
};
/// How much memory a recording is replayed on. `reservation`: the addresses of its expandable
/// segments.
ChosenMemory choose_memory(const RecordedMemory& recorded, allocator::Bytes reservation,
                           const ReplayConditions& conditions);

class HistoryReplay {
 public:
  /// `file` is for messages. Throws InputError where there is no history to replay.
  HistoryReplay(std::string file, const RecordedHistory& history, const traces::TextTable& texts,
                ReplayConditions conditions);

  /// Everything, device by device. May be called again, with another watch.
  ReplayReport run(const ReplayWatch& watch) const;
  /// With frees completed like this, whatever the conditions say.
  ReplayReport run(const ReplayWatch& watch, FreeTiming timing) const;

  /// What following the recording brought to light; null of a device without a history.
  const ExplainedHistory* explained(std::int64_t device) const;
  /// What the replays run under.
  const allocator::ReferenceVersion& version() const { return *version_; }
  const allocator::Settings& settings() const { return settings_; }

 private:
  struct Prepared {
    const DeviceHistory* history = nullptr;
    ExplainedHistory explained;
    RecordedMemory recorded;
    HistoryProgram program;
    ChosenMemory memory;
  };

  static traces::DeviceIndex index_of(const Prepared& prepared) {
    return {static_cast<std::uint32_t>(prepared.history->device)};
  }
  void prepare(const DeviceHistory& history);
  void add_notes(const Prepared& prepared, ReplayReport& report) const;
  DeviceConditions device_conditions(const Prepared& prepared, FreeTiming timing) const;
  void run_native(const Prepared& prepared, const ReplayWatch& watch, FreeTiming timing,
                  ReplayReport& report) const;
  void run_elsewhere(const Prepared& prepared, const ReplayWatch& watch, FreeTiming timing,
                     ReplayReport& report) const;
  void run_ordered(const Prepared& prepared, const ReplayWatch& watch, FreeTiming timing,
                   ReplayReport& report) const;
  void run_device(const Prepared& prepared, const ReplayWatch& watch, ProgramDevice& device,
                  ReplayReport& report) const;
  void run_events(const Prepared& prepared, const ReplayWatch& watch, ProgramDevice& device,
                  ReplayReport& report) const;

  std::string file_;
  const traces::TextTable& texts_;
  ReplayConditions conditions_;
  const allocator::ReferenceVersion* version_ = nullptr;
  SettingsInForce recorded_;
  allocator::Settings settings_;
  std::vector<Prepared> devices_;
};

}  // namespace vramlab::replay
