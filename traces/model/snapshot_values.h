// What a memory snapshot holds, as values: segments with blocks, trace entries, annotations, and
// values of any shape for what no field is known for. Texts, frames and stacks are ids into
// SnapshotTables, so a value is small however often its stack appears.
//
// Each value says which of its keys the file had (`keys`); a field without its key is at its
// default. Numbers are exact; those that can be written signed or unsigned (addresses, streams)
// are kept as their 64 bits.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "traces/model/known_texts.h"

namespace vramlab::traces {

struct TextId {
  std::uint32_t value = static_cast<std::uint32_t>(KnownText::empty);
  constexpr TextId() = default;
  constexpr explicit TextId(std::uint32_t id) : value(id) {}
  // A known text is an id: writing it where one is wanted is the point.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr explicit(false) TextId(KnownText known) : value(static_cast<std::uint32_t>(known)) {}
  friend constexpr auto operator<=>(TextId, TextId) = default;
};

struct FrameId {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(FrameId, FrameId) = default;
};

/// Stack 0 is the one without frames.
struct StackId {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(StackId, StackId) = default;
};

/// Which of the known keys were there.
class KeySet {
 public:
  constexpr bool has(KnownText key) const { return (bits_ & bit(key)) != 0; }
  constexpr void add(KnownText key) { bits_ |= bit(key); }
  constexpr void remove(KnownText key) { bits_ &= ~bit(key); }
  constexpr void add_all(KeySet keys) { bits_ |= keys.bits_; }
  /// Bit n is the key with number n.
  constexpr std::uint64_t bits() const { return bits_; }
  friend constexpr bool operator==(KeySet, KeySet) = default;

 private:
  static constexpr std::uint64_t bit(KnownText key) {
    return std::uint64_t{1} << static_cast<std::uint32_t>(key);
  }
  std::uint64_t bits_ = 0;
};

/// An integer from -2^63 to 2^64 - 1: its 64 bits, and whether they are to be read as negative.
struct WholeNumber {
  std::uint64_t bits = 0;
  bool is_negative = false;
  friend bool operator==(WholeNumber, WholeNumber) = default;
};

/// An integer of more bits, as its decimal digits, behind a `-` where it is below 0.
struct LongNumber {
  TextId digits;
  friend bool operator==(LongNumber, LongNumber) = default;
};

/// A value of any shape. Shared where the file shares it: a consumer that walks it as a tree must
/// limit how much it walks. Never deeper than `deepest_generic_value`, and never part of itself.
struct GenericValue;
using GenericPointer = std::shared_ptr<const GenericValue>;
inline constexpr std::uint32_t deepest_generic_value = 64;

struct NoneValue {
  friend bool operator==(NoneValue, NoneValue) = default;
};
struct GenericList {
  std::vector<GenericPointer> items;
};
struct GenericTuple {
  std::vector<GenericPointer> items;
};
struct GenericDict {
  /// In the order of the file. A key that comes twice is there twice; the last one counts.
  std::vector<std::pair<GenericPointer, GenericPointer>> items;
};

struct GenericValue {
  std::variant<NoneValue, bool, WholeNumber, LongNumber, double, TextId, GenericList, GenericTuple,
               GenericDict>
      content;
  /// 0 for a value without parts.
  std::uint32_t depth = 0;
};

/// What is under a key without a field, or under one whose field only describes and has no room for
/// such a value.
struct UnknownField {
  TextId key;
  GenericPointer value;
};

struct FrameValue {
  TextId name;
  TextId filename;
  /// Below 0 where PyTorch knew none.
  std::int64_t line = 0;
  KeySet keys;
  std::vector<UnknownField> unknown;
};

struct TraceEntry {
  TextId action;
  Address address;
  /// An `oom` has it instead of an address.
  Bytes device_free;
  Bytes size;
  StreamId stream;
  std::uint64_t time_us = 0;
  PoolId pool;
  /// Some scripts write a list where PyTorch writes a tuple.
  bool pool_is_list = false;
  StackId stack;
  TextId compile_context;
  TextId user_metadata;
  TextId internal_metadata;
  TextId category;
  std::vector<TextId> forward_frames;
  KeySet keys;
  std::vector<UnknownField> unknown;
};

/// What was asked for in a block, latest last: only old formats have it.
struct HistoryEntry {
  Address address;
  Bytes real_size;
  StackId stack;
  KeySet keys;
  std::vector<UnknownField> unknown;
};

struct BlockValue {
  /// Counted up from the segment's if the file has none (old formats).
  Address address;
  Bytes size;
  Bytes requested_size;
  TextId state;
  StackId stack;
  std::vector<HistoryEntry> history;
  KeySet keys;
  std::vector<UnknownField> unknown;
};

struct SegmentValue {
  std::int64_t device = 0;
  Address address;
  Bytes total_size;
  Bytes allocated_size;
  Bytes active_size;
  Bytes requested_size;
  StreamId stream;
  TextId segment_type;
  PoolId pool;
  /// Some scripts write a list where PyTorch writes a tuple.
  bool pool_is_list = false;
  bool is_expandable = false;
  StackId stack;
  std::vector<BlockValue> blocks;
  KeySet keys;
  std::vector<UnknownField> unknown;
};

struct AnnotationValue {
  TextId name;
  /// START or END
  TextId stage;
  std::int64_t device = 0;
  std::uint64_t time_us = 0;
  KeySet keys;
  std::vector<UnknownField> unknown;
};

}  // namespace vramlab::traces
