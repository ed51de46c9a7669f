// Reads the binary form of a native trace (docs/trace_format.md) as a stream, so that a pipe or a
// packed file will do and no file is held as a whole. Throws InputError at the first byte that is
// not as it must be; mapped_trace is for who wants the events as they lie in the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traces/files/byte_source.h"
#include "traces/native/native_record_reader.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::traces {

bool begins_like_native_binary(std::string_view bytes);

/// `file` is the input's name for messages. Returns the bytes of the trace, unpacked.
std::uint64_t read_native_binary(ByteSource& source, const std::string& file,
                                 SnapshotTables& tables, NativeSinks sinks);

}  // namespace vramlab::traces
