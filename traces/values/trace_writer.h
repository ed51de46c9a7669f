// TraceWriter: writes what a reader finds, in one format, at once. Formats without a place for a
// program's own events refuse them, so that none is lost unseen. make_trace_writer.h has them all.
#pragma once

#include "traces/values/program_sink.h"

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

}  // namespace vramlab::traces
