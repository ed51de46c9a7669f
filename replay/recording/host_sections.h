// A recording's sections about pinned host memory, `host_segments` and `host_traces`, as a history
// of that memory.
#pragma once

#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

/// The number that PyTorch's recordings have for pinned host memory.
inline constexpr std::int64_t host_device = -1;

/// One device of whole blocks, or none where the recording has no such sections. New stacks go to
/// the tables, which are those of the recording.
RecordedHistory host_history_in(const RecordedHistory& history, traces::SnapshotTables& tables);

}  // namespace vramlab::replay
