// A recorded history of pinned host memory (`host_traces`, since PyTorch 2.14) as a program's
// events. Entries have the sizes of blocks, never those of requests: what a replay of it can ask is
// which blocks would have gone back to the system, not how they would have been rounded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/values/program_event.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::replay {

struct HostHistory {
  /// Requests of whole blocks, frees, and the ends of their waits. Their times are those of the
  /// entries.
  std::vector<traces::ProgramEvent> events;
  /// Entries about blocks from before the recording.
  std::uint64_t left_out = 0;
};

/// Empty where the value is no list of entries.
HostHistory host_history_of(const traces::GenericValue& entries, const traces::TextTable& texts);

}  // namespace vramlab::replay
