// NativeRecordReader: takes the records of a native trace line by line, checks that each stands
// where it may, and gives them to the sinks. Both forms of the trace are read through it; where the
// lines come from is left to the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "traces/model/program_sink.h"
#include "traces/model/snapshot_sink.h"
#include "traces/native/native_value_reader.h"

namespace vramlab::traces {

class NativeRecordReader {
 public:
  /// Tables and sinks must outlive it.
  NativeRecordReader(SnapshotTables& tables, NativeSinks sinks)
      : texts_(tables.texts), values_(tables), sinks_(sinks) {}

  /// All lines up to the end of the tokens.
  void read_lines(JsonLines& json);
  /// The lines that fill a chunk of a binary trace, from this byte on.
  void read_chunk(JsonInput chunk, std::uint64_t byte, std::uint64_t bytes);
  /// At the end of the trace: fails where something is missing.
  void finish(JsonLines& json) const;

  // For records that are no lines. Each says what is expected instead where it may not stand here.
  const char* fault_of_entry() const;
  const char* fault_of_program_event() const;
  const char* fault_of_end() const;
  /// In the version that the header says.
  bool has_kind(ProgramEventKind kind) const { return trace_version_of(kind) <= version_; }
  DeviceIndex device() const { return device_; }
  const NativeValueReader& values() const { return values_; }
  NativeSinks sinks() const { return sinks_; }

 private:
  enum class Place : std::uint8_t { between, segments, traces, annotations };
  struct RecordRow;
  static const RecordRow rows[];

  void read_record(JsonLines& json);
  void read_header(JsonLines& json);
  unsigned read_header_field(JsonLines& json, TraceHeader& header);
  void read_device(JsonLines& json, TraceDevice& device);
  void read_end(JsonLines& json);
  void read_bare_list(JsonLines& json);
  void read_section(JsonLines& json);
  void read_segment(JsonLines& json);
  void read_block(JsonLines& json);
  void read_trace(JsonLines& json);
  void read_entry(JsonLines& json);
  void read_settings(JsonLines& json);
  void read_annotation(JsonLines& json);
  void read_unknown_section(JsonLines& json);
  void read_program_event(JsonLines& json, ProgramEventKind kind);
  void read_program_field(JsonLines& json, ProgramEvent& event, ProgramField field);
  struct SeenName {
    std::string_view letters;
    std::uint32_t& seen;
  };
  bool read_common_field(JsonLines& json, ProgramEvent& event, SeenName name);
  void begin_section(JsonLines& json, SnapshotSection section);
  void give_segment_if_complete();

  TextTable& texts_;
  NativeValueReader values_;
  NativeSinks sinks_;
  bool has_header_ = false;
  std::uint32_t version_ = 1;
  /// The header promises a line that ends the trace.
  bool has_end_ = false;
  bool is_ended_ = false;
  bool has_top_ = false;
  bool is_bare_list_ = false;
  std::uint8_t sections_ = 0;
  Place place_ = Place::between;
  DeviceIndex device_;
  std::uint32_t trace_count_ = 0;
  std::optional<SegmentValue> segment_;
  std::uint64_t missing_blocks_ = 0;
};

}  // namespace vramlab::traces
