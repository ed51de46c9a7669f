// CompactRun: a compact program on all of its devices, event by event.
#pragma once

#include <functional>
#include <stdexcept>

#include "replay/run/compact_replay.h"
#include "replay/run/replay_conditions.h"

namespace vramlab::replay {

/// An event must not be.
class CompactRunError : public std::runtime_error {
 public:
  CompactRunError(std::uint64_t event, const std::string& what)
      : std::runtime_error(what), event_(event) {}
  /// Its number in the file.
  std::uint64_t event() const { return event_; }

 private:
  std::uint64_t event_;
};

class CompactRun {
 public:
  using ConditionsOf = std::function<DeviceConditions(traces::DeviceIndex)>;

  /// Program and texts must outlive it. Requires: the program needs no ids, and frees are not
  /// modelled.
  CompactRun(const CompactProgram& program, const traces::TextTable& texts,
             ConditionsOf conditions);

  /// Before the rest: what was there at the start, as segments and as the first so many events.
  /// Throws DeviceError where it does not fit.
  void adopt(traces::DeviceIndex device, const std::vector<StartingSegment>& start,
             std::size_t start_event_count);
  /// Adds devices to the report. Throws CompactRunError.
  void run(OnOutOfMemory on_out_of_memory, ReplayReport& report);
  /// Of a device that an event named.
  const CompactReplay& device(traces::DeviceIndex index) const { return *devices_.at(index); }

 private:
  CompactReplay& device_of(traces::DeviceIndex index);
  /// False where a request failed.
  bool apply(std::size_t index);
  bool apply_other(const CompactEvent& event, CompactReplay& device);

  const CompactProgram& program_;
  const traces::TextTable& texts_;
  ConditionsOf conditions_;
  SlotAddresses addresses_;
  /// The next event.
  std::size_t at_ = 0;
  std::map<traces::DeviceIndex, std::unique_ptr<CompactReplay>> devices_;
  /// The one that the last event was about.
  traces::DeviceIndex last_index_;
  CompactReplay* last_ = nullptr;
};

struct LoadedPart {
  const CompactProgram& program;
  /// What was there at the start.
  const std::vector<StartingSegment>& start;
  /// So many of the program's events say what was so then.
  std::size_t start_event_count = 0;
};

/// The same with what CompactRun cannot do: modelled frees, another backend, a history. Of the
/// watch only `at_end` is called.
void run_whole_events(const LoadedPart& part,
                      const std::pair<traces::DeviceIndex, DeviceConditions>& device,
                      const ReplayConditions& conditions, const ReplayWatch& watch,
                      ReplayReport& report);

}  // namespace vramlab::replay
