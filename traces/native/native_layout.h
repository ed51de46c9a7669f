// The words that the reader and the writer of a native trace share, and the layout of its binary
// form (docs/reference/trace_format.md), with the events of that form and the values they stand
// for. All numbers in it are little-endian, all places multiples of 8 bytes, so a mapped file is
// used as it lies. A decoder believes nothing: an event is asked what is wrong with it before it is
// decoded.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#include "traces/model/program_event.h"
#include "traces/model/snapshot_values.h"
#include "traces/native/native_text.h"

namespace vramlab::traces {

static_assert(std::endian::native == std::endian::little,
              "binary traces are used as they lie in the file");

namespace native {

inline constexpr std::string_view format_name = "vramlab-trace";
/// The version of the records. A trace without events of the second says that it has the first.
inline constexpr std::uint32_t newest_version = 2;
/// The version of the parts of the binary form.
inline constexpr std::uint32_t layout_version = 1;

/// A text that is longer, or no UTF-8, stands in a line of its own and is referred to.
inline constexpr std::size_t longest_text_in_place = 24;

// Keys of objects that stand for values that JSON can't spell. No other key begins like them.
inline constexpr char special_start = '$';
inline constexpr std::string_view text_reference = "$text";
inline constexpr std::string_view value_reference = "$value";
inline constexpr std::string_view tuple = "$tuple";
inline constexpr std::string_view list = "$list";
inline constexpr std::string_view pairs = "$pairs";
inline constexpr std::string_view real_bits = "$real";
/// A key is this and the text's number.
inline constexpr std::string_view key_reference = "$text:";

inline constexpr std::string_view binary_start = "vramlabB";
inline constexpr std::string_view binary_end = "vramlabE";
/// Events of this kind and later ones are recorded entries; each kind but the last stands for a
/// known action.
inline constexpr std::uint16_t first_entry_kind = 0x100;
inline constexpr std::uint16_t other_entry_kind = 0x1ff;
inline constexpr std::uint32_t first_action = static_cast<std::uint32_t>(KnownText::alloc);
inline constexpr std::uint32_t last_action = static_cast<std::uint32_t>(KnownText::annotate);

// Flags of an event. The scope, or another choice of a few words, takes two bits.
inline constexpr std::uint16_t has_time_flag = 1;
/// Also `pageable`, `non_blocking` and `no_timing`.
inline constexpr std::uint16_t use_on_oom_flag = 2;
inline constexpr std::uint16_t no_split_flag = 4;
inline constexpr std::uint16_t pool_is_list_flag = 8;
inline constexpr unsigned choice_shift = 4;
inline constexpr std::uint16_t choice_mask = 3U << choice_shift;

/// The device is in the lower half of its field, the host thread in the upper one.
inline constexpr unsigned thread_shift = 16;
inline constexpr std::uint32_t device_mask = 0xffff;

}  // namespace native

/// An event of a program or a recorded entry. Members that a kind does not use are 0.
struct NativeEvent {
  std::uint16_t kind = 0;
  std::uint16_t flags = 0;
  std::uint32_t device = 0;
  /// In nanoseconds; in microseconds for an entry.
  std::uint64_t time = 0;
  /// The id, event, flag, graph, fraction (its bits) or stream waited for; for an entry the
  /// address, or else the free memory of the device.
  std::uint64_t subject = 0;
  /// Bytes, nanoseconds or a flag's value.
  std::uint64_t amount = 0;
  std::uint64_t stream = 0;
  /// Also the priority, as a signed number, and the event that time is counted from.
  std::uint64_t graph_pool = 0;
  std::uint64_t user_pool = 0;
  /// By number, as in the lines.
  std::uint32_t stack = 0;
  /// The number of the text, or of an entry's shape.
  std::uint32_t detail = 0;

  bool is_entry() const { return kind >= native::first_entry_kind; }
  friend bool operator==(const NativeEvent&, const NativeEvent&) = default;
};

/// The keys whose values stand in the entry's event. If an entry has an address, the device's free
/// memory stands in its shape.
constexpr KeySet keys_in_event(KeySet keys) {
  constexpr KnownText in_event[] = {KnownText::addr,    KnownText::size,    KnownText::stream,
                                    KnownText::time_us, KnownText::pool_id, KnownText::frames};
  KeySet found;
  for (const KnownText key : in_event)
    if (keys.has(key)) found.add(key);
  if (keys.has(KnownText::device_free) && !keys.has(KnownText::addr))
    found.add(KnownText::device_free);
  return found;
}

struct BinaryStart {
  std::array<char, 8> magic{};
  std::uint32_t version = 0;
  std::uint32_t event_bytes = 0;
  std::array<std::uint64_t, 2> zero{};
};

enum class ChunkKind : std::uint32_t {
  /// Records as in the text form.
  lines = 1,
  events = 2,
  /// The last chunk: all others in order.
  directory = 3,
};

/// Stands before a chunk's payload, which zeros fill up to a multiple of 8 bytes.
struct ChunkStart {
  std::uint32_t kind = 0;
  /// The checksum of the payload, as in zlib and PNG.
  std::uint32_t crc32 = 0;
  std::uint64_t payload_bytes = 0;
  /// 0 for lines.
  std::uint64_t event_count = 0;
  /// The place of this chunk, from the beginning of the file.
  std::uint64_t byte = 0;
  friend bool operator==(const ChunkStart&, const ChunkStart&) = default;
};

struct BinaryEnd {
  std::uint64_t directory_byte = 0;
  /// Without the directory.
  std::uint64_t chunk_count = 0;
  std::uint64_t event_count = 0;
  std::array<char, 8> magic{};
};

static_assert(sizeof(NativeEvent) == 64 && std::is_trivially_copyable_v<NativeEvent>);
static_assert(sizeof(BinaryStart) == 32 && std::is_trivially_copyable_v<BinaryStart>);
static_assert(sizeof(ChunkStart) == 32 && std::is_trivially_copyable_v<ChunkStart>);
static_assert(sizeof(BinaryEnd) == 32 && std::is_trivially_copyable_v<BinaryEnd>);

constexpr std::uint64_t padding_after(std::uint64_t payload_bytes) {
  return (8 - payload_bytes % 8) % 8;
}

/// The bytes of a value of this layout.
template <typename Layout>
std::string_view bytes_of(const Layout& value) {
  static_assert(std::is_trivially_copyable_v<Layout>);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

inline std::array<char, 8> magic_of(std::string_view letters) {
  std::array<char, 8> magic{};
  letters.copy(magic.data(), magic.size());
  return magic;
}

// Checks of the parts of a binary trace. Each returns null, or the sentence of what is expected
// instead.
const char* fault_of(const BinaryStart& start);
/// The chunk was found at this byte.
const char* fault_of(const ChunkStart& chunk, std::uint64_t byte);
const char* fault_of(const BinaryEnd& end);

/// The checksum of all bytes so far, given `crc32` of those before these.
std::uint32_t crc32_with(std::uint32_t crc32, std::string_view bytes);

/// The numbers of the lines that an event refers to.
struct EventNumbers {
  std::uint32_t stack = 0;
  /// The text or the shape.
  std::uint32_t detail = 0;
};

NativeEvent encode(const ProgramEvent& event, EventNumbers numbers);
NativeEvent encode(DeviceIndex device, const TraceEntry& entry, EventNumbers numbers);

/// The fault of an event, or null. The reader has read the lines before it.
const char* fault_of(const NativeEvent& event, const NativeRecordReader& reader);

// Requires: the event has no fault.
ProgramEvent decode_program_event(const NativeEvent& event, const NativeValueReader& values);
TraceEntry decode_entry(const NativeEvent& event, const NativeValueReader& values);

}  // namespace vramlab::traces
