// Reads the Chrome trace that torch.profiler writes with profile_memory=True: its `[memory]` events
// become a program's mallocs and frees. Everything else is passed over, so memory is what the
// memory events need.
//
// An event says the size of the block that was handed out: the request, rounded up. It says no
// stream. Events of the CPU are left out and counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traces/io/byte_source.h"
#include "traces/logs/address_program.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

/// `file` is the input's name for messages. Throws InputError.
LogReading read_profiler_json(ByteSource& source, const std::string& file, SnapshotTables& tables,
                              ProgramSink& sink);

/// Nanoseconds of a number of microseconds as it is written, such as `1700000000000000.123`: exact,
/// which a double would not be. Digits beyond nanoseconds are cut off. Null if the number is
/// negative, too large or has an exponent.
std::optional<std::uint64_t> ns_of_us(std::string_view letters);

}  // namespace vramlab::traces
