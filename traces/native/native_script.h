// Reads the script form of a native trace (docs/reference/trace_format.md): a program in lines that
// look like Python's, such as `a = empty(4*MiB)` and `del a`. Each event gets a stack of one frame,
// its line in the script. Throws InputError at the first letter that is not as it must be, with
// line and column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traces/io/byte_source.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

/// The first statement, which says that the file is a script.
inline constexpr std::string_view script_start = "program(";

/// True if a file with these first bytes says that it is a script.
bool begins_like_native_script(std::string_view bytes);

/// `file` is the input's name for messages. Returns the bytes of the text, unpacked.
std::uint64_t read_native_script(ByteSource& source, const std::string& file,
                                 SnapshotTables& tables, ProgramSink& sink);

}  // namespace vramlab::traces
