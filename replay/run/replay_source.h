// ReplaySource: a file that can be replayed, whatever its format: a program's events as they are
// read, or a recorded history as a whole.
#pragma once

#include <memory>
#include <string>

#include "replay/run/history_replay.h"
#include "replay/run/replay_report.h"
#include "traces/files/byte_source.h"

namespace vramlab::replay {

class ReplaySource {
 public:
  /// `path` may be `-`, standard input, where one run is enough. Throws InputError.
  ReplaySource(std::string path, ReplayConditions conditions, traces::ProgressListener listener);
  ~ReplaySource();

  /// From the beginning. Again: reads a program's file anew, and throws InputError where that
  /// cannot be.
  ReplayReport run(const ReplayWatch& watch);

  /// Texts and stacks of what was replayed.
  traces::SnapshotTables& tables() { return *tables_; }
  /// Whether it is a recorded history, known after the first run.
  bool is_recording() const { return history_replay_ != nullptr; }

 private:
  ReplayReport read_and_run(const ReplayWatch& watch);

  std::string path_;
  ReplayConditions conditions_;
  traces::ProgressListener listener_;
  bool was_read_ = false;
  std::unique_ptr<traces::SnapshotTables> tables_;
  RecordedHistory history_;
  std::unique_ptr<HistoryReplay> history_replay_;
};

}  // namespace vramlab::replay
