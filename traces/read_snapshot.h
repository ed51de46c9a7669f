// Reads an open snapshot with the reader of its format.
#pragma once

#include <cstdint>
#include <optional>

#include "traces/open_trace.h"
#include "traces/snapshot_pickle.h"
#include "traces/snapshot_sink.h"
#include "traces/snapshot_tables.h"

namespace vramlab::traces {

struct SnapshotFacts {
  /// Of a pickle.
  std::optional<PickleFacts> pickle;
  /// Unpacked.
  std::uint64_t bytes = 0;
};

/// Throws InputError.
SnapshotFacts read_snapshot(OpenTrace& trace, SnapshotTables& tables, SnapshotSink& sink);

}  // namespace vramlab::traces
