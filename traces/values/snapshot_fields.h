// How the fields of a snapshot's values are filled from what a file has under a key. Readers of all
// formats share this: which keys a value has, which type each needs, and how a value of any shape
// becomes one of the known ones.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>

#include "traces/values/snapshot_tables.h"
#include "traces/values/snapshot_values.h"

namespace vramlab::traces {

/// One decoded value under a key.
struct FieldValue {
  enum class Kind : std::uint8_t {
    none,
    boolean,
    whole,
    /// Of more than 64 bits.
    long_whole,
    real,
    text,
    pool,
    stack,
    generic
  };

  Kind kind = Kind::none;
  bool is_negative = false;
  /// Of a number or a boolean.
  std::uint64_t bits = 0;
  /// Of a text; of a long number the digits.
  TextId text;
  StackId stack;
  allocator::PoolId pool;
  bool pool_is_list = false;
  /// Of a value of any shape; looks at somebody else's.
  const GenericPointer* generic = nullptr;
};

/// Such as `-1` or `'a text'`, for messages. Long ones are cut off.
std::string found_text(const FieldValue& value, const TextTable& texts);
std::string found_text(const GenericValue& value, const TextTable& texts);

constexpr KeySet keys_of(std::initializer_list<KnownText> keys) {
  KeySet set;
  for (const KnownText key : keys) set.add(key);
  return set;
}

/// The keys that have a field. `blocks` and `history` are filled by the reader itself. Those that
/// only describe decide nothing in a replay.
template <typename Value>
struct FieldsOf;
template <>
struct FieldsOf<FrameValue> {
  static constexpr KeySet keys = keys_of({KnownText::name, KnownText::filename, KnownText::line});
  static constexpr KeySet describing = keys;
};
template <>
struct FieldsOf<TraceEntry> {
  static constexpr KeySet keys =
      keys_of({KnownText::action, KnownText::addr, KnownText::device_free, KnownText::size,
               KnownText::stream, KnownText::time_us, KnownText::pool_id, KnownText::frames,
               KnownText::forward_frames, KnownText::compile_context, KnownText::user_metadata,
               KnownText::internal_metadata, KnownText::category});
  static constexpr KeySet describing =
      keys_of({KnownText::time_us, KnownText::compile_context, KnownText::user_metadata,
               KnownText::internal_metadata, KnownText::category});
};
template <>
struct FieldsOf<HistoryEntry> {
  static constexpr KeySet keys =
      keys_of({KnownText::addr, KnownText::real_size, KnownText::frames});
  static constexpr KeySet describing{};
};
template <>
struct FieldsOf<BlockValue> {
  static constexpr KeySet keys =
      keys_of({KnownText::address, KnownText::size, KnownText::requested_size, KnownText::state,
               KnownText::frames, KnownText::history});
  static constexpr KeySet describing{};
};
template <>
struct FieldsOf<SegmentValue> {
  static constexpr KeySet keys =
      keys_of({KnownText::device, KnownText::address, KnownText::total_size,
               KnownText::allocated_size, KnownText::active_size, KnownText::requested_size,
               KnownText::stream, KnownText::segment_type, KnownText::segment_pool_id,
               KnownText::is_expandable, KnownText::frames, KnownText::blocks});
  static constexpr KeySet describing{};
};
template <>
struct FieldsOf<AnnotationValue> {
  static constexpr KeySet keys =
      keys_of({KnownText::name, KnownText::stage, KnownText::device, KnownText::time_us});
  static constexpr KeySet describing =
      keys_of({KnownText::name, KnownText::stage, KnownText::time_us});
};

/// Each fills the field of `key` and says null, or says what the field needs instead and changes
/// nothing. Requires: the key is one of the value's. `keys` is left to the caller.
const char* set_field(FrameValue& frame, KnownText key, const FieldValue& value);
const char* set_field(TraceEntry& entry, KnownText key, const FieldValue& value);
const char* set_field(HistoryEntry& entry, KnownText key, const FieldValue& value);
const char* set_field(BlockValue& block, KnownText key, const FieldValue& value);
const char* set_field(SegmentValue& segment, KnownText key, const FieldValue& value);
const char* set_field(AnnotationValue& annotation, KnownText key, const FieldValue& value);

/// The latest time whose nanoseconds fit into 64 bits; what is later is no time.
inline constexpr std::uint64_t latest_time_us = std::numeric_limits<std::uint64_t>::max() / 1000;

/// The same value for an unknown field. Nothing of a pool or a stack.
std::optional<GenericPointer> generic_from_field(const FieldValue& value);

/// Fills the field of `key` and notes that the key was there. Where the field only describes, a
/// value that does not fit is kept as it is, beside the unknown keys, and the field counts as not
/// there. Null, or what the field needs instead, with nothing changed.
template <typename Value>
const char* put_field(Value& value, KnownText key, const FieldValue& field) {
  const char* const needed = set_field(value, key, field);
  if (needed == nullptr) {
    value.keys.add(key);
    return nullptr;
  }
  if (!FieldsOf<Value>::describing.has(key)) return needed;
  auto kept = generic_from_field(field);
  if (!kept) return needed;
  value.unknown.push_back({TextId(key), *std::move(kept)});
  return nullptr;
}

/// Of an entry whose time was set without looking: what is no time is kept as put_field() does it.
void keep_if_no_time(TraceEntry& entry);

/// Blocks without an address (old formats) get theirs: each begins where the one before ends.
void count_up_addresses(SegmentValue& segment);

/// A value of any shape as what `key` needs: a list under `frames` becomes a stack, two numbers
/// under a pool's key a pool. Where it does not fit, it stays as it is.
FieldValue field_from_generic(const GenericPointer& value, KnownText key, SnapshotTables& tables);

/// Nothing where it is not a frame's dict.
std::optional<FrameId> frame_from_generic(const GenericPointer& value, SnapshotTables& tables);

/// The known key that a text is.
constexpr std::optional<KnownText> known_key(TextId text) {
  if (text.value >= known_key_count) return std::nullopt;
  return static_cast<KnownText>(text.value);
}

}  // namespace vramlab::traces
