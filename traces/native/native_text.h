// Reads the text form of a native trace (docs/reference/trace_format.md), record by record, so no
// file is held as a whole: NativeRecordReader reads the lines, NativeValueReader the values in
// them. The binary form has the same lines, and is read by these too. Throws InputError at the
// first byte that is not as it must be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allocator/types/check.h"
#include "traces/io/byte_source.h"
#include "traces/json/json_tokens.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_fields.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

/// True if a file with these first bytes (a few dozen will do) says that it is a native trace.
bool begins_like_native_text(std::string_view bytes);

/// `file` is the input's name for messages. Returns the bytes of the text, unpacked.
std::uint64_t read_native_text(ByteSource& source, const std::string& file, SnapshotTables& tables,
                               NativeSinks sinks);

/// Reads texts, stacks and values of any shape, the lines that give them numbers, and objects of
/// recorded fields, as NativeSpeller writes them. A line must give a number before another refers
/// to it.
class NativeValueReader {
 public:
  static constexpr std::size_t most_parts = std::size_t{8} << 20;

  /// The tables must outlive it.
  explicit NativeValueReader(SnapshotTables& tables) : tables_(tables) {}

  // Each reads the rest of a line after the number's colon, up to the brace.
  void define_text(JsonLines& json);
  void define_frame(JsonLines& json);
  void define_stack(JsonLines& json);
  void define_value(JsonLines& json);
  void define_shape(JsonLines& json);

  /// For messages.
  std::string found(const GenericValue& value) const { return found_text(value, tables_.texts); }

  TextId text(JsonLines& json);
  /// A key of an object, without its colon.
  TextId key(JsonLines& json);
  StackId stack(JsonLines& json);
  PoolId pool(JsonLines& json);
  GenericPointer value(JsonLines& json);

  /// An object of fields. Each field once; a key without a field is an unknown one.
  template <typename Value>
  void fields(JsonLines& json, Value& value);

  /// The number of blocks that follow the last segment, as it says; 0 from then on.
  std::uint64_t take_announced_blocks() { return std::exchange(announced_blocks_, 0); }

  // By the numbers that binary records hold.
  std::size_t text_count() const { return texts_.size(); }
  std::size_t stack_count() const { return stacks_.size() + 1; }
  TextId text(std::uint32_t number) const { return texts_[number - 1]; }
  StackId stack(std::uint32_t number) const {
    return number == 0 ? StackId{} : stacks_[number - 1];
  }

  std::size_t shape_count() const { return shapes_.size(); }
  /// An entry of that shape, with all numbers 0.
  const TraceEntry& shape(std::uint32_t number) const { return shapes_[number - 1]; }

  /// `,"name":` of a record, without anything between.
  static void next_name(JsonLines& json, std::string_view name);
  static void take_name(JsonLines& json, std::string_view name);

 private:
  void take_number(JsonLines& json, std::size_t count_before);
  template <typename Value>
  void field(JsonLines& json, Value& value, KnownText key);
  FieldValue scalar_field(JsonLines& json);
  FieldValue pool_field(JsonLines& json);
  void history(JsonLines& json, std::vector<HistoryEntry>& history);

  /// The item of a number that an earlier line gave.
  template <typename Item>
  static const Item& above(JsonLines& json, const std::vector<Item>& items, const char* kind) {
    const std::uint64_t number = json.unsigned_number();
    if (number == 0 || number > items.size())
      json.fail(std::string("the number of a ") + kind + " above", std::to_string(number));
    return items[as_index(number - 1)];
  }
  void open_level(const JsonLines& json);
  GenericPointer part(JsonLines& json);
  GenericPointer object(JsonLines& json);
  GenericPointer special(JsonLines& json, std::string_view name);
  GenericPointer real_of_bits(JsonLines& json);
  GenericDict pairs(JsonLines& json);
  GenericDict dict_from(JsonLines& json, TextId first_key);
  std::vector<GenericPointer> items(JsonLines& json);
  static GenericPointer close(JsonLines& json, GenericPointer value);
  TextId key_from(JsonLines& json, std::string_view letters);

  SnapshotTables& tables_;
  std::vector<TextId> texts_;
  std::vector<FrameId> frames_;
  std::vector<StackId> stacks_;
  std::vector<GenericPointer> values_;
  std::vector<TraceEntry> shapes_;
  /// The parts of values that are kept, and of the one at hand.
  std::size_t kept_parts_ = 0;
  std::size_t part_count_ = 0;
  std::uint32_t open_count_ = 0;
  std::uint64_t announced_blocks_ = 0;
};

extern template void NativeValueReader::fields(JsonLines&, FrameValue&);
extern template void NativeValueReader::fields(JsonLines&, TraceEntry&);
extern template void NativeValueReader::fields(JsonLines&, SegmentValue&);
extern template void NativeValueReader::fields(JsonLines&, BlockValue&);
extern template void NativeValueReader::fields(JsonLines&, AnnotationValue&);

/// Takes the records of a native trace line by line, checks that each stands where it may, and
/// gives them to the sinks. Both forms of the trace are read through it; the caller brings the
/// lines.
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

  // For records that are no lines: null, or the sentence of what is expected instead of it here.
  const char* fault_of_entry() const;
  const char* fault_of_program_event() const;
  const char* fault_of_end() const;
  /// True if the version that the header says has this kind.
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
