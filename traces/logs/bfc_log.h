// Reads what the BFC allocator of XLA and TensorFlow says of itself (JAX, TensorFlow, Keras), with
// TF_CPP_VMODULE=bfc_allocator=4: its allocations and frees become a program's mallocs and frees.
// Lines that say something else are passed over, so that the whole error output of a program may be
// read. Call stacks below a line are not read: most of their frames have no name.
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

namespace bfc {

/// The time of a line's beginning, `I1127 19:17:34.659175 ...` or `2026-11-27 19:17:34.659175: I
/// ...`; a line of a program that set up no log has seconds since 1970 behind `00:00:`. Null if it
/// begins otherwise.
std::optional<std::uint64_t> time_of_line_ns(std::string_view line);

/// The GPU of an allocator: 1 for `GPU_1_bfc`; null for one of host memory.
std::optional<std::uint32_t> device_of(std::string_view allocator);

}  // namespace bfc

/// True if these first bytes are those of a log of the kind that this allocator writes to.
bool begins_like_bfc_log(std::string_view bytes);

/// `file` is the input's name for messages. Throws InputError.
LogReading read_bfc_log(ByteSource& source, const std::string& file, SnapshotTables& tables,
                        ProgramSink& sink);

}  // namespace vramlab::traces
