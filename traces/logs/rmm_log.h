// Reads a log of RAPIDS' memory manager (logging_resource_adaptor): its allocations and frees
// become a program's mallocs and frees. Lines stay in the order of the log, whichever thread wrote
// them.
//
// A log has times of the day only. One that is up to a minute before that of the line above (two
// threads wrote at once) counts as the same; one that is earlier still is of the next day.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "traces/files/byte_sink.h"
#include "traces/files/byte_source.h"
#include "traces/logs/address_program.h"
#include "traces/values/program_sink.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::traces {

/// Whether these first bytes are of such a log: its line of names.
bool begins_like_rmm_log(std::string_view bytes);

/// `file` is the input's name for messages. Throws InputError.
LogReading read_rmm_log(ByteSource& source, const std::string& file, SnapshotTables& tables,
                        ProgramSink& sink);

/// Writes such a log of what a program did or of what was recorded: requests, frees and failed
/// requests. Everything else has no place there and is left out. All lines are of one device, as
/// the format names none.
///
/// A program has no addresses: each malloc gets a pointer of its own, a multiple of 512 that is
/// never used again. The stream of a free is the last other stream that used the memory. Both must
/// live as long.
std::unique_ptr<TraceWriter> make_rmm_writer(ByteSink& sink, const SnapshotTables& tables);

}  // namespace vramlab::traces
