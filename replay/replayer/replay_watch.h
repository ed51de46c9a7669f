// ReplayWatch: what is looked at while a program is replayed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "replay/replayer/program_accesses.h"
#include "streams/memory/free_gaps.h"
#include "streams/stream_model/stream_watcher.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

struct DeviceHistory;
class DeviceReplay;
class HostReplay;

/// Events have the numbers of the file; of a recording: of the entry in its device's trace. Several
/// events may have one number.
struct ReplayWatch {
  /// Each event of a program as it is read, before anything is done with it; may change it.
  std::function<void(traces::ProgramEvent& event, std::uint64_t number)> before_event = {};
  std::function<void(DeviceReplay& replay, const traces::ProgramEvent& event, std::uint64_t number)>
      after_event = {};
  /// The same for events about pinned host memory, whose history is kept then. Only of programs.
  std::function<void(const HostReplay& replay, const traces::ProgramEvent& event,
                     std::uint64_t number)>
      after_host_event = {};
  /// Once for each device of a recording, when what was there at the start is laid out.
  std::function<void(DeviceReplay& replay)> at_start = {};
  /// The last event of each device that is replayed; all of a device that is not named.
  std::map<traces::DeviceIndex, std::uint64_t> until = {};
  /// Only events up to this time; one without a time is where the last one before it was.
  std::optional<std::uint64_t> until_ns = {};
  // If frees are modelled:
  /// Is told what happens on the streams.
  std::shared_ptr<streams::StreamWatcher> streams = std::make_shared<streams::StreamWatcher>();
  std::shared_ptr<ProgramAccesses> accesses =
      std::make_shared<ProgramAccesses>(ProgramAccesses::Use::none);
  /// Device memory that was given back.
  std::function<void(std::uint32_t device, streams::AddressRange range)> released = {};
  /// Once for each device, after its last event.
  std::function<void(DeviceReplay& replay)> at_end = {};
  /// After a program's last event, if it has any about pinned host memory, whose history is kept
  /// then.
  std::function<void(const HostReplay& replay)> at_host_end = {};

  bool reaches(const traces::ProgramEvent& event, std::uint64_t number) const {
    if (until_ns && event.time_ns && *event.time_ns > *until_ns) return false;
    const auto last = until.find(event.device);
    return last == until.end() || number <= last->second;
  }
};

/// Adds each device's history once it is through. Requires: the replay's conditions say that all
/// entries are kept, and `histories` lives as long as the watch.
ReplayWatch watch_keeping(std::vector<DeviceHistory>& histories);

}  // namespace vramlab::replay
