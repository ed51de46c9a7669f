// NativeValueReader: what NativeSpeller wrote, read back: texts, stacks and values of any shape,
// the lines that give them numbers, and objects of recorded fields. Every number that is referred
// to must have been given before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allocator/types/check.h"
#include "traces/json/json_lines.h"
#include "traces/model/snapshot_fields.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

class NativeValueReader {
 public:
  static constexpr std::size_t most_parts = std::size_t{8} << 20;

  /// The tables must outlive it.
  explicit NativeValueReader(SnapshotTables& tables) : tables_(tables) {}

  // The rest of a line after the number's colon, up to the brace.
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

  /// What a number stands for that an earlier line gave.
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

}  // namespace vramlab::traces
