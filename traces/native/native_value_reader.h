// NativeValueReader: what NativeSpeller wrote, read back: texts, stacks and values of any shape,
// the lines that give them numbers, and objects of recorded fields. Every number that is referred
// to must have been given before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/json/json_scanner.h"
#include "traces/values/snapshot_fields.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::traces {

class NativeValueReader {
 public:
  static constexpr std::size_t most_parts = std::size_t{8} << 20;

  /// The tables must outlive it.
  explicit NativeValueReader(SnapshotTables& tables) : tables_(tables) {}

  // The rest of a line after the number's colon, up to the brace.
  void define_text(JsonScanner& json);
  void define_frame(JsonScanner& json);
  void define_stack(JsonScanner& json);
  void define_value(JsonScanner& json);
  void define_shape(JsonScanner& json);

  /// For messages.
  std::string found(const GenericValue& value) const { return found_text(value, tables_.texts); }

  TextId text(JsonScanner& json);
  /// Of an object, without its colon.
  TextId key(JsonScanner& json);
  StackId stack(JsonScanner& json);
  allocator::PoolId pool(JsonScanner& json);
  GenericPointer value(JsonScanner& json);

  /// An object of fields. Each field once; a key without a field is an unknown one.
  template <typename Value>
  void fields(JsonScanner& json, Value& value);

  /// How many blocks the last segment says that follow it; 0 from then on.
  std::uint64_t take_announced_blocks() { return std::exchange(announced_blocks_, 0); }

  // By the numbers that binary records hold.
  std::size_t text_count() const { return texts_.size(); }
  std::size_t stack_count() const { return stacks_.size() + 1; }
  TextId text(std::uint32_t number) const { return texts_[number - 1]; }
  StackId stack(std::uint32_t number) const {
    return number == 0 ? StackId{} : stacks_[number - 1];
  }

  std::size_t shape_count() const { return shapes_.size(); }
  /// An entry of that shape, all numbers 0.
  const TraceEntry& shape(std::uint32_t number) const { return shapes_[number - 1]; }

  /// `,"name":` of a record. Nothing may come between.
  static void next_name(JsonScanner& json, std::string_view name);
  static void take_name(JsonScanner& json, std::string_view name);

 private:
  void take_number(JsonScanner& json, std::size_t count_before);
  template <typename Value>
  void field(JsonScanner& json, Value& value, KnownText key);
  FieldValue scalar_field(JsonScanner& json);
  FieldValue number_field(JsonScanner& json);
  FieldValue pool_field(JsonScanner& json);
  void history(JsonScanner& json, std::vector<HistoryEntry>& history);

  GenericPointer part(JsonScanner& json);
  GenericPointer object(JsonScanner& json);
  GenericPointer special(JsonScanner& json, std::string_view name);
  GenericPointer real_of_bits(JsonScanner& json);
  GenericDict pairs(JsonScanner& json);
  GenericDict dict_from(JsonScanner& json, TextId first_key);
  std::vector<GenericPointer> items(JsonScanner& json);
  GenericPointer close(JsonScanner& json, GenericValue value);
  TextId key_from(JsonScanner& json, std::string_view letters);

  SnapshotTables& tables_;
  std::vector<TextId> texts_;
  std::vector<FrameId> frames_;
  std::vector<StackId> stacks_;
  std::vector<GenericPointer> values_;
  std::vector<TraceEntry> shapes_;
  /// Of values that are kept, and of the one at hand.
  std::size_t kept_parts_ = 0;
  std::size_t part_count_ = 0;
  std::uint32_t open_count_ = 0;
  std::uint64_t announced_blocks_ = 0;
};

extern template void NativeValueReader::fields(JsonScanner&, FrameValue&);
extern template void NativeValueReader::fields(JsonScanner&, TraceEntry&);
extern template void NativeValueReader::fields(JsonScanner&, SegmentValue&);
extern template void NativeValueReader::fields(JsonScanner&, BlockValue&);
extern template void NativeValueReader::fields(JsonScanner&, AnnotationValue&);

}  // namespace vramlab::traces
