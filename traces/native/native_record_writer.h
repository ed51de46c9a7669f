// NativeRecordWriter: a sink of both kinds that spells each record of a native trace as a line, in
// the order in which they come (docs/reference/trace_format.md).
#pragma once

#include <string>
#include <string_view>

#include "traces/model/program_sink.h"
#include "traces/model/snapshot_sink.h"
#include "traces/native/native_speller.h"

namespace vramlab::traces {

class NativeRecordWriter : public SnapshotSink, public ProgramSink {
 public:
  /// The tables are those of whoever calls the sinks. Both must live as long.
  NativeRecordWriter(LineSink& lines, const SnapshotTables& tables);

  /// Without it, a trace says that it is from a snapshot. Requires: nothing came before.
  void header(const TraceHeader& header) override;
  void program_event(const ProgramEvent& event) override;

  void bare_list() override;
  void section(SnapshotSection section) override;
  void segment(const SegmentValue& segment) override;
  void device_trace(DeviceIndex device) override;
  void trace_entry(DeviceIndex device, const TraceEntry& entry) override;
  void settings(const GenericPointer& settings) override;
  void annotation(const AnnotationValue& annotation) override;
  void unknown_section(TextId key, const GenericPointer& value) override;

  /// After the last record: without it, a reader takes the trace for one that was cut off.
  void finish();

 protected:
  void write_missing_header();
  /// Also writes a missing header.
  void check_version(const ProgramEvent& event);
  NativeSpeller& speller() { return speller_; }

 private:
  void begin(std::string_view kind);
  void end();
  template <typename Value>
  void write_fields(std::string_view kind, const Value& value);

  LineSink& lines_;
  NativeSpeller speller_;
  bool has_header_ = false;
  std::uint32_t version_ = 1;
  std::string line_;
};

}  // namespace vramlab::traces
