// NativeRecordReader: takes the records of a native trace line by line, checks that each stands
// where it may, and gives them to the sinks. Both forms of the trace are read through it; where the
// lines come from is left to the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "traces/native/native_value_reader.h"
#include "traces/values/program_sink.h"
#include "traces/values/snapshot_sink.h"

namespace vramlab::traces {

class NativeRecordReader {
 public:
  /// Tables and sinks must outlive it.
  NativeRecordReader(SnapshotTables& tables, NativeSinks sinks) : values_(tables), sinks_(sinks) {}

  /// All lines up to the end of what the scanner reads.
  void read_lines(JsonScanner& json);
  /// At the end of the trace: fails where something is missing.
  void finish(JsonScanner& json) const;

  // For records that are no lines. Each says what is expected instead where it may not stand here.
  const char* fault_of_entry() const;
  const char* fault_of_program_event() const;
  const char* fault_of_end() const;
  DeviceIndex device() const { return device_; }
  const NativeValueReader& values() const { return values_; }

 private:
  enum class Place : std::uint8_t { between, segments, traces, annotations };
  struct RecordRow;
  static const RecordRow rows[];

  void read_record(JsonScanner& json);
  void read_header(JsonScanner& json);
  unsigned read_header_field(JsonScanner& json, TraceHeader& header);
  void read_device(JsonScanner& json, TraceDevice& device);
  void read_end(JsonScanner& json);
  void read_bare_list(JsonScanner& json);
  void read_section(JsonScanner& json);
  void read_segment(JsonScanner& json);
  void read_block(JsonScanner& json);
  void read_trace(JsonScanner& json);
  void read_entry(JsonScanner& json);
  void read_settings(JsonScanner& json);
  void read_annotation(JsonScanner& json);
  void read_unknown_section(JsonScanner& json);
  void read_program_event(JsonScanner& json, ProgramEventKind kind);
  void read_program_field(JsonScanner& json, ProgramEvent& event, ProgramField field);
  struct SeenName {
    std::string_view letters;
    std::uint32_t& seen;
  };
  bool read_common_field(JsonScanner& json, ProgramEvent& event, SeenName name);
  void begin_section(JsonScanner& json, SnapshotSection section);
  void give_segment_if_complete();

  NativeValueReader values_;
  NativeSinks sinks_;
  bool has_header_ = false;
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
