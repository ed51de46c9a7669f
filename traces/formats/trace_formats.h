// The formats: one row of the table in trace_formats.cpp says of each how it is called, recognised,
// read and written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/formats/open_trace.h"
#include "traces/io/byte_sink.h"
#include "traces/logs/address_program.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"
#include "traces/pickle/snapshot_pickle.h"

namespace vramlab::traces {

/// Such as `PyTorch snapshot (pickle)`.
std::string_view trace_format_name(TraceFormat format);
/// Whether it can hold a program's own events.
bool holds_programs(TraceFormat format);
/// Null if no format begins like these bytes. The kinds of JSON are told apart later.
std::optional<TraceFormat> format_beginning_like(std::string_view bytes);

struct SnapshotFacts {
  /// Only if it is a pickle.
  std::optional<PickleFacts> pickle;
  /// Only if it is a log that names memory by its address.
  std::optional<LogFacts> log;
  /// Unpacked.
  std::uint64_t bytes = 0;
};

/// Whether a snapshot of pinned host memory alone will do.
enum class HostAlone : std::uint8_t { allowed, refused };

/// Everything in the recording. Throws InputError, also for a dict without memory.
SnapshotFacts read_trace(OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks,
                         HostAlone host_alone = HostAlone::allowed);
/// For who takes snapshots only: a program's own events are refused. Throws InputError.
SnapshotFacts read_snapshot(OpenTrace& trace, SnapshotTables& tables, SnapshotSink& sink);

/// The formats that are written, in the order in which they are listed.
std::span<const TraceFormat> written_formats();
inline constexpr TraceFormat native_formats[] = {TraceFormat::native_text,
                                                 TraceFormat::native_binary};
/// Their names for `--format`.
std::vector<std::string> format_options(std::span<const TraceFormat> formats);
/// Their endings, such as `.jsonl`.
std::vector<std::string> format_endings(std::span<const TraceFormat> formats);
/// The format that `option` names; if it is empty, the one that the path's ending says. Null for
/// neither.
std::optional<TraceFormat> find_format(std::string_view path, std::string_view option,
                                       std::span<const TraceFormat> formats);
/// The same for an output. Throws InputError.
TraceFormat output_format(const std::string& path, const std::string& option,
                          std::span<const TraceFormat> formats);

/// The tables are those of whoever calls the sinks. Both must live as long. Requires: the format is
/// one of written_formats().
std::unique_ptr<TraceWriter> make_trace_writer(TraceFormat format, ByteSink& sink,
                                               const SnapshotTables& tables);

/// Words in a row for a message: `a, b or c`.
std::string listed(const std::vector<std::string>& words);

}  // namespace vramlab::traces
