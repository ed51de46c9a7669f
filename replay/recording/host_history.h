// A recorded history of pinned host memory (`host_segments` and `host_traces`, since PyTorch 2.14)
// as a program's events. Entries have the sizes of blocks, never those of requests: what a replay
// of it can ask is which blocks would have gone back to the system, not how they would have been
// rounded.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/recording/recorded_history.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

struct HostHistory {
  /// First what makes the blocks that were there before, by address, in the state that they were
  /// in; then requests of whole blocks, frees, and the ends of their waits. Their times are those
  /// of the entries.
  std::vector<traces::ProgramEvent> events;
  std::uint64_t blocks_from_before = 0;
};

/// Reads what host_history_in() gives (replay/recording/host_sections.h).
HostHistory host_history_of(const DeviceHistory& recorded);

}  // namespace vramlab::replay
