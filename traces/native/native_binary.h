// Reads and writes the binary form of a native trace (docs/reference/trace_format.md) as a stream,
// so a pipe or a packed file will do and no file is held as a whole. Throws InputError at the first
// byte that is not as it must be. mapped_trace gives the events as they lie in the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "traces/io/byte_sink.h"
#include "traces/io/byte_source.h"
#include "traces/model/snapshot_tables.h"
#include "traces/native/native_text.h"

namespace vramlab::traces {

bool begins_like_native_binary(std::string_view bytes);

/// `file` is the input's name for messages. Returns the bytes of the trace, unpacked.
std::uint64_t read_native_binary(ByteSource& source, const std::string& file,
                                 SnapshotTables& tables, NativeSinks sinks);

/// Hears of each chunk of events: the place of the first, and how many there are.
using OnEvents = std::function<void(std::uint64_t byte, std::uint64_t event_count)>;
/// The same with a reader of records that outlives the call. With `on_events`, the events are
/// checked but not given to the sinks.
std::uint64_t read_native_binary(ByteSource& source, const std::string& file,
                                 NativeRecordReader& records, const OnEvents& on_events = nullptr);

/// At most so many events come in one chunk.
inline constexpr std::size_t most_events_of_a_chunk = std::size_t{1} << 16;

/// Writes at once: the bytes that wait are bounded, but for a small entry of the directory for each
/// chunk. The tables are those of the sinks' caller. Both must live as long.
std::unique_ptr<TraceWriter> make_native_binary_writer(ByteSink& sink,
                                                       const SnapshotTables& tables);

}  // namespace vramlab::traces
