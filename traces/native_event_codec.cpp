#include "traces/native_event_codec.h"

#include <bit>
#include <cmath>

#include "traces/native_shapes.h"

namespace vramlab::traces {
namespace {

constexpr const char* needs_empty = "0 in what a kind of event does not use";

std::uint16_t kind_of_action(TextId action) {
  if (action.value < native::first_action || action.value > native::last_action)
    return native::other_entry_kind;
  return static_cast<std::uint16_t>(native::first_entry_kind + action.value - native::first_action);
}

/// The part of an event that its kind uses.
NativeEvent used_part(const NativeEvent& event, ProgramEventKind kind) {
  NativeEvent used;
  used.kind = event.kind;
  used.device = event.device;
  used.stack = event.stack;
  used.flags = event.flags & native::has_time_flag;
  if (used.flags != 0) used.time = event.time;
  const auto keep_flags = [&](std::uint16_t mask) {
    used.flags = static_cast<std::uint16_t>(used.flags | (event.flags & mask));
  };
  for (const ProgramField field : program_fields(kind)) {
    switch (field) {
      case ProgramField::id:
      case ProgramField::event:
      case ProgramField::for_stream:
      case ProgramField::fraction:
        used.subject = event.subject;
        break;
      case ProgramField::bytes:
      case ProgramField::duration_ns:
        used.amount = event.amount;
        break;
      case ProgramField::stream:
        used.stream = event.stream;
        break;
      case ProgramField::pool:
        used.graph_pool = event.graph_pool;
        used.user_pool = event.user_pool;
        break;
      case ProgramField::scope:
        keep_flags(native::scope_mask);
        break;
      case ProgramField::use_on_oom:
        keep_flags(native::use_on_oom_flag);
        break;
      case ProgramField::no_split:
        keep_flags(native::no_split_flag);
        break;
      case ProgramField::text:
        used.detail = event.detail;
        break;
    }
  }
  return used;
}

ScopeStreams scope_in(std::uint16_t flags) {
  return static_cast<ScopeStreams>((flags & native::scope_mask) >> native::scope_shift);
}

const char* fault_of_program(const NativeEvent& event, const NativeRecordReader& reader) {
  if (const char* needed = reader.fault_of_program_event()) return needed;
  if (event.kind >= program_event_kind_count) return "an event of a kind that there is";
  const auto kind = static_cast<ProgramEventKind>(event.kind);
  if (event != used_part(event, kind)) return needs_empty;
  if (scope_in(event.flags) > ScopeStreams::capturing_streams) return "a scope that there is";
  if (has_text(kind) && (event.detail == 0 || event.detail > reader.values().text_count()))
    return "the number of a text above";
  if (kind == ProgramEventKind::memory_fraction &&
      !std::isfinite(std::bit_cast<double>(event.subject)))
    return "a fraction that is a number";
  return nullptr;
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
  NativeEvent full;
  full.kind = static_cast<std::uint16_t>(event.kind);
  full.device = event.device.value;
  full.stack = numbers.stack;
  full.detail = numbers.detail;
  full.time = event.time_ns.value_or(0);
  full.amount = event.kind == ProgramEventKind::work ? event.duration_ns : event.bytes.count;
  full.stream = event.stream.value;
  full.graph_pool = event.pool.graph;
  full.user_pool = event.pool.user;
  full.flags =
      static_cast<std::uint16_t>((event.time_ns ? native::has_time_flag : 0) |
                                 (event.use_on_oom ? native::use_on_oom_flag : 0) |
                                 (event.no_split ? native::no_split_flag : 0) |
                                 static_cast<unsigned>(event.scope) << native::scope_shift);
  for (const ProgramField field : program_fields(event.kind)) {
    if (field == ProgramField::id) full.subject = event.id;
    if (field == ProgramField::event) full.subject = event.event.value;
    if (field == ProgramField::for_stream) full.subject = event.for_stream.value;
    if (field == ProgramField::fraction)
      full.subject = std::bit_cast<std::uint64_t>(event.fraction);
  }
  return used_part(full, event.kind);
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
  result.device.value = event.device;
  result.stack = values.stack(event.stack);
  if ((event.flags & native::has_time_flag) != 0) result.time_ns = event.time;
  result.stream.value = event.stream;
  result.pool = {event.graph_pool, event.user_pool};
  result.scope = scope_in(event.flags);
  result.use_on_oom = (event.flags & native::use_on_oom_flag) != 0;
  result.no_split = (event.flags & native::no_split_flag) != 0;
  for (const ProgramField field : program_fields(result.kind)) {
    if (field == ProgramField::id) result.id = event.subject;
    if (field == ProgramField::event) result.event.value = event.subject;
    if (field == ProgramField::for_stream) result.for_stream.value = event.subject;
    if (field == ProgramField::fraction) result.fraction = std::bit_cast<double>(event.subject);
    if (field == ProgramField::bytes) result.bytes.count = event.amount;
    if (field == ProgramField::duration_ns) result.duration_ns = event.amount;
    if (field == ProgramField::text) result.text = values.text(event.detail);
  }
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
  return entry;
}

}  // namespace vramlab::traces
