// The writer of a format: the one table of all that are written.
#pragma once

#include <memory>

#include "traces/files/byte_sink.h"
#include "traces/formats/open_trace.h"
#include "traces/values/snapshot_tables.h"
#include "traces/values/trace_writer.h"

namespace vramlab::traces {

/// The tables are those of whoever calls the sinks. Both must live as long. Requires: the format is
/// none of those that are only read (a torch profiler trace).
std::unique_ptr<TraceWriter> make_trace_writer(TraceFormat format, ByteSink& sink,
                                               const SnapshotTables& tables);

}  // namespace vramlab::traces
