// The fields of a snapshot's values, and how they are filled from the values that a file has under
// their keys. Readers and writers of all formats share this: the keys that a value has, the type
// that each needs, and the way from a value of any shape to a known one.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>

#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

struct DecodedPool {
  PoolId id;
  /// The file has it as a list.
  bool is_list = false;
};

/// A decoded value under a key. A value of any shape is held by somebody else.
using FieldValue = std::variant<NoneValue, bool, WholeNumber, LongNumber, double, TextId,
                                DecodedPool, StackId, const GenericPointer*>;

/// Such as `-1` or `'a text'`, for messages. Long texts are cut off.
std::string found_text(const FieldValue& value, const TextTable& texts);
std::string found_text(const GenericValue& value, const TextTable& texts);

// The fields of a value: one table says which key belongs to which member, in the order in which
// PyTorch writes them. Readers fill members by it, and writers go through it.

/// A field that only describes decides nothing in a replay.
enum class FieldUse : std::uint8_t { decides, describes };

template <typename Value, typename Member>
struct Field {
  KnownText key;
  Member Value::* member;
  FieldUse use = FieldUse::decides;

  constexpr auto& in(auto& value) const { return value.*member; }
};

template <typename Value, typename Member>
Field(KnownText, Member Value::*) -> Field<Value, Member>;
template <typename Value, typename Member>
Field(KnownText, Member Value::*, FieldUse) -> Field<Value, Member>;

template <typename Id, typename Flag>
struct PoolParts {
  Id& id;
  Flag& is_list;
};
template <typename Id, typename Flag>
PoolParts(Id&, Flag&) -> PoolParts<Id, Flag>;

/// A pool, and whether the file has it as a list.
template <typename Value>
struct PoolField {
  KnownText key;
  FieldUse use = FieldUse::decides;

  constexpr auto in(auto& value) const { return PoolParts{value.pool, value.pool_is_list}; }
};

template <typename Value>
struct FieldTable;
template <>
struct FieldTable<FrameValue> {
  static constexpr std::tuple fields = {
      Field{KnownText::name, &FrameValue::name, FieldUse::describes},
      Field{KnownText::filename, &FrameValue::filename, FieldUse::describes},
      Field{KnownText::line, &FrameValue::line, FieldUse::describes}};
};
template <>
struct FieldTable<TraceEntry> {
  static constexpr std::tuple fields = {
      Field{KnownText::action, &TraceEntry::action},
      Field{KnownText::addr, &TraceEntry::address},
      Field{KnownText::device_free, &TraceEntry::device_free},
      Field{KnownText::size, &TraceEntry::size},
      Field{KnownText::stream, &TraceEntry::stream},
      Field{KnownText::compile_context, &TraceEntry::compile_context, FieldUse::describes},
      Field{KnownText::user_metadata, &TraceEntry::user_metadata, FieldUse::describes},
      Field{KnownText::time_us, &TraceEntry::time_us, FieldUse::describes},
      PoolField<TraceEntry>{KnownText::pool_id},
      Field{KnownText::frames, &TraceEntry::stack},
      Field{KnownText::forward_frames, &TraceEntry::forward_frames},
      Field{KnownText::internal_metadata, &TraceEntry::internal_metadata, FieldUse::describes},
      Field{KnownText::category, &TraceEntry::category, FieldUse::describes}};
};
template <>
struct FieldTable<HistoryEntry> {
  static constexpr std::tuple fields = {Field{KnownText::addr, &HistoryEntry::address},
                                        Field{KnownText::real_size, &HistoryEntry::real_size},
                                        Field{KnownText::frames, &HistoryEntry::stack}};
};
template <>
struct FieldTable<BlockValue> {
  static constexpr std::tuple fields = {
      Field{KnownText::address, &BlockValue::address},
      Field{KnownText::size, &BlockValue::size},
      Field{KnownText::requested_size, &BlockValue::requested_size},
      Field{KnownText::state, &BlockValue::state},
      Field{KnownText::frames, &BlockValue::stack},
      Field{KnownText::history, &BlockValue::history}};
};
template <>
struct FieldTable<SegmentValue> {
  static constexpr std::tuple fields = {
      Field{KnownText::device, &SegmentValue::device},
      Field{KnownText::address, &SegmentValue::address},
      Field{KnownText::total_size, &SegmentValue::total_size},
      Field{KnownText::allocated_size, &SegmentValue::allocated_size},
      Field{KnownText::active_size, &SegmentValue::active_size},
      Field{KnownText::requested_size, &SegmentValue::requested_size},
      Field{KnownText::stream, &SegmentValue::stream},
      Field{KnownText::segment_type, &SegmentValue::segment_type},
      PoolField<SegmentValue>{KnownText::segment_pool_id},
      Field{KnownText::is_expandable, &SegmentValue::is_expandable},
      Field{KnownText::frames, &SegmentValue::stack},
      Field{KnownText::blocks, &SegmentValue::blocks}};
};
template <>
struct FieldTable<AnnotationValue> {
  static constexpr std::tuple fields = {
      Field{KnownText::name, &AnnotationValue::name, FieldUse::describes},
      Field{KnownText::stage, &AnnotationValue::stage, FieldUse::describes},
      Field{KnownText::device, &AnnotationValue::device},
      Field{KnownText::time_us, &AnnotationValue::time_us, FieldUse::describes}};
};

/// The keys that have a field. `blocks` and `history` are filled by the reader itself.
template <typename Value>
struct FieldsOf {
  static constexpr KeySet keys_with(auto is_meant) {
    return std::apply(
        [&](const auto&... field) {
          KeySet keys;
          ((is_meant(field) ? keys.add(field.key) : void()), ...);
          return keys;
        },
        FieldTable<Value>::fields);
  }
  static constexpr KeySet keys = keys_with([](const auto&) { return true; });
  static constexpr KeySet describing =
      keys_with([](const auto& field) { return field.use == FieldUse::describes; });
};

// A value's list of dicts, which readers fill themselves, and its key.
inline std::vector<BlockValue>& dicts_in(SegmentValue& segment) { return segment.blocks; }
inline std::vector<HistoryEntry>& dicts_in(BlockValue& block) { return block.history; }
constexpr bool is_key_of_dicts(KnownText key) {
  return key == KnownText::blocks || key == KnownText::history;
}

/// Fails where a key comes a second time; `tokens` are those of any reader.
template <typename Tokens>
[[noreturn]] void fail_as_repeated(const Tokens& tokens, KnownText key) {
  tokens.fail("each key once", "the key '" + std::string(known_text(key)) + "' again");
}
template <typename Tokens>
void add_once(KeySet& keys, KnownText key, const Tokens& tokens) {
  if (keys.has(key)) fail_as_repeated(tokens, key);
  keys.add(key);
}

/// Calls `on_field(key, member)` in the order of the table until it says true. True if it did.
template <typename Value, typename OnField>
bool any_field(Value& value, const OnField& on_field) {
  return std::apply(
      [&](const auto&... field) { return (on_field(field.key, field.in(value)) || ...); },
      FieldTable<std::remove_const_t<Value>>::fields);
}

/// Calls `on_field(key, member)` for all fields whose keys are in a set.
template <typename Value, typename OnField>
void each_field(Value& value, KeySet keys, const OnField& on_field) {
  any_field(value, [&](KnownText key, const auto& member) {
    if (keys.has(key)) on_field(key, member);
    return false;
  });
}

/// The latest time whose nanoseconds fit into 64 bits; a later number is no time.
inline constexpr std::uint64_t latest_time_us = std::numeric_limits<std::uint64_t>::max() / 1000;

/// The same value for an unknown field. Null for a pool or a stack.
std::optional<GenericPointer> generic_from_field(const FieldValue& value);

/// Fills the field of `key` and notes that the key was there. If the field only describes, a
/// value that does not fit is kept as it is, beside the unknown keys, and the field counts as not
/// there. A key that comes again replaces the one before. Null, or what the field needs instead,
/// with nothing changed.
template <typename Value>
const char* put_field(Value& value, KnownText key, const FieldValue& field);

/// For an entry whose time was set unchecked: a number that is no time is kept as put_field() does
/// it.
void keep_if_no_time(TraceEntry& entry);

/// Whether the dict that was read as a segment is an event: a list of events alone looks like a
/// list of segments.
bool is_event(const SegmentValue& segment);

/// Gives blocks without an address (old formats) theirs: each begins where the block before ends.
void count_up_addresses(SegmentValue& segment);

/// A value of any shape as the type that `key` needs: a list under `frames` becomes a stack, two
/// numbers under a pool's key a pool. A value that does not fit stays as it is.
FieldValue field_from_generic(const GenericPointer& value, KnownText key, SnapshotTables& tables);

/// Null if the value is not a frame's dict.
std::optional<FrameId> frame_from_generic(const GenericPointer& value, SnapshotTables& tables);

/// The key that a text is; null if it is no known key.
constexpr std::optional<KnownText> known_key(TextId text) {
  if (text.value >= known_key_count) return std::nullopt;
  return static_cast<KnownText>(text.value);
}

}  // namespace vramlab::traces
