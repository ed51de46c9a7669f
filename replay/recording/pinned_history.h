// Pinned host memory in a recording: its sections `host_segments` and `host_traces` (since PyTorch
// 2.14) as a history of that memory, and that history as a program's events. Entries have the sizes
// of blocks, never those of requests. So a replay can ask which blocks would have gone back to the
// system, but not how requests would have been rounded.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/recording/recorded_history.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

/// The number that PyTorch's recordings have for pinned host memory.
inline constexpr std::int64_t host_device = -1;

/// One device of whole blocks, or none where the recording has no such sections. New stacks go to
/// the tables, which are those of the recording.
RecordedHistory host_history_in(const RecordedHistory& history, traces::SnapshotTables& tables);

struct HostHistory {
  /// First come events that make the blocks from before the recording, by address, in the state
  /// that they were in; then requests of whole blocks, frees, and the ends of their waits. Their
  /// times are those of the entries.
  std::vector<traces::ProgramEvent> events;
  std::uint64_t blocks_from_before = 0;
};

/// `recorded`: the device that host_history_in() gives.
HostHistory host_history_of(const DeviceHistory& recorded);

}  // namespace vramlab::replay
