// HazardFeed: tells the hazard checker what a program does with its memory and its handles, event
// by event as it is replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "replay/replayer/stream_program.h"
#include "streams/hazards/hazard_checker.h"

namespace vramlab::replay {

class DeviceReplay;

class HazardFeed {
 public:
  /// Both must outlive it.
  HazardFeed(streams::HazardChecker& checker, ProgramAccesses& accesses)
      : checker_(checker), accesses_(accesses) {}

  /// After each event.
  void add(DeviceReplay& replay, StreamProgram& program, const traces::ProgramEvent& event,
           std::uint64_t number);
  void released(std::uint32_t device, streams::AddressRange range);
  void finish(const Deadlock& deadlock);

  /// A checkpoint was restored there: what is live then has other names, and nothing more is told
  /// of memory.
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

}  // namespace vramlab::replay
