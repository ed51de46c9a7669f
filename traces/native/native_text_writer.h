// NativeRecordWriter: a sink of both kinds that spells each record of a native trace as a line, in
// the order in which they come (docs/reference/trace_format.md). NativeSpeller spells the texts,
// stacks and values in it: a long or repeated one is written once, in a line of its own before the
// line that needs it, and referred to by number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "allocator/types/check.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

/// A definition gives a number to a text, stack or value; it may stand anywhere before the lines
/// that refer to it.
enum class LineKind : std::uint8_t { definition, record };

/// Takes whole lines of a native trace.
class LineSink : public Interface {
 public:
  /// Without the line's end.
  virtual void line(std::string_view line, LineKind kind) = 0;
};

class NativeSpeller {
 public:
  /// Both must outlive it. The ids are those of the tables.
  NativeSpeller(LineSink& lines, const SnapshotTables& tables) : lines_(lines), tables_(tables) {}

  // Each appends to a line that is not yet written; the lines that it needs are written first.
  void add_text(std::string& line, TextId text);
  void add_key(std::string& line, TextId key);
  void add_value(std::string& line, const GenericPointer& value);
  /// For a value that comes once: it is never a reference, even if somebody else holds it.
  void add_root(std::string& line, const GenericPointer& value) { add_parts(line, *value); }

  // The number in the file; a new one gets its line first.
  std::uint32_t text_number(TextId text);
  std::uint32_t stack_number(StackId stack);

 private:
  enum : std::uint32_t { not_seen = 0, in_place = UINT32_MAX };

  std::uint32_t frame_number(FrameId id);
  std::uint32_t value_number(const GenericPointer& value);
  void add_parts(std::string& line, const GenericValue& value);
  void add_dict(std::string& line, const GenericDict& dict);
  void add_items(std::string& line, const std::vector<GenericPointer>& items);
  bool stands_in_place(TextId text);
  static void add_reference(std::string& line, std::string_view kind, std::uint32_t number);

  LineSink& lines_;
  const SnapshotTables& tables_;
  // By id: the number in the file.
  std::vector<std::uint32_t> texts_;
  std::vector<std::uint32_t> frames_;
  std::vector<std::uint32_t> stacks_;
  /// Values that were written are kept, so that no other value gets their address. Looked up only;
  /// the order is never seen.
  struct Written {
    GenericPointer value;
    std::uint32_t number = 0;
  };
  std::unordered_map<const GenericValue*, Written> values_;
  std::uint32_t text_count_ = 0;
  std::uint32_t frame_count_ = 0;
  std::uint32_t stack_count_ = 0;
};

/// Appends the recorded fields of a value as an object: the keys that the file had, in PyTorch's
/// order with unknown keys behind. Stacks are numbers; a segment's blocks are their count, as they
/// stand in lines of their own.
template <typename Value>
void add_fields(std::string& line, NativeSpeller& speller, const Value& value);

/// Appends the value of a field in an event of a program.
void add_program_field(std::string& line, NativeSpeller& speller, const ProgramEvent& event,
                       ProgramField field);

class NativeRecordWriter : public SnapshotSink, public ProgramSink {
 public:
  /// The tables are those of the sinks' caller. Both must live as long.
  NativeRecordWriter(LineSink& lines, const SnapshotTables& tables);

  /// Without a header, a trace says that it is from a snapshot. Requires: no record came before.
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
