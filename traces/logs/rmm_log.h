// Reads a log of RAPIDS' memory manager (logging_resource_adaptor): its allocations and frees
// become a program's mallocs and frees. Lines stay in the order of the log, whichever thread wrote
// them. A log has times of the day only (times_of_day.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "traces/io/byte_sink.h"
#include "traces/io/byte_source.h"
#include "traces/logs/address_program.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

// The parts of a log: lines of values between commas.
namespace rmm {

inline constexpr std::string_view header = "Thread,Time,Action,Pointer,Size,Stream";
inline constexpr std::string_view allocate = "allocate";
inline constexpr std::string_view free = "free";
inline constexpr std::string_view failure = "allocate failure";

// Each is null if the letters mean no such value.

/// Hexadecimal, with or without `0x`; `(nil)` is 0.
std::optional<std::uint64_t> pointer(std::string_view letters);
/// A number, or a pointer where it has `0x` or a letter from a to f.
std::optional<std::uint64_t> stream(std::string_view letters);

/// `10:36:59:123456`; whole days, and nanoseconds below a microsecond, are left out.
std::string time_text(std::uint64_t time_ns);

}  // namespace rmm

/// True if these first bytes are those of such a log: its line of names.
bool begins_like_rmm_log(std::string_view bytes);

/// `file` is the input's name for messages. Throws InputError.
LogReading read_rmm_log(ByteSource& source, const std::string& file, SnapshotTables& tables,
                        ProgramSink& sink);

/// Writes such a log of a program's events or of recorded entries: requests, frees and failed
/// requests. A log has no place for anything else. All lines are of one device, as the format names
/// none.
///
/// A program has no addresses: each malloc gets a pointer of its own, a multiple of 512 that is
/// never used again. The stream of a free is the last other stream that used the memory. Both must
/// live as long.
std::unique_ptr<TraceWriter> make_rmm_writer(ByteSink& sink, const SnapshotTables& tables);

}  // namespace vramlab::traces
