// StreamSimulation: a program's streams in virtual time, its allocator on top, and its hazards.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/replayer/program_replay.h"
#include "replay/stream_waits/hazard_feed.h"
#include "replay/stream_waits/recorded_waiting.h"
#include "replay/stream_waits/stream_activity.h"

namespace vramlab::replay {

struct StreamConditions {
  ReplayConditions replay;
  bool finds_hazards = true;
  /// Entries of the allocator's history that the cost of waiting is counted in.
  std::size_t history_capacity = 1'000'000;
};

struct DeviceFrees {
  WaitingCost cost;
  std::vector<WaitingPlace> places;
};

struct StreamReport {
  ActivityReport activity;
  ReplayReport replay;
  std::vector<DeviceFrees> frees;
  std::vector<streams::Hazard> hazards;
  std::uint64_t unlisted_hazards = 0;
  std::vector<RefusedCall> refused;
  Deadlock deadlock;
  streams::CudaStatus lost_context = streams::CudaStatus::success;
  /// The events that handed out block 1, 2 and so on.
  std::vector<std::uint64_t> block_events;
  /// The place in the program of each of its events.
  std::vector<traces::StackId> stacks;

  bool has_findings() const {
    return !hazards.empty() || !refused.empty() || deadlock.is_one() ||
           lost_context != streams::CudaStatus::success;
  }
};

/// What is looked at on the way.
struct StreamListeners {
  StreamActivity::Listener finished = {};
  /// After each event of the program.
  std::function<void(const DeviceReplay& device, streams::Time now)> after_event = {};
};

class StreamSimulation final : public traces::ProgramSink {
 public:
  /// `file` is for messages. The tables must outlive it.
  StreamSimulation(std::string file, const traces::SnapshotTables& tables,
                   StreamConditions conditions, StreamListeners listeners);

  void header(const traces::TraceHeader& header) override { replay_.header(header); }
  void program_event(const traces::ProgramEvent& event) override;
  bool has_events() const { return !stacks_.empty(); }

  /// Once the reader is through.
  StreamReport finish();

 private:
  ReplayWatch watch();
  DeviceFrees frees_of(DeviceReplay& device) const;

  const traces::SnapshotTables& tables_;
  StreamConditions conditions_;
  StreamListeners listeners_;
  std::shared_ptr<ProgramAccesses> accesses_;
  std::shared_ptr<StreamActivity> activity_;
  std::shared_ptr<streams::HazardChecker> checker_;
  HazardFeed feed_;
  std::vector<DeviceFrees> frees_;
  std::vector<traces::StackId> stacks_;
  ProgramReplay replay_;
};

}  // namespace vramlab::replay
