// Opens a recording: what it is is told from its first bytes, never from its name. The one table of
// formats is in open_trace.cpp; gzip and zstd around any of them are unpacked on the way.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "traces/files/byte_source.h"

namespace vramlab::traces {

enum class TraceFormat : std::uint8_t {
  snapshot_pickle,
  snapshot_json,
  native_text,
  native_binary,
  torch_profiler,
  rmm_log,
};
/// Such as `PyTorch snapshot (pickle)`.
std::string_view trace_format_name(TraceFormat format);

/// Whether it can hold a program's own events.
bool holds_programs(TraceFormat format);

enum class Packing : std::uint8_t { none, gzip, zstd };
/// `gzip`, `zstd`; empty where there is none.
std::string_view packing_name(Packing packing);

struct OpenTrace {
  /// For messages.
  std::string file;
  TraceFormat format = TraceFormat::snapshot_pickle;
  Packing packing = Packing::none;
  /// All bytes, unpacked, from the first on.
  std::unique_ptr<ByteSource> source;
};

/// `-` is standard input. Throws InputError, also where the bytes are of no known format.
OpenTrace open_trace(const std::string& path, ProgressListener listener = nullptr);

/// A file of any kind, for those who take others beside recordings.
struct OpenBytes {
  /// For messages.
  std::string file;
  Packing packing = Packing::none;
  /// All bytes, unpacked, from the first on.
  std::unique_ptr<ByteSource> source;
  /// The first of them.
  std::string start;
};
OpenBytes open_bytes(const std::string& path, ProgressListener listener = nullptr);
OpenTrace open_trace(OpenBytes bytes);

}  // namespace vramlab::traces
