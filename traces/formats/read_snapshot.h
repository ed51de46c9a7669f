// Reads an open recording with the reader of its format.
#pragma once

#include <cstdint>
#include <optional>

#include "traces/formats/open_trace.h"
#include "traces/logs/address_program.h"
#include "traces/pickle/snapshot_pickle.h"
#include "traces/values/program_sink.h"
#include "traces/values/snapshot_sink.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::traces {

struct SnapshotFacts {
  /// Of a pickle.
  std::optional<PickleFacts> pickle;
  /// Of a log that names memory by its address.
  std::optional<LogFacts> log;
  /// Unpacked.
  std::uint64_t bytes = 0;
};

/// Everything in the recording. Throws InputError.
SnapshotFacts read_trace(OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks);

/// For who takes snapshots only: a program's own events are refused. Throws InputError.
SnapshotFacts read_snapshot(OpenTrace& trace, SnapshotTables& tables, SnapshotSink& sink);

}  // namespace vramlab::traces
