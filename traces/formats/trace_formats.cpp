#include "traces/formats/trace_formats.h"

#include <algorithm>
#include <array>
#include <utility>

#include "allocator/types/check.h"
#include "traces/filters/host_recording.h"
#include "traces/filters/record_filter.h"
#include "traces/formats/foreign_files.h"
#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"
#include "traces/json/snapshot_json.h"
#include "traces/logs/bfc_log.h"
#include "traces/logs/profiler_json.h"
#include "traces/logs/rmm_log.h"
#include "traces/model/snapshot_writer.h"
#include "traces/native/native_binary.h"
#include "traces/native/native_script.h"
#include "traces/native/native_script_writer.h"
#include "traces/native/native_text.h"
#include "traces/native/native_text_writer.h"

namespace vramlab::traces {
namespace {

using Writer = std::unique_ptr<TraceWriter>;

class SnapshotTraceWriter : public TraceWriter {
 public:
  explicit SnapshotTraceWriter(std::unique_ptr<SnapshotWriter> writer)
      : writer_(std::move(writer)), program_("the recording", "a PyTorch memory snapshot") {}

  NativeSinks sinks() override { return {*writer_, program_}; }
  void finish() override { writer_->finish(); }

 private:
  std::unique_ptr<SnapshotWriter> writer_;
  RefusedProgram program_;
};

class NativeTextWriter : public TraceWriter, private LineSink {
 public:
  NativeTextWriter(ByteSink& sink, const SnapshotTables& tables)
      : bytes_(sink), records_(*this, tables) {}

  NativeSinks sinks() override { return {records_, records_}; }
  void finish() override {
    records_.finish();
    bytes_.flush();
  }

 private:
  void line(std::string_view line, LineKind) override {
    bytes_.add(line);
    bytes_.add('\n');
  }

  ByteCollector bytes_;
  NativeRecordWriter records_;
};

/// Protocols from 2 on say so; without that, a pickle of a snapshot begins with its dict or list.
bool begins_like_pickle(std::string_view bytes) {
  if (bytes.empty() || begins_like_old_torch_save(bytes)) return false;
  if (bytes.front() == '}' || bytes.front() == ']') return true;
  if (bytes.starts_with("(d") || bytes.starts_with("(l")) return true;
  return bytes.size() >= 2 && bytes[0] == '\x80' && bytes[1] <= 5;
}

/// Any JSON text but a native trace.
bool begins_like_json(std::string_view bytes) {
  if (begins_like_native_text(bytes)) return false;
  bytes = without_byte_order_mark(bytes);
  const std::size_t text_start = bytes.find_first_not_of(" \t\r\n");
  if (text_start == std::string_view::npos) return false;
  return bytes[text_start] == '{' || bytes[text_start] == '[';
}

struct FormatRow {
  std::string_view name;
  bool holds_programs;
  /// Null for a kind of JSON that only its keys tell.
  bool (*begins_like)(std::string_view bytes);
  SnapshotFacts (*read)(OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks);
  // Null and empty for a format that is only read.
  Writer (*make_writer)(ByteSink& sink, const SnapshotTables& tables);
  std::string_view option;
  std::array<std::string_view, 2> endings;
};

constexpr std::array<FormatRow, 9> rows = {{
    {"PyTorch snapshot (pickle)",
     false,
     begins_like_pickle,
     [](OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks) -> SnapshotFacts {
       const PickleFacts facts =
           read_snapshot_pickle(*trace.source, trace.file, tables, sinks.recorded);
       return {facts, {}, facts.bytes};
     },
     [](ByteSink& sink, const SnapshotTables& tables) -> Writer {
       return std::make_unique<SnapshotTraceWriter>(make_snapshot_pickle_writer(sink, tables));
     },
     "pickle",
     {".pickle", ".pkl"}},
    {"PyTorch snapshot (JSON)",
     false,
     begins_like_json,
     [](OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks) -> SnapshotFacts {
       return {{}, {}, read_snapshot_json(*trace.source, trace.file, tables, sinks.recorded)};
     },
     [](ByteSink& sink, const SnapshotTables& tables) -> Writer {
       return std::make_unique<SnapshotTraceWriter>(make_snapshot_json_writer(sink, tables));
     },
     "json",
     {".json"}},
    {"native trace (text)",
     true,
     begins_like_native_text,
     [](OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks) -> SnapshotFacts {
       return {{}, {}, read_native_text(*trace.source, trace.file, tables, sinks)};
     },
     [](ByteSink& sink, const SnapshotTables& tables) -> Writer {
       return std::make_unique<NativeTextWriter>(sink, tables);
     },
     "native-text",
     {".jsonl"}},
    {"native trace (binary)",
     true,
     begins_like_native_binary,
     [](OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks) -> SnapshotFacts {
       return {{}, {}, read_native_binary(*trace.source, trace.file, tables, sinks)};
     },
     make_native_binary_writer,
     "native-binary",
     {".vtrace"}},
    {"native trace (script)",
     true,
     begins_like_native_script,
     [](OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks) -> SnapshotFacts {
       return {{}, {}, read_native_script(*trace.source, trace.file, tables, sinks.program)};
     },
     make_native_script_writer,
     "native-script",
     {".vtrace.py"}},
    {"torch profiler trace",
     true,
     nullptr,
     [](OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks) -> SnapshotFacts {
       const LogReading log = read_profiler_json(*trace.source, trace.file, tables, sinks.program);
       return {{}, log.facts, log.bytes};
     },
     nullptr,
     {},
     {}},
    {"RMM log",
     true,
     begins_like_rmm_log,
     [](OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks) -> SnapshotFacts {
       const LogReading log = read_rmm_log(*trace.source, trace.file, tables, sinks.program);
       return {{}, log.facts, log.bytes};
     },
     make_rmm_writer,
     "rmm",
     {".csv"}},
    {"torch memory timeline (JSON)",
     false,
     nullptr,
     [](OpenTrace& trace, SnapshotTables&, NativeSinks) -> SnapshotFacts {
       refuse_file(
           trace.file, "a recording with requests or blocks",
           "a memory timeline of torch.profiler: sums over time, which vramlab info and explain "
           "show if it is the only file");
     },
     nullptr,
     {},
     {}},
    {"BFC log",
     true,
     begins_like_bfc_log,
     [](OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks) -> SnapshotFacts {
       const LogReading log = read_bfc_log(*trace.source, trace.file, tables, sinks.program);
       return {{}, log.facts, log.bytes};
     },
     nullptr,
     {},
     {}},
}};

const FormatRow& row_of(TraceFormat format) { return rows[static_cast<std::size_t>(format)]; }

bool has_ending(TraceFormat format, std::string_view path) {
  return std::ranges::any_of(row_of(format).endings, [&](std::string_view ending) {
    return !ending.empty() && path.ends_with(ending);
  });
}

/// Refuses a dict that is no snapshot; `key` is one that it has, empty for none.
[[noreturn]] void refuse_other_dict(const std::string& file, std::string_view key) {
  refuse_file(file, "a memory snapshot, with 'segments' or 'device_traces'",
              key.empty() ? "a dict without either" : "a dict with '" + std::string(key) + "'");
}

/// PyTorch numbers devices with seven bits.
constexpr std::uint32_t most_devices = 128;

/// Passes a snapshot on and looks whether it has memory: segments or events, perhaps none, of GPUs
/// or, if that will do, of pinned host memory. Refuses devices that no allocator has.
class MemorySections final : public PassingSinks {
 public:
  MemorySections(const std::string& file, const SnapshotTables& tables, NativeSinks next,
                 HostAlone host_alone)
      : PassingSinks(next), file_(file), tables_(tables), host_alone_(host_alone) {}

  void bare_list() override {
    has_memory_ = true;
    PassingSinks::bare_list();
  }
  void section(SnapshotSection section) override {
    has_memory_ = has_memory_ || section == SnapshotSection::segments ||
                  section == SnapshotSection::device_traces;
    PassingSinks::section(section);
  }
  void segment(const SegmentValue& segment) override {
    if (segment.device < 0 || segment.device >= std::int64_t{most_devices})
      refuse_device("segments[" + std::to_string(segment_count_) + "]", segment.device);
    ++segment_count_;
    PassingSinks::segment(segment);
  }
  void device_trace(DeviceIndex device) override {
    if (device.value >= most_devices)
      refuse_device("device_traces[" + std::to_string(device.value) + "]", device.value);
    PassingSinks::device_trace(device);
  }
  void unknown_section(TextId key, const GenericPointer& value) override {
    const std::string_view name = tables_.texts.text(key);
    const bool is_of_host = name == host_segments_key || name == host_traces_key;
    if (is_of_host && host_alone_ == HostAlone::allowed)
      has_memory_ = true;
    else if (!other_)
      other_ = key;
    PassingSinks::unknown_section(key, value);
  }
  void refuse_without_memory() const {
    if (!has_memory_) refuse_other_dict(file_, other_ ? tables_.texts.text(*other_) : "");
  }

 private:
  [[noreturn]] void refuse_device(const std::string& position, std::int64_t device) const {
    throw InputError(
        {file_, position,
         "a device from 0 to " + std::to_string(most_devices - 1) + ", as PyTorch has no others",
         "device " + std::to_string(device)});
  }

  const std::string& file_;
  const SnapshotTables& tables_;
  HostAlone host_alone_;
  std::uint64_t segment_count_ = 0;
  bool has_memory_ = false;
  std::optional<TextId> other_;
};

SnapshotFacts read_sections(OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks,
                            HostAlone host_alone) {
  const FormatRow& row = row_of(trace.format);
  MemorySections sections(trace.file, tables, sinks, host_alone);
  SnapshotFacts facts = row.read(trace, tables, {sections, sinks.program});
  if (trace.format == TraceFormat::snapshot_pickle || trace.format == TraceFormat::snapshot_json)
    sections.refuse_without_memory();
  return facts;
}

}  // namespace

std::string_view trace_format_name(TraceFormat format) { return row_of(format).name; }

bool holds_programs(TraceFormat format) { return row_of(format).holds_programs; }

std::optional<TraceFormat> format_beginning_like(std::string_view bytes) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].begins_like != nullptr && rows[i].begins_like(bytes))
      return static_cast<TraceFormat>(i);
  return std::nullopt;
}

SnapshotFacts read_trace(OpenTrace& trace, SnapshotTables& tables, NativeSinks sinks,
                         HostAlone host_alone) {
  if (trace.memory == ShownMemory::host) {
    HostRecording host(tables, sinks);
    return read_sections(trace, tables, host.sinks(), HostAlone::allowed);
  }
  return read_sections(trace, tables, sinks, host_alone);
}

SnapshotFacts read_snapshot(OpenTrace& trace, SnapshotTables& tables, SnapshotSink& sink) {
  RefusedProgram program(trace.file, "what takes snapshots only");
  return read_trace(trace, tables, {sink, program});
}

std::span<const TraceFormat> written_formats() {
  using enum TraceFormat;
  static constexpr std::array written = {snapshot_pickle, snapshot_json, native_text,
                                         native_binary,   native_script, rmm_log};
  return written;
}

std::vector<std::string> format_options(std::span<const TraceFormat> formats) {
  std::vector<std::string> options;
  for (const TraceFormat format : formats) options.emplace_back(row_of(format).option);
  return options;
}

std::vector<std::string> format_endings(std::span<const TraceFormat> formats) {
  std::vector<std::string> endings;
  for (const TraceFormat format : formats)
    for (const std::string_view ending : row_of(format).endings)
      if (!ending.empty()) endings.emplace_back(ending);
  return endings;
}

std::optional<TraceFormat> find_format(std::string_view path, std::string_view option,
                                       std::span<const TraceFormat> formats) {
  const auto found = std::ranges::find_if(formats, [&](TraceFormat format) {
    return option.empty() ? has_ending(format, path) : row_of(format).option == option;
  });
  if (found == formats.end()) return std::nullopt;
  return *found;
}

TraceFormat output_format(const std::string& path, const std::string& option,
                          std::span<const TraceFormat> formats) {
  if (const auto found = find_format(path, option, formats)) return *found;
  refuse_file(path, "a name that ends in " + listed(format_endings(formats)) + " (or --format)",
              "another ending");
}

std::unique_ptr<TraceWriter> make_trace_writer(TraceFormat format, ByteSink& sink,
                                               const SnapshotTables& tables) {
  check(row_of(format).make_writer != nullptr, "the format is one that is written");
  return row_of(format).make_writer(sink, tables);
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace vramlab::traces
