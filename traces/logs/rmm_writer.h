// Writes a log as RAPIDS' memory manager does, of what a program did or of what was recorded:
// requests, frees and failed requests. Everything else has no place there and is left out. All
// lines are of one device, as the format names none.
//
// A program has no addresses: each malloc gets a pointer of its own, a multiple of 512 that is
// never used again. What it used on other streams last is the stream of its free.
#pragma once

#include <memory>

#include "traces/files/byte_sink.h"
#include "traces/values/snapshot_tables.h"
#include "traces/values/trace_writer.h"

namespace vramlab::traces {

/// Both must live as long.
std::unique_ptr<TraceWriter> make_rmm_writer(ByteSink& sink, const SnapshotTables& tables);

}  // namespace vramlab::traces
