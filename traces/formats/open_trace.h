// Opens a recording. Its first bytes say what it is, never its name: the format, and whether it is
// a program's own events or the history of an allocator. gzip, zstd, zip archives and the pages of
// PyTorch's viewer around any format are unpacked on the way.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traces/io/byte_source.h"

namespace vramlab::traces {

/// The rows of the table in trace_formats.cpp, in its order.
enum class TraceFormat : std::uint8_t {
  snapshot_pickle,
  snapshot_json,
  native_text,
  native_binary,
  native_script,
  torch_profiler,
  rmm_log,
  memory_timeline,
  bfc_log,
};

/// The part of a recording that its readers see: the memory of GPUs, or pinned host memory as that
/// of one device (traces/filters/host_recording.h).
enum class ShownMemory : std::uint8_t { device, host };

/// The two kinds of files. A program says what it did, without an allocator's answers; a history
/// says what an allocator did, event by event, or at least its final state.
enum class TraceKind : std::uint8_t { history, program };

struct OpenTrace {
  /// For messages.
  std::string file;
  TraceFormat format = TraceFormat::snapshot_pickle;
  /// A native trace may hold both: its first record that is not a definition decides.
  TraceKind kind = TraceKind::history;
  /// The outermost one first.
  std::vector<Packing> packings;
  /// All bytes, unpacked, from the first on.
  std::unique_ptr<ByteSource> source;
  ShownMemory memory = ShownMemory::device;
};

/// `-` is standard input. Throws InputError, also if the bytes are of no known format.
OpenTrace open_trace(const std::string& path, ProgressListener listener = nullptr);
OpenTrace open_trace(OpenBytes bytes);

}  // namespace vramlab::traces
