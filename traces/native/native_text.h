// Reads the text form of a native trace (docs/reference/trace_format.md), record by record, so no
// file is held as a whole. Throws InputError at the first byte that is not as it must be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traces/io/byte_source.h"
#include "traces/model/snapshot_tables.h"
#include "traces/native/native_record_reader.h"

namespace vramlab::traces {

/// Whether a file with these first bytes (a few dozen will do) says that it is one.
bool begins_like_native_text(std::string_view bytes);

/// `file` is the input's name for messages. Returns the bytes of the text, unpacked.
std::uint64_t read_native_text(ByteSource& source, const std::string& file, SnapshotTables& tables,
                               NativeSinks sinks);

}  // namespace vramlab::traces
