// Reads the Chrome trace that torch.profiler writes with profile_memory=True: its `[memory]` events
// become a program's mallocs and frees. Everything else is passed over, so memory is what the
// memory events need (address_log).
//
// An event says how large the block is that was handed out: the request, rounded up. It says no
// stream. Events of the CPU are left out and counted.
#pragma once

#include <string>

#include "traces/files/byte_source.h"
#include "traces/logs/log_reading.h"
#include "traces/values/program_sink.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::traces {

/// `file` is the input's name for messages. Throws InputError.
LogReading read_profiler_json(ByteSource& source, const std::string& file, SnapshotTables& tables,
                              ProgramSink& sink);

}  // namespace vramlab::traces
