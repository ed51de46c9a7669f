// How the fields of a snapshot's values are filled from what a file has under a key. Readers of all
// formats share this: which keys a value has, which type each needs, and how a value of any shape
// becomes one of the known ones.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "traces/values/snapshot_tables.h"
#include "traces/values/snapshot_values.h"

namespace vramlab::traces {

/// One decoded value under a key.
struct FieldValue {
  enum class Kind : std::uint8_t { none, boolean, whole, real, text, pool, stack, generic };

  Kind kind = Kind::none;
  bool is_negative = false;
  /// Of a number or a boolean.
  std::uint64_t bits = 0;
  TextId text;
  StackId stack;
  allocator::PoolId pool;
  bool pool_is_list = false;
  /// Of a value of any shape; looks at somebody else's.
  const GenericPointer* generic = nullptr;
};

/// Such as `a list`, for messages.
const char* name_of_kind(FieldValue::Kind kind);

constexpr KeySet keys_of(std::initializer_list<KnownText> keys) {
  KeySet set;
  for (const KnownText key : keys) set.add(key);
  return set;
}

/// The keys that have a field. `blocks` and `history` are filled by the reader itself.
template <typename Value>
struct FieldsOf;
template <>
struct FieldsOf<FrameValue> {
  static constexpr KeySet keys = keys_of({KnownText::name, KnownText::filename, KnownText::line});
};
template <>
struct FieldsOf<TraceEntry> {
  static constexpr KeySet keys =
      keys_of({KnownText::action, KnownText::addr, KnownText::device_free, KnownText::size,
               KnownText::stream, KnownText::time_us, KnownText::pool_id, KnownText::frames,
               KnownText::forward_frames, KnownText::compile_context, KnownText::user_metadata,
               KnownText::internal_metadata, KnownText::category});
};
template <>
struct FieldsOf<HistoryEntry> {
  static constexpr KeySet keys =
      keys_of({KnownText::addr, KnownText::real_size, KnownText::frames});
};
template <>
struct FieldsOf<BlockValue> {
  static constexpr KeySet keys =
      keys_of({KnownText::address, KnownText::size, KnownText::requested_size, KnownText::state,
               KnownText::frames, KnownText::history});
};
template <>
struct FieldsOf<SegmentValue> {
  static constexpr KeySet keys =
      keys_of({KnownText::device, KnownText::address, KnownText::total_size,
               KnownText::allocated_size, KnownText::active_size, KnownText::requested_size,
               KnownText::stream, KnownText::segment_type, KnownText::segment_pool_id,
               KnownText::is_expandable, KnownText::frames, KnownText::blocks});
};
template <>
struct FieldsOf<AnnotationValue> {
  static constexpr KeySet keys =
      keys_of({KnownText::name, KnownText::stage, KnownText::device, KnownText::time_us});
};

/// Each fills the field of `key` and says null, or says what the field needs instead and changes
/// nothing. Requires: the key is one of the value's. `keys` is left to the caller.
const char* set_field(FrameValue& frame, KnownText key, const FieldValue& value);
const char* set_field(TraceEntry& entry, KnownText key, const FieldValue& value);
const char* set_field(HistoryEntry& entry, KnownText key, const FieldValue& value);
const char* set_field(BlockValue& block, KnownText key, const FieldValue& value);
const char* set_field(SegmentValue& segment, KnownText key, const FieldValue& value);
const char* set_field(AnnotationValue& annotation, KnownText key, const FieldValue& value);

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
