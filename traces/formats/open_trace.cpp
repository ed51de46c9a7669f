#include "traces/formats/open_trace.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "traces/formats/foreign_files.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"
#include "traces/json/json_kind.h"
#include "traces/native/native_layout.h"

namespace vramlab::traces {
namespace {

TraceFormat format_of_kind(JsonKind kind) {
  switch (kind) {
    case JsonKind::profiler:
      return TraceFormat::torch_profiler;
    case JsonKind::memory_timeline:
      return TraceFormat::memory_timeline;
    case JsonKind::snapshot:
      break;
  }
  return TraceFormat::snapshot_json;
}

/// Looks further ahead until the keys tell. If they never do, it is a snapshot, whose keys may be
/// any.
TraceFormat format_of_json(std::unique_ptr<ByteSource>& source) {
  constexpr std::size_t most_bytes = std::size_t{1} << 16;
  for (std::size_t count = looked_at_bytes; count <= most_bytes; count *= 4) {
    const std::string start = look_ahead(source, count);
    if (const auto kind = json_kind_of(start)) return format_of_kind(*kind);
    if (start.size() < count) break;
  }
  return TraceFormat::snapshot_json;
}

/// The name of the record that begins here, without its quotes; empty if it is not whole.
std::string_view record_name(std::string_view line) {
  const std::size_t begin = line.find('"');
  if (begin == std::string_view::npos) return {};
  const std::size_t end = line.find('"', begin + 1);
  return end == std::string_view::npos ? std::string_view()
                                       : line.substr(begin + 1, end - begin - 1);
}

/// The first record that is neither a header, a definition nor the end; null where there is none.
std::optional<TraceKind> kind_of_records(std::string_view lines) {
  constexpr std::array neither = {"format", "text", "frame", "stack", "value", "shape", "end"};
  constexpr std::array of_histories = {"section",    "segment",         "block",
                                       "trace",      "entry",           "settings",
                                       "annotation", "unknown_section", "bare_list"};
  const auto is_one_of = [](const auto& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view name = record_name(lines.substr(0, end));
    if (!name.empty() && !is_one_of(neither, name))
      return is_one_of(of_histories, name) ? TraceKind::history : TraceKind::program;
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return std::nullopt;
}

/// The same of a binary trace, chunk by chunk. Faults in it are left to its reader.
std::optional<TraceKind> kind_of_chunks(std::string_view bytes) {
  std::size_t at = sizeof(BinaryStart);
  while (bytes.size() >= at + sizeof(ChunkStart)) {
    ChunkStart chunk;
    std::memcpy(&chunk, bytes.data() + at, sizeof chunk);
    at += sizeof chunk;
    const std::uint64_t held = std::min<std::uint64_t>(chunk.payload_bytes, bytes.size() - at);
    const std::string_view payload = bytes.substr(at, static_cast<std::size_t>(held));
    if (chunk.kind == static_cast<std::uint32_t>(ChunkKind::lines)) {
      if (const auto kind = kind_of_records(payload)) return kind;
    } else {
      std::uint16_t first = 0;
      if (chunk.kind != static_cast<std::uint32_t>(ChunkKind::events) ||
          payload.size() < sizeof first)
        return std::nullopt;
      std::memcpy(&first, payload.data(), sizeof first);
      return first < native::first_entry_kind ? TraceKind::program : TraceKind::history;
    }
    if (payload.size() < chunk.payload_bytes) return std::nullopt;
    at += payload.size() + padding_after(chunk.payload_bytes);
  }
  return std::nullopt;
}

/// Looks further and further ahead until a record tells. A trace without one has no history.
TraceKind kind_of_native(std::unique_ptr<ByteSource>& source, TraceFormat format) {
  constexpr std::size_t first_look = std::size_t{1} << 14;
  for (std::size_t count = first_look;; count *= 4) {
    const std::string start = look_ahead(source, count);
    const auto kind =
        format == TraceFormat::native_text ? kind_of_records(start) : kind_of_chunks(start);
    if (kind) return *kind;
    if (start.size() < count) return TraceKind::history;
  }
}

TraceKind kind_of(std::unique_ptr<ByteSource>& source, TraceFormat format) {
  switch (format) {
    case TraceFormat::snapshot_pickle:
    case TraceFormat::snapshot_json:
    case TraceFormat::memory_timeline:
      return TraceKind::history;
    case TraceFormat::native_text:
    case TraceFormat::native_binary:
      return kind_of_native(source, format);
    case TraceFormat::native_script:
    case TraceFormat::torch_profiler:
    case TraceFormat::rmm_log:
    case TraceFormat::bfc_log:
      return TraceKind::program;
  }
  return TraceKind::history;
}

}  // namespace

OpenTrace open_trace(const std::string& path, ProgressListener listener) {
  return open_trace(open_bytes(path, std::move(listener)));
}

OpenTrace open_trace(OpenBytes bytes) {
  OpenTrace trace;
  trace.file = std::move(bytes.file);
  trace.packings = std::move(bytes.packings);
  trace.source = std::move(bytes.source);
  const auto format = format_beginning_like(bytes.start);
  if (format) {
    trace.format = *format == TraceFormat::snapshot_json ? format_of_json(trace.source) : *format;
    trace.kind = kind_of(trace.source, trace.format);
    return trace;
  }
  throw InputError(
      {trace.file, "byte 0",
       "a recording (a PyTorch memory snapshot, a native trace, a torch profiler trace, "
       "an RMM log or a BFC log)",
       describe_foreign(trace.source)});
}

}  // namespace vramlab::traces
