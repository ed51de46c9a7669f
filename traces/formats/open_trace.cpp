#include "traces/formats/open_trace.h"

#include <array>
#include <utility>

#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"
#include "traces/json/json_kind.h"

namespace vramlab::traces {
namespace {

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

/// Looks further ahead until the keys tell. If they never do, it is a snapshot, whose keys may be
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

}  // namespace

OpenTrace open_trace(const std::string& path, ProgressListener listener) {
  return open_trace(open_bytes(path, std::move(listener)));
}

OpenTrace open_trace(OpenBytes bytes) {
  OpenTrace trace;
  trace.file = std::move(bytes.file);
  trace.packing = bytes.packing;
  trace.source = std::move(bytes.source);
  const auto format = format_beginning_like(bytes.start);
  if (format) {
    trace.format = *format == TraceFormat::snapshot_json ? format_of_json(trace.source) : *format;
    return trace;
  }
  throw InputError(
      {trace.file, "byte 0",
       "a recording (a PyTorch memory snapshot, a native trace, a torch profiler trace or "
       "an RMM log)",
       describe_start(bytes.start)});
}

}  // namespace vramlab::traces
