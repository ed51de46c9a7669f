// ReplaySource: a file that is replayed under the same conditions, once or more: a program's events
// as they are read, however many they are, or a recorded history as a whole.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "replay/replayer/replay_conditions.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replay_watch.h"
#include "traces/io/byte_source.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

class Recording;

class ReplaySource {
 public:
  /// `path` may be `-`, standard input, where one run is enough. Throws InputError.
  ReplaySource(std::string path, ReplayConditions conditions, traces::ProgressListener listener);
  ~ReplaySource();

  /// From the beginning. Again: reads a program's file anew, and throws InputError where that
  /// cannot be.
  ReplayReport run(const ReplayWatch& watch);

  /// From the next run on. Requires: the version that is asked for is the same.
  void ask_anew(ReplayConditions conditions, traces::ProgressListener listener) {
    conditions_ = std::move(conditions);
    listener_ = std::move(listener);
  }

  /// Texts and stacks of what was replayed.
  traces::SnapshotTables& tables() { return *tables_; }

 private:
  ReplayReport read_and_run(const ReplayWatch& watch);

  std::string path_;
  ReplayConditions conditions_;
  traces::ProgressListener listener_;
  bool was_read_ = false;
  std::unique_ptr<traces::SnapshotTables> tables_;
  /// Null of a program, and before the first run.
  std::unique_ptr<Recording> recording_;
};

}  // namespace vramlab::replay
