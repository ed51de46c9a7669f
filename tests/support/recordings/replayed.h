// Recordings that a test made or names, and what replays them.
#pragma once

#include <memory>
#include <string>

#include "replay/recording/recording.h"
#include "replay/replayer/replayer.h"

namespace vramlab::tests {

/// A history as a recording. The tables must outlive it.
inline replay::Recording recording_of(replay::RecordedHistory history,
                                      traces::SnapshotTables& tables,
                                      const ReferenceVersion* version = nullptr) {
  return {"case",
          std::move(history),
          std::shared_ptr<traces::SnapshotTables>(std::shared_ptr<void>(), &tables),
          {version}};
}

/// A recording together with its replayer.
class Replayed {
 public:
  Replayed(replay::RecordedHistory history, traces::SnapshotTables& tables,
           const ReferenceVersion* version = nullptr)
      : recording_(recording_of(std::move(history), tables, version)), replayer_(recording_) {}
  explicit Replayed(const std::string& path, replay::OpenConditions conditions = {})
      : recording_(traces::open_trace(path), std::move(conditions)), replayer_(recording_) {}
  Replayed(const Replayed&) = delete;
  Replayed& operator=(const Replayed&) = delete;

  replay::ReplayReport run(const replay::ReplayConditions& conditions,
                           const replay::ReplayWatch& watch = {}) const {
    return replayer_.run(conditions, watch);
  }
  replay::ReplayReport figures(const replay::ReplayConditions& conditions) const {
    return replayer_.figures(conditions);
  }
  const replay::Replayer& replayer() const { return replayer_; }
  replay::Recording& recording() { return recording_; }

 private:
  replay::Recording recording_;
  replay::Replayer replayer_;
};

}  // namespace vramlab::tests
