#include "traces/formats/open_trace.h"

#include <array>
#include <utility>

#include "traces/files/input_error.h"
#include "traces/json/json_kind.h"
#include "traces/logs/rmm_log.h"
#include "traces/native/native_binary.h"
#include "traces/native/native_text.h"

namespace vramlab::traces {
namespace {

/// Protocols from 2 on say so; without that, a pickle of a snapshot begins with its dict or list.
bool begins_like_pickle(std::string_view bytes) {
  if (bytes.empty()) return false;
  if (bytes.front() == '}' || bytes.front() == ']') return true;
  return bytes.size() >= 2 && bytes[0] == '\x80' && bytes[1] <= 5;
}

/// Any JSON text; what else may begin like that stands above it in the table.
bool begins_like_json(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const std::size_t text_start = bytes.find_first_not_of(" \t\r\n");
  if (text_start == std::string_view::npos) return false;
  return bytes[text_start] == '{' || bytes[text_start] == '[';
}

struct FormatRow {
  TraceFormat format;
  std::string_view name;
  /// Null for a kind of JSON that only its keys tell.
  bool (*begins_like)(std::string_view bytes);
};

constexpr std::array formats = {
    FormatRow{TraceFormat::native_text, "native trace (text)", begins_like_native_text},
    FormatRow{TraceFormat::native_binary, "native trace (binary)", begins_like_native_binary},
    FormatRow{TraceFormat::snapshot_pickle, "PyTorch snapshot (pickle)", begins_like_pickle},
    FormatRow{TraceFormat::snapshot_json, "PyTorch snapshot (JSON)", begins_like_json},
    FormatRow{TraceFormat::torch_profiler, "torch profiler trace", nullptr},
    FormatRow{TraceFormat::rmm_log, "RMM log", begins_like_rmm_log},
};

struct ForeignRow {
  std::string_view start;
  std::string_view name;
};

/// What people try to open, and what to call it.
constexpr std::array foreign_starts = {
    ForeignRow{"<", "HTML or XML text"},
    ForeignRow{"PK\x03\x04", "a zip archive (such as torch.save writes)"},
    ForeignRow{"\x7f"
               "ELF",
               "a program"},
    ForeignRow{"%PDF", "a PDF document"},
    ForeignRow{"SQLite format 3", "an SQLite database"},
    ForeignRow{"BZh", "bzip2 data"},
    ForeignRow{"\xfd"
               "7zXZ",
               "xz data"},
};

std::string describe_start(std::string_view bytes) {
  if (bytes.empty()) return "an empty file";
  const std::size_t text_start = bytes.find_first_not_of(" \t\r\n");
  const std::string_view text =
      text_start == std::string_view::npos ? bytes : bytes.substr(text_start);
  for (const ForeignRow& row : foreign_starts)
    if (text.starts_with(row.start)) return std::string(row.name);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown = "bytes that begin with";
  constexpr std::size_t shown_bytes = 8;
  for (const char letter : bytes.substr(0, shown_bytes)) {
    const auto byte = static_cast<unsigned char>(letter);
    shown += {' ', digits[byte >> 4U], digits[byte & 15U]};
  }
  return shown;
}

/// The first bytes of a source, which then gives them again.
std::string look_ahead(std::unique_ptr<ByteSource>& source, std::size_t most_bytes) {
  std::string bytes(most_bytes, '\0');
  std::size_t count = 0;
  while (count < bytes.size()) {
    const std::size_t got = source->read(bytes.data() + count, bytes.size() - count);
    if (got == 0) break;
    count += got;
  }
  bytes.resize(count);
  source = put_back(bytes, std::move(source));
  return bytes;
}

constexpr std::size_t looked_at_bytes = 64;

/// Looks further ahead until the keys tell. Where they never do it is a snapshot, whose keys may be
/// any.
TraceFormat format_of_json(std::unique_ptr<ByteSource>& source) {
  constexpr std::size_t most_bytes = std::size_t{1} << 16;
  for (std::size_t count = looked_at_bytes; count <= most_bytes; count *= 4) {
    const std::string start = look_ahead(source, count);
    if (const auto kind = json_kind_of(start))
      return *kind == JsonKind::profiler ? TraceFormat::torch_profiler : TraceFormat::snapshot_json;
    if (start.size() < count) break;
  }
  return TraceFormat::snapshot_json;
}

Packing packing_of(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) return Packing::gzip;
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return Packing::zstd;
  return Packing::none;
}

}  // namespace

std::string_view trace_format_name(TraceFormat format) {
  for (const FormatRow& row : formats)
    if (row.format == format) return row.name;
  return "unknown";
}

bool holds_programs(TraceFormat format) {
  return format != TraceFormat::snapshot_pickle && format != TraceFormat::snapshot_json;
}

std::string_view packing_name(Packing packing) {
  switch (packing) {
    case Packing::none:
      return "";
    case Packing::gzip:
      return "gzip";
    case Packing::zstd:
      return "zstd";
  }
  return "";
}

OpenBytes open_bytes(const std::string& path, ProgressListener listener) {
  OpenBytes bytes;
  bytes.file = input_name(path);
  bytes.source = open_file_source(path, std::move(listener));
  bytes.start = look_ahead(bytes.source, looked_at_bytes);
  bytes.packing = packing_of(bytes.start);
  if (bytes.packing == Packing::gzip)
    bytes.source = make_gzip_source(std::move(bytes.source), bytes.file);
  if (bytes.packing == Packing::zstd)
    bytes.source = make_zstd_source(std::move(bytes.source), bytes.file);
  if (bytes.packing != Packing::none) bytes.start = look_ahead(bytes.source, looked_at_bytes);
  return bytes;
}

OpenTrace open_trace(const std::string& path, ProgressListener listener) {
  return open_trace(open_bytes(path, std::move(listener)));
}

OpenTrace open_trace(OpenBytes bytes) {
  OpenTrace trace;
  trace.file = std::move(bytes.file);
  trace.packing = bytes.packing;
  trace.source = std::move(bytes.source);
  const std::string_view start = bytes.start;
  for (const FormatRow& row : formats) {
    if (row.begins_like == nullptr || !row.begins_like(start)) continue;
    trace.format =
        row.format == TraceFormat::snapshot_json ? format_of_json(trace.source) : row.format;
    return trace;
  }
  throw InputError(
      {trace.file, "byte 0",
       "a recording (a PyTorch memory snapshot, a native trace, a torch profiler trace or "
       "an RMM log)",
       describe_start(start)});
}

}  // namespace vramlab::traces
