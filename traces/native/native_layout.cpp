#include "traces/native/native_layout.h"

#include <zlib.h>

#include <bit>
#include <cmath>
#include <type_traits>

namespace vramlab::traces {

const char* fault_of(const BinaryStart& start) {
  if (start.magic != magic_of(native::binary_start)) return "a native trace (binary)";
  if (start.version != native::layout_version) return "version 1";
  if (start.event_bytes != sizeof(NativeEvent)) return "events of 64 bytes";
  return start.zero[0] == 0 && start.zero[1] == 0 ? nullptr : "zeros";
}

const char* fault_of(const ChunkStart& chunk, std::uint64_t byte) {
  if (chunk.byte != byte) return "a chunk that says where it is";
  switch (static_cast<ChunkKind>(chunk.kind)) {
    case ChunkKind::lines:
      return chunk.event_count == 0 ? nullptr : "lines without a number of events";
    case ChunkKind::events:
      // Divided, as the product could be too large for its type.
      return chunk.payload_bytes % sizeof(NativeEvent) == 0 &&
                     chunk.payload_bytes / sizeof(NativeEvent) == chunk.event_count
                 ? nullptr
                 : "as many bytes as its events have";
    case ChunkKind::directory:
      return chunk.payload_bytes % sizeof(ChunkStart) == 0 && chunk.event_count == 0
                 ? nullptr
                 : "as many bytes as a directory has";
  }
  return "a kind of chunk that there is";
}

const char* fault_of(const BinaryEnd& end) {
  return end.magic == magic_of(native::binary_end) ? nullptr : "the end of a native trace";
}

std::uint32_t crc32_with(std::uint32_t crc32, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc32, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

namespace {

constexpr const char* needs_empty = "0 in what a kind of event does not use";

std::uint16_t kind_of_action(TextId action) {
  if (action.value < native::first_action || action.value > native::last_action)
    return native::other_entry_kind;
  return static_cast<std::uint16_t>(native::first_entry_kind + action.value - native::first_action);
}

/// The place in an event of a field that is a number.
std::uint64_t NativeEvent::* place_of(ProgramField field) {
  switch (field) {
    case ProgramField::id:
    case ProgramField::event:
    case ProgramField::for_stream:
    case ProgramField::fraction:
    case ProgramField::flag:
    case ProgramField::graph:
      return &NativeEvent::subject;
    case ProgramField::bytes:
    case ProgramField::duration_ns:
    case ProgramField::value:
      return &NativeEvent::amount;
    case ProgramField::stream:
      return &NativeEvent::stream;
    case ProgramField::priority:
    case ProgramField::from_event:
      return &NativeEvent::graph_pool;
    default:
      return nullptr;
  }
}

std::uint16_t flag_of(ProgramField field) {
  return field == ProgramField::no_split ? native::no_split_flag : native::use_on_oom_flag;
}

std::uint16_t choice_in(std::uint16_t flags) {
  return static_cast<std::uint16_t>((flags & native::choice_mask) >> native::choice_shift);
}

void add_flags(NativeEvent& event, unsigned flags) {
  event.flags = static_cast<std::uint16_t>(event.flags | flags);
}

// A number of an event as the 64 bits at its place.
std::uint64_t bits_of(double number) { return std::bit_cast<std::uint64_t>(number); }
std::uint64_t bits_of(std::int32_t number) {
  return static_cast<std::uint64_t>(std::int64_t{number});
}
std::uint64_t bits_of(auto number) { return number_in(number); }
void set_bits(double& number, std::uint64_t bits) { number = std::bit_cast<double>(bits); }
void set_bits(std::int32_t& number, std::uint64_t bits) {
  number = static_cast<std::int32_t>(static_cast<std::int64_t>(bits));
}
void set_bits(auto& number, std::uint64_t bits) { number_in(number) = bits; }

/// The fault of a field that keeps an event from being decoded, or null.
const char* fault_of_field(const NativeEvent& event, ProgramField field,
                           const NativeValueReader& values) {
  const auto priority = static_cast<std::int64_t>(event.graph_pool);
  const bool is_choice = choice_in(event.flags) < choice_words<ScopeStreams>.size();
  switch (field) {
    case ProgramField::scope:
      return is_choice ? nullptr : "a scope that there is";
    case ProgramField::fault:
    case ProgramField::direction:
    case ProgramField::mode:
      return is_choice ? nullptr : "a choice that there is";
    case ProgramField::priority:
      return priority >= -farthest_priority && priority <= farthest_priority
                 ? nullptr
                 : "a priority from -1000 to 1000";
    case ProgramField::text:
      return event.detail != 0 && event.detail <= values.text_count()
                 ? nullptr
                 : "the number of a text above";
    case ProgramField::fraction:
      return std::isfinite(std::bit_cast<double>(event.subject)) ? nullptr
                                                                 : "a fraction that is a number";
    default:
      return nullptr;
  }
}

const char* fault_of_program(const NativeEvent& event, const NativeRecordReader& reader) {
  if (const char* needed = reader.fault_of_program_event()) return needed;
  if (event.kind >= program_event_kind_count ||
      !reader.has_kind(static_cast<ProgramEventKind>(event.kind)))
    return "an event of a kind that there is";
  for (const ProgramField field : program_fields(static_cast<ProgramEventKind>(event.kind)))
    if (const char* needed = fault_of_field(event, field, reader.values())) return needed;
  const ProgramEvent decoded = decode_program_event(event, reader.values());
  const bool is_all = encode(decoded, {event.stack, event.detail}) == event;
  return is_all ? nullptr : needs_empty;
}

const char* fault_of_recorded(const NativeEvent& event, const NativeRecordReader& reader) {
  if (const char* needed = reader.fault_of_entry()) return needed;
  const NativeValueReader& values = reader.values();
  if (event.detail == 0 || event.detail > values.shape_count())
    return "the number of a shape above";
  const TraceEntry& shape = values.shape(event.detail);
  if (event.kind != kind_of_action(shape.action)) return "the kind that the shape's action has";
  if (event.device != reader.device().value) return "the device whose trace it is";
  const KeySet keys = keys_in_event(shape.keys);
  const auto is_unused = [keys](KnownText key) { return !keys.has(key); };
  const bool has_subject = keys.has(KnownText::addr) || keys.has(KnownText::device_free);
  const bool has_foreign_flag = (event.flags & ~native::pool_is_list_flag) != 0;
  const bool has_leftovers =
      (!has_subject && event.subject != 0) || (is_unused(KnownText::size) && event.amount != 0) ||
      (is_unused(KnownText::stream) && event.stream != 0) ||
      (is_unused(KnownText::time_us) && event.time != 0) ||
      (is_unused(KnownText::frames) && event.stack != 0) ||
      (is_unused(KnownText::pool_id) && (event.graph_pool | event.user_pool | event.flags) != 0);
  return has_foreign_flag || has_leftovers ? needs_empty : nullptr;
}

}  // namespace

NativeEvent encode(const ProgramEvent& event, EventNumbers numbers) {
  NativeEvent result;
  result.kind = static_cast<std::uint16_t>(event.kind);
  result.device = event.device.value | event.thread << native::thread_shift;
  result.stack = numbers.stack;
  if (event.time_ns) {
    result.flags = native::has_time_flag;
    result.time = *event.time_ns;
  }
  for (const ProgramField field : program_fields(event.kind))
    with_member(event, field, [&]<typename Member>(const Member& member) {
      if constexpr (std::is_enum_v<Member>) {
        add_flags(result, static_cast<unsigned>(member) << native::choice_shift);
      } else if constexpr (std::is_same_v<Member, bool>) {
        if (member) add_flags(result, flag_of(field));
      } else if constexpr (std::is_same_v<Member, PoolId>) {
        result.graph_pool = member.graph;
        result.user_pool = member.user;
      } else if constexpr (std::is_same_v<Member, TextId>) {
        result.detail = numbers.detail;
      } else {
        result.*place_of(field) = bits_of(member);
      }
    });
  return result;
}

NativeEvent encode(DeviceIndex device, const TraceEntry& entry, EventNumbers numbers) {
  NativeEvent event;
  event.kind = kind_of_action(entry.action);
  event.device = device.value;
  event.detail = numbers.detail;
  const KeySet keys = keys_in_event(entry.keys);
  if (keys.has(KnownText::addr)) event.subject = entry.address.value;
  if (keys.has(KnownText::device_free)) event.subject = entry.device_free.count;
  if (keys.has(KnownText::size)) event.amount = entry.size.count;
  if (keys.has(KnownText::stream)) event.stream = entry.stream.value;
  if (keys.has(KnownText::time_us)) event.time = entry.time_us;
  if (keys.has(KnownText::frames)) event.stack = numbers.stack;
  if (!keys.has(KnownText::pool_id)) return event;
  event.graph_pool = entry.pool.graph;
  event.user_pool = entry.pool.user;
  if (entry.pool_is_list) event.flags = native::pool_is_list_flag;
  return event;
}

const char* fault_of(const NativeEvent& event, const NativeRecordReader& reader) {
  if (event.stack >= reader.values().stack_count()) return "the number of a stack above";
  return event.is_entry() ? fault_of_recorded(event, reader) : fault_of_program(event, reader);
}

ProgramEvent decode_program_event(const NativeEvent& event, const NativeValueReader& values) {
  ProgramEvent result;
  result.kind = static_cast<ProgramEventKind>(event.kind);
  result.device.value = event.device & native::device_mask;
  result.thread = event.device >> native::thread_shift;
  result.stack = values.stack(event.stack);
  if ((event.flags & native::has_time_flag) != 0) result.time_ns = event.time;
  for (const ProgramField field : program_fields(result.kind))
    with_member(result, field, [&]<typename Member>(Member& member) {
      if constexpr (std::is_enum_v<Member>)
        member = static_cast<Member>(choice_in(event.flags));
      else if constexpr (std::is_same_v<Member, bool>)
        member = (event.flags & flag_of(field)) != 0;
      else if constexpr (std::is_same_v<Member, PoolId>)
        member = {event.graph_pool, event.user_pool};
      else if constexpr (std::is_same_v<Member, TextId>)
        member = values.text(event.detail);
      else
        set_bits(member, event.*place_of(field));
    });
  return result;
}

TraceEntry decode_entry(const NativeEvent& event, const NativeValueReader& values) {
  TraceEntry entry = values.shape(event.detail);
  const KeySet keys = keys_in_event(entry.keys);
  if (keys.has(KnownText::addr)) entry.address.value = event.subject;
  if (keys.has(KnownText::device_free)) entry.device_free.count = event.subject;
  entry.size.count = event.amount;
  entry.stream.value = event.stream;
  entry.time_us = event.time;
  entry.pool = {event.graph_pool, event.user_pool};
  entry.pool_is_list = (event.flags & native::pool_is_list_flag) != 0;
  entry.stack = values.stack(event.stack);
  keep_if_no_time(entry);
  return entry;
}

}  // namespace vramlab::traces
