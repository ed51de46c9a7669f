// Writes a program as a script (docs/reference/trace_format.md): the header, and a line for each
// event. Scripts have no place for recordings, and none for stacks: a line is its own.
#pragma once

#include <memory>
#include <string>

#include "traces/io/byte_sink.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

/// Such as `a = empty(4*MiB, stream=7)`, without the line's end.
std::string script_line_of(const ProgramEvent& event, const SnapshotTables& tables);

/// Both must live as long.
std::unique_ptr<TraceWriter> make_native_script_writer(ByteSink& sink,
                                                       const SnapshotTables& tables);

}  // namespace vramlab::traces
