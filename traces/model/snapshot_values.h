// A memory snapshot as values: segments with blocks, trace entries, annotations, and values of any
// shape under keys without a field; and SnapshotSink, which takes them from a reader. Texts, frames
// and stacks are ids into SnapshotTables, so a value is small however often its stack appears.
//
// Each value says which of its keys the file had (`keys`); a field without its key is at its
// default. Numbers are exact; numbers that can be written signed or unsigned (addresses, streams)
// are kept as their 64 bits.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"

namespace vramlab::traces {

/// The words that memory snapshots are made of. A TextTable holds them from the start, each under
/// the number that it has here, so that a reader tells a key by its id and compares no letters.
/// Keys come first: KeySet has a bit for each of them.
enum class KnownText : std::uint32_t {
  action,
  addr,
  device_free,
  size,
  stream,
  time_us,
  pool_id,
  frames,
  forward_frames,
  compile_context,
  user_metadata,
  internal_metadata,
  category,
  name,
  filename,
  line,
  device,
  address,
  total_size,
  allocated_size,
  active_size,
  requested_size,
  segment_type,
  segment_pool_id,
  is_expandable,
  blocks,
  state,
  history,
  real_size,
  stage,
  segments,
  device_traces,
  allocator_settings,
  external_annotations,
  // Words that are no keys, or keys of other places.
  empty,
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  snapshot,
  oom,
  annotate,
  active_allocated,
  active_pending_free,
  active_awaiting_free,
  inactive,
  large,
  small,
  start,
  end,
  malloc_with_address,
};

inline constexpr std::array<std::string_view, 54> known_texts = {"action",
                                                                 "addr",
                                                                 "device_free",
                                                                 "size",
                                                                 "stream",
                                                                 "time_us",
                                                                 "pool_id",
                                                                 "frames",
                                                                 "forward_frames",
                                                                 "compile_context",
                                                                 "user_metadata",
                                                                 "internal_metadata",
                                                                 "category",
                                                                 "name",
                                                                 "filename",
                                                                 "line",
                                                                 "device",
                                                                 "address",
                                                                 "total_size",
                                                                 "allocated_size",
                                                                 "active_size",
                                                                 "requested_size",
                                                                 "segment_type",
                                                                 "segment_pool_id",
                                                                 "is_expandable",
                                                                 "blocks",
                                                                 "state",
                                                                 "history",
                                                                 "real_size",
                                                                 "stage",
                                                                 "segments",
                                                                 "device_traces",
                                                                 "allocator_settings",
                                                                 "external_annotations",
                                                                 "",
                                                                 "alloc",
                                                                 "free_requested",
                                                                 "free_completed",
                                                                 "segment_alloc",
                                                                 "segment_free",
                                                                 "segment_map",
                                                                 "segment_unmap",
                                                                 "snapshot",
                                                                 "oom",
                                                                 "annotate",
                                                                 "active_allocated",
                                                                 "active_pending_free",
                                                                 "active_awaiting_free",
                                                                 "inactive",
                                                                 "large",
                                                                 "small",
                                                                 "START",
                                                                 "END",
                                                                 "mallocWithAddress"};
inline constexpr auto known_key_count = static_cast<std::uint32_t>(KnownText::empty);
static_assert(known_key_count <= 64);
static_assert(known_texts.size() == static_cast<std::size_t>(KnownText::malloc_with_address) + 1);

constexpr std::string_view known_text(KnownText text) {
  return known_texts[static_cast<std::size_t>(text)];
}

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

/// Stack 0 has no frames.
struct StackId {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(StackId, StackId) = default;
};

/// A set of known keys.
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

/// An integer from -2^63 to 2^64 - 1: its 64 bits, which are those of a negative number or not.
struct WholeNumber {
  std::uint64_t bits = 0;
  bool is_negative = false;
  friend bool operator==(WholeNumber, WholeNumber) = default;
};

/// An integer of more bits, as its decimal digits, behind a `-` if it is below 0.
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

/// A value under a key without a field, or under a key whose field only describes and has no room
/// for it.
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

/// A request that was served from a block, latest last: only old formats have it.
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

enum class SnapshotSection : std::uint8_t {
  segments,
  device_traces,
  allocator_settings,
  external_annotations,
};

/// The key of the top level under which a section stands.
constexpr KnownText key_of(SnapshotSection section) {
  return static_cast<KnownText>(static_cast<std::uint32_t>(KnownText::segments) +
                                static_cast<std::uint32_t>(section));
}
static_assert(key_of(SnapshotSection::external_annotations) == KnownText::external_annotations);

/// The section that stands under a key; null for every other key.
constexpr std::optional<SnapshotSection> section_of(TextId key) {
  const std::uint32_t number = key.value - static_cast<std::uint32_t>(KnownText::segments);
  if (number > static_cast<std::uint32_t>(SnapshotSection::external_annotations)) return {};
  return static_cast<SnapshotSection>(number);
}

/// A device's place in the list of traces.
struct DeviceIndex {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(DeviceIndex, DeviceIndex) = default;
};

/// Takes the values of a memory snapshot from a reader, one finished value at a time and in the
/// order of the file. Every format feeds the same sink; the ids in the values are those of the
/// SnapshotTables that the reader was given.
///
/// Promises of a reader: `section` comes before its values, `device_trace` before the entries of
/// that device. A value is gone when the call returns. Sections come in any order, each at most
/// once.
class SnapshotSink : public Interface {
 public:
  /// The file is a mere list of segments, not a dict of sections.
  virtual void bare_list() {}
  virtual void section(SnapshotSection) {}
  virtual void segment(const SegmentValue&) {}
  /// Also of a device without entries.
  virtual void device_trace(DeviceIndex) {}
  virtual void trace_entry(DeviceIndex, const TraceEntry&) {}
  /// All settings at once, a dict.
  virtual void settings(const GenericPointer&) {}
  virtual void annotation(const AnnotationValue&) {}
  /// A key of the top level that is none of the sections, with its value.
  virtual void unknown_section(TextId, const GenericPointer&) {}
};

}  // namespace vramlab::traces
