// StreamSimulation: a program's streams in virtual time, its allocator on top, and its hazards. The
// result is a report of activity, of the cost of waiting frees, of hazards and of deadlocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "replay/replayer/program_replay.h"
#include "replay/replayer/stream_program.h"
#include "replay/stream_waits/recorded_waiting.h"
#include "replay/stream_waits/stream_activity.h"
#include "streams/hazards/hazard_checker.h"

namespace vramlab::replay {

class DeviceReplay;

/// Tells the hazard checker what a program does with its memory and its handles, event by event as
/// it is replayed.
class HazardFeed {
 public:
  /// Both must outlive the feed.
  HazardFeed(streams::HazardChecker& checker, ProgramAccesses& accesses)
      : checker_(checker), accesses_(accesses) {}

  /// After each event.
  void add(DeviceReplay& replay, StreamProgram& program, const traces::ProgramEvent& event,
           std::uint64_t number);
  void released(std::uint32_t device, streams::AddressRange range);
  void finish(const Deadlock& deadlock);

  /// The event at which a checkpoint was restored: live blocks have other names from then on, so
  /// the checker is told no more about memory.
  std::optional<std::uint64_t> ends_at() const { return ends_at_; }

 private:
  using Event = traces::ProgramEvent;

  void hand_out(DeviceReplay& replay, StreamProgram& program, const Event& event,
                std::uint64_t number);
  void look_at_handles(StreamProgram& program, const Event& event, std::uint64_t number);

  streams::HazardChecker& checker_;
  ProgramAccesses& accesses_;
  std::unordered_map<std::uint64_t, streams::BlockNumber> live_;
  std::size_t refused_seen_ = 0;
  std::optional<std::uint64_t> ends_at_;
};

struct StreamConditions {
  ReplayConditions replay;
  bool finds_hazards = true;
  /// The most entries of the allocator's history, from which the cost of waiting is counted.
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

/// Callers that look at the simulation on its way.
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

  /// The report, once the reader is through.
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
