// The state of pinned host memory at a moment: as recorded, or as a replay of a program's events
// about it shows it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/metrics/device_state.h"
#include "replay/replayer/replay_conditions.h"
#include "traces/formats/open_trace.h"

namespace vramlab::replay {

struct HostStateRequest {
  std::string file;
  Moment moment;
  ReplayConditions conditions;
  /// A recording, too, is replayed.
  bool replays = false;
};

struct HostState {
  DeviceState state;
  /// Sentences: what is not sure.
  std::vector<std::string> notes;
  /// For the stacks.
  std::shared_ptr<const traces::SnapshotTables> tables;
};

/// Times count from the first event of a program, and from the first one about pinned memory of a
/// recording; events are those of the program, and entries of `host_traces`. Throws InputError.
HostState host_state_at(const HostStateRequest& request, const traces::ProgressListener& listener);

}  // namespace vramlab::replay
