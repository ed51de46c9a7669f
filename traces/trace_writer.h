// TraceWriter: writes what a reader finds, in one format, at once. Formats without a place for a
// program's own events refuse them, so that none is lost unseen.
#pragma once

#include <memory>
#include <string>

#include "traces/byte_sink.h"
#include "traces/open_trace.h"
#include "traces/program_sink.h"
#include "traces/snapshot_tables.h"

namespace vramlab::traces {

class TraceWriter {
 public:
  TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  virtual ~TraceWriter() = default;

  virtual NativeSinks sinks() = 0;
  /// After the last record: without it, the end is missing.
  virtual void finish() = 0;
};

/// The tables are those of whoever calls the sinks. Both must live as long. Requires: the format is
/// none of those that are only read (a torch profiler trace).
std::unique_ptr<TraceWriter> make_trace_writer(TraceFormat format, ByteSink& sink,
                                               const SnapshotTables& tables);

}  // namespace vramlab::traces
