#include "tests/support/fuzz/snapshot_writing_fuzz_body.h"

#include <array>
#include <memory>

#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/memory_source.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"
#include "traces/json/snapshot_json.h"
#include "traces/native/native_binary.h"
#include "traces/native/native_text.h"
#include "traces/pickle/snapshot_pickle.h"

namespace vramlab::support {
namespace {

using traces::TraceFormat;

constexpr std::array written_formats = {TraceFormat::snapshot_pickle, TraceFormat::snapshot_json,
                                        TraceFormat::native_text, TraceFormat::native_binary};

struct Recording {
  TraceFormat format;
  std::string bytes;
};

void read(const Recording& recording, traces::SnapshotTables& tables, traces::NativeSinks sinks) {
  const auto source = support::make_memory_source(recording.bytes);
  switch (recording.format) {
    case TraceFormat::snapshot_pickle:
      traces::read_snapshot_pickle(*source, "file", tables, sinks.recorded);
      return;
    case TraceFormat::snapshot_json:
      traces::read_snapshot_json(*source, "file", tables, sinks.recorded);
      return;
    case TraceFormat::native_text:
      traces::read_native_text(*source, "file", tables, sinks);
      return;
    case TraceFormat::native_binary:
      traces::read_native_binary(*source, "file", tables, sinks);
      return;
    default:
      return;
  }
}

/// Throws InputError where the recording can't be read, or can't be written in this format.
Recording rewritten(const Recording& recording, TraceFormat format) {
  traces::SnapshotTables tables;
  CollectedBytes output;
  const auto writer = make_trace_writer(format, output, tables);
  read(recording, tables, writer->sinks());
  writer->finish();
  return {format, std::move(output.bytes)};
}

TraceFormat format_of(const std::string& bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && (bytes[first] == '{' || bytes[first] == '[');
  return is_json ? TraceFormat::snapshot_json : TraceFormat::snapshot_pickle;
}

/// The sharing of values may change on the way; JSON spells all of them out, so it shows whether
/// they are the same. Null where JSON can't be written.
std::optional<std::string> content_of(const Recording& recording) {
  try {
    return rewritten(recording, TraceFormat::snapshot_json).bytes;
  } catch (const traces::InputError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> broken_rule_of_snapshot_writing(const std::string& bytes) {
  const Recording first{format_of(bytes), bytes};
  const auto content = content_of(first);
  if (!content) return std::nullopt;
  for (const TraceFormat format : written_formats) {
    const std::string name(trace_format_name(format));
    try {
      const Recording again = rewritten(first, format);
      if (rewritten(again, TraceFormat::snapshot_json).bytes != *content)
        return name + " reads as something else than what was written";
    } catch (const traces::InputError& error) {
      return name + " can't be written or is refused: " + error.what();
    }
  }
  return std::nullopt;
}

}  // namespace vramlab::support
