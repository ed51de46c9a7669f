#include "traces/native/native_event_codec.h"

#include <bit>
#include <cmath>

#include "traces/native/native_layout.h"

namespace vramlab::traces {
namespace {

constexpr const char* needs_empty = "0 in what a kind of event does not use";

std::uint16_t kind_of_action(TextId action) {
  if (action.value < native::first_action || action.value > native::last_action)
    return native::other_entry_kind;
  return static_cast<std::uint16_t>(native::first_entry_kind + action.value - native::first_action);
}

/// The place in an event of a field that is a number.
std::uint64_t NativeEvent::*place_of(ProgramField field) {
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

/// The part of an event that its kind uses.
NativeEvent used_part(const NativeEvent& event, ProgramEventKind kind) {
  NativeEvent used;
  used.kind = event.kind;
  used.device = event.device;
  used.stack = event.stack;
  used.flags = event.flags & native::has_time_flag;
  if (used.flags != 0) used.time = event.time;
  for (const ProgramField field : program_fields(kind)) {
    if (is_choice(field)) {
      add_flags(used, event.flags & native::choice_mask);
    } else if (is_switch(field)) {
      add_flags(used, event.flags & flag_of(field));
    } else if (field == ProgramField::pool) {
      used.graph_pool = event.graph_pool;
      used.user_pool = event.user_pool;
    } else if (field == ProgramField::text) {
      used.detail = event.detail;
    } else {
      used.*place_of(field) = event.*place_of(field);
    }
  }
  return used;
}

const char* fault_of_choices(const NativeEvent& event, ProgramEventKind kind) {
  for (const ProgramField field : program_fields(kind))
    if (is_choice(field) && choice_in(event.flags) >= choices(field).size())
      return field == ProgramField::scope ? "a scope that there is" : "a choice that there is";
  return nullptr;
}

bool has_priority_out_of_range(const NativeEvent& event, ProgramEventKind kind) {
  const auto priority = static_cast<std::int64_t>(event.graph_pool);
  const bool has_one =
      kind == ProgramEventKind::stream_create || kind == ProgramEventKind::stream_from_pool;
  return has_one && (priority < -farthest_priority || priority > farthest_priority);
}

const char* fault_of_program(const NativeEvent& event, const NativeRecordReader& reader) {
  if (const char* needed = reader.fault_of_program_event()) return needed;
  if (event.kind >= program_event_kind_count) return "an event of a kind that there is";
  const auto kind = static_cast<ProgramEventKind>(event.kind);
  if (event != used_part(event, kind)) return needs_empty;
  if (const char* needed = fault_of_choices(event, kind)) return needed;
  if (has_priority_out_of_range(event, kind)) return "a priority from -1000 to 1000";
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
  NativeEvent result;
  result.kind = static_cast<std::uint16_t>(event.kind);
  result.device = event.device.value | event.thread << native::thread_shift;
  result.stack = numbers.stack;
  if (event.time_ns) {
    result.flags = native::has_time_flag;
    result.time = *event.time_ns;
  }
  for (const ProgramField field : program_fields(event.kind)) {
    if (is_choice(field)) {
      add_flags(result, static_cast<unsigned>(choice_of(event, field)) << native::choice_shift);
    } else if (is_switch(field)) {
      if (switch_of(event, field)) add_flags(result, flag_of(field));
    } else if (field == ProgramField::pool) {
      result.graph_pool = event.pool.graph;
      result.user_pool = event.pool.user;
    } else if (field == ProgramField::text) {
      result.detail = numbers.detail;
    } else if (field == ProgramField::fraction) {
      result.subject = std::bit_cast<std::uint64_t>(event.fraction);
    } else if (field == ProgramField::priority) {
      result.graph_pool = static_cast<std::uint64_t>(std::int64_t{event.priority});
    } else {
      result.*place_of(field) = number_of(event, field);
    }
  }
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
  for (const ProgramField field : program_fields(result.kind)) {
    if (is_choice(field))
      set_choice(result, field, choice_in(event.flags));
    else if (is_switch(field))
      set_switch(result, field, (event.flags & flag_of(field)) != 0);
    else if (field == ProgramField::pool)
      result.pool = {event.graph_pool, event.user_pool};
    else if (field == ProgramField::text)
      result.text = values.text(event.detail);
    else if (field == ProgramField::fraction)
      result.fraction = std::bit_cast<double>(event.subject);
    else if (field == ProgramField::priority)
      result.priority = static_cast<std::int32_t>(static_cast<std::int64_t>(event.graph_pool));
    else
      set_number(result, field, event.*place_of(field));
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
  keep_if_no_time(entry);
  return entry;
}

}  // namespace vramlab::traces
