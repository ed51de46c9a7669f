// Writes the binary form of a native trace (docs/trace_format.md), at once: what waits to be
// written is bounded, but for a small entry of the directory for each chunk.
#pragma once

#include <cstddef>
#include <memory>

#include "traces/files/byte_sink.h"
#include "traces/values/snapshot_tables.h"
#include "traces/values/trace_writer.h"

namespace vramlab::traces {

/// So many events at most come in one chunk.
inline constexpr std::size_t most_events_of_a_chunk = std::size_t{1} << 16;

/// The tables are those of whoever calls the sinks. Both must live as long.
std::unique_ptr<TraceWriter> make_native_binary_writer(ByteSink& sink,
                                                       const SnapshotTables& tables);

}  // namespace vramlab::traces
