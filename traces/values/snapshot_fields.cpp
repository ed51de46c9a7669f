#include "traces/values/snapshot_fields.h"

#include <utility>
#include "allocator/words/check.h"
#include "traces/values/generic_text.h"

namespace vramlab::traces {
namespace {

using Kind = FieldValue::Kind;

constexpr const char* needs_size = "a whole number from 0 on";
constexpr const char* needs_whole = "a whole number";
constexpr const char* needs_text = "a text";
constexpr const char* needs_stack = "a list of frames";
constexpr const char* needs_pool = "a pair of whole numbers";

const char* set(std::uint64_t& field, const FieldValue& value) {
  if (value.kind != Kind::whole || value.is_negative) return needs_size;
  field = value.bits;
  return nullptr;
}
const char* set(allocator::Bytes& field, const FieldValue& value) {
  return set(field.count, value);
}
const char* set_time(std::uint64_t& field, const FieldValue& value) {
  if (value.kind == Kind::whole && value.bits > latest_time_us) return "a time in microseconds";
  return set(field, value);
}
/// Addresses and streams may be written as signed numbers: their bits count.
const char* set_bits(std::uint64_t& field, const FieldValue& value) {
  if (value.kind != Kind::whole) return needs_whole;
  field = value.bits;
  return nullptr;
}
const char* set(allocator::Address& field, const FieldValue& value) {
  return set_bits(field.value, value);
}
const char* set(allocator::StreamId& field, const FieldValue& value) {
  return set_bits(field.value, value);
}
const char* set(std::int64_t& field, const FieldValue& value) {
  const auto number = static_cast<std::int64_t>(value.bits);
  if (value.kind != Kind::whole || (number < 0) != value.is_negative)
    return "a whole number below 2^63";
  field = number;
  return nullptr;
}
const char* set(TextId& field, const FieldValue& value) {
  if (value.kind != Kind::text) return needs_text;
  field = value.text;
  return nullptr;
}
const char* set(StackId& field, const FieldValue& value) {
  if (value.kind != Kind::stack) return needs_stack;
  field = value.stack;
  return nullptr;
}
const char* set(allocator::PoolId& field, const FieldValue& value) {
  if (value.kind != Kind::pool) return needs_pool;
  field = value.pool;
  return nullptr;
}
const char* set(bool& field, const FieldValue& value) {
  if (value.kind != Kind::boolean) return "True or False";
  field = value.bits != 0;
  return nullptr;
}
const char* set(std::vector<TextId>& field, const FieldValue& value) {
  constexpr const char* needs_texts = "a list of texts";
  if (value.kind != Kind::generic) return needs_texts;
  const auto* list = std::get_if<GenericList>(&(*value.generic)->content);
  if (list == nullptr) return needs_texts;
  std::vector<TextId> texts;
  for (const GenericPointer& item : list->items) {
    const auto* text = std::get_if<TextId>(&item->content);
    if (text == nullptr) return needs_texts;
    texts.push_back(*text);
  }
  field = std::move(texts);
  return nullptr;
}

[[noreturn]] void no_such_field() {
  check_failed("only keys with a field are set", __FILE__, __LINE__);
}

std::optional<std::uint64_t> number_of(const GenericPointer& value) {
  const auto* number = std::get_if<WholeNumber>(&value->content);
  if (number == nullptr || number->is_negative) return std::nullopt;
  return number->bits;
}

const std::vector<GenericPointer>* items_of(const GenericValue& value) {
  if (const auto* list = std::get_if<GenericList>(&value.content)) return &list->items;
  if (const auto* tuple = std::get_if<GenericTuple>(&value.content)) return &tuple->items;
  return nullptr;
}

std::optional<allocator::PoolId> pool_from(const GenericValue& value) {
  const auto* items = items_of(value);
  if (items == nullptr || items->size() != 2) return std::nullopt;
  const auto graph = number_of(items->front());
  const auto user = number_of(items->back());
  if (!graph || !user) return std::nullopt;
  return allocator::PoolId{*graph, *user};
}

std::optional<StackId> stack_from(const GenericValue& value, SnapshotTables& tables) {
  const auto* list = std::get_if<GenericList>(&value.content);
  if (list == nullptr) return std::nullopt;
  std::vector<FrameId> frames;
  for (const GenericPointer& item : list->items) {
    const auto frame = frame_from_generic(item, tables);
    if (!frame) return std::nullopt;
    frames.push_back(*frame);
  }
  return tables.stacks.intern(frames);
}

}  // namespace

std::string found_text(const GenericValue& value, const TextTable& texts) {
  constexpr std::size_t most_letters = 60;
  const std::string text = generic_text(value, texts);
  return text.size() <= most_letters ? text : text.substr(0, most_letters) + "...";
}

std::string found_text(const FieldValue& value, const TextTable& texts) {
  if (value.kind == Kind::stack) return "a list of frames";
  if (value.kind == Kind::pool)
    return "(" + std::to_string(value.pool.graph) + ", " + std::to_string(value.pool.user) + ")";
  return found_text(**generic_from_field(value), texts);
}

std::optional<GenericPointer> generic_from_field(const FieldValue& value) {
  const auto make = [](auto content) {
    return std::make_shared<const GenericValue>(GenericValue{content, 0});
  };
  switch (value.kind) {
    case Kind::none:
      return make(NoneValue{});
    case Kind::boolean:
      return make(value.bits != 0);
    case Kind::whole:
      return make(WholeNumber{value.bits, value.is_negative});
    case Kind::long_whole:
      return make(LongNumber{value.text});
    case Kind::real:
      return make(std::bit_cast<double>(value.bits));
    case Kind::text:
      return make(value.text);
    case Kind::generic:
      return *value.generic;
    case Kind::pool:
    case Kind::stack:
      return std::nullopt;
  }
  no_such_field();
}

void keep_if_no_time(TraceEntry& entry) {
  if (entry.time_us <= latest_time_us) return;
  FieldValue time;
  time.kind = Kind::whole;
  time.bits = std::exchange(entry.time_us, 0);
  entry.keys.remove(KnownText::time_us);
  put_field(entry, KnownText::time_us, time);
}

const char* set_field(FrameValue& frame, KnownText key, const FieldValue& value) {
  switch (key) {
    case KnownText::name:
      return set(frame.name, value);
    case KnownText::filename:
      return set(frame.filename, value);
    case KnownText::line:
      return set(frame.line, value);
    default:
      no_such_field();
  }
}

const char* set_field(TraceEntry& entry, KnownText key, const FieldValue& value) {
  switch (key) {
    case KnownText::action:
      return set(entry.action, value);
    case KnownText::addr:
      return set(entry.address, value);
    case KnownText::device_free:
      return set(entry.device_free, value);
    case KnownText::size:
      return set(entry.size, value);
    case KnownText::stream:
      return set(entry.stream, value);
    case KnownText::time_us:
      return set_time(entry.time_us, value);
    case KnownText::pool_id:
      entry.pool_is_list = value.pool_is_list;
      return set(entry.pool, value);
    case KnownText::frames:
      return set(entry.stack, value);
    case KnownText::forward_frames:
      return set(entry.forward_frames, value);
    case KnownText::compile_context:
      return set(entry.compile_context, value);
    case KnownText::user_metadata:
      return set(entry.user_metadata, value);
    case KnownText::internal_metadata:
      return set(entry.internal_metadata, value);
    case KnownText::category:
      return set(entry.category, value);
    default:
      no_such_field();
  }
}

const char* set_field(HistoryEntry& entry, KnownText key, const FieldValue& value) {
  switch (key) {
    case KnownText::addr:
      return set(entry.address, value);
    case KnownText::real_size:
      return set(entry.real_size, value);
    case KnownText::frames:
      return set(entry.stack, value);
    default:
      no_such_field();
  }
}

const char* set_field(BlockValue& block, KnownText key, const FieldValue& value) {
  switch (key) {
    case KnownText::address:
      return set(block.address, value);
    case KnownText::size:
      return set(block.size, value);
    case KnownText::requested_size:
      return set(block.requested_size, value);
    case KnownText::state:
      return set(block.state, value);
    case KnownText::frames:
      return set(block.stack, value);
    case KnownText::history:
      return "a list of dicts";
    default:
      no_such_field();
  }
}

const char* set_field(SegmentValue& segment, KnownText key, const FieldValue& value) {
  switch (key) {
    case KnownText::device:
      return set(segment.device, value);
    case KnownText::address:
      return set(segment.address, value);
    case KnownText::total_size:
      return set(segment.total_size, value);
    case KnownText::allocated_size:
      return set(segment.allocated_size, value);
    case KnownText::active_size:
      return set(segment.active_size, value);
    case KnownText::requested_size:
      return set(segment.requested_size, value);
    case KnownText::stream:
      return set(segment.stream, value);
    case KnownText::segment_type:
      return set(segment.segment_type, value);
    case KnownText::segment_pool_id:
      segment.pool_is_list = value.pool_is_list;
      return set(segment.pool, value);
    case KnownText::is_expandable:
      return set(segment.is_expandable, value);
    case KnownText::frames:
      return set(segment.stack, value);
    case KnownText::blocks:
      return "a list of dicts";
    default:
      no_such_field();
  }
}

const char* set_field(AnnotationValue& annotation, KnownText key, const FieldValue& value) {
  switch (key) {
    case KnownText::name:
      return set(annotation.name, value);
    case KnownText::stage:
      return set(annotation.stage, value);
    case KnownText::device:
      return set(annotation.device, value);
    case KnownText::time_us:
      return set_time(annotation.time_us, value);
    default:
      no_such_field();
  }
}

void count_up_addresses(SegmentValue& segment) {
  allocator::Address next = segment.address;
  for (BlockValue& block : segment.blocks) {
    if (!block.keys.has(KnownText::address)) block.address = next;
    next = block.address + block.size;
  }
}

FieldValue field_from_generic(const GenericPointer& value, KnownText key, SnapshotTables& tables) {
  FieldValue field;
  const auto& content = value->content;
  if (const auto* flag = std::get_if<bool>(&content)) {
    field.kind = Kind::boolean;
    field.bits = *flag ? 1 : 0;
  } else if (const auto* number = std::get_if<WholeNumber>(&content)) {
    field.kind = Kind::whole;
    field.bits = number->bits;
    field.is_negative = number->is_negative;
  } else if (const auto* long_number = std::get_if<LongNumber>(&content)) {
    field.kind = Kind::long_whole;
    field.text = long_number->digits;
  } else if (const auto* real = std::get_if<double>(&content)) {
    field.kind = Kind::real;
    field.bits = std::bit_cast<std::uint64_t>(*real);
  } else if (const auto* text = std::get_if<TextId>(&content)) {
    field.kind = Kind::text;
    field.text = *text;
  } else if (!std::holds_alternative<NoneValue>(content)) {
    field.kind = Kind::generic;
    field.generic = &value;
  }
  if (field.kind != Kind::generic) return field;
  if (key == KnownText::frames) {
    if (const auto stack = stack_from(*value, tables)) {
      field.kind = Kind::stack;
      field.stack = *stack;
    }
  } else if (key == KnownText::pool_id || key == KnownText::segment_pool_id) {
    if (const auto pool = pool_from(*value)) {
      field.kind = Kind::pool;
      field.pool = *pool;
      field.pool_is_list = std::holds_alternative<GenericList>(content);
    }
  }
  return field;
}

std::optional<FrameId> frame_from_generic(const GenericPointer& value, SnapshotTables& tables) {
  const auto* dict = std::get_if<GenericDict>(&value->content);
  if (dict == nullptr) return std::nullopt;
  FrameValue frame;
  for (const auto& [key, item] : dict->items) {
    const auto* text = std::get_if<TextId>(&key->content);
    if (text == nullptr) return std::nullopt;
    const auto known = known_key(*text);
    if (!known || !FieldsOf<FrameValue>::keys.has(*known)) {
      frame.unknown.push_back({*text, item});
      continue;
    }
    if (put_field(frame, *known, field_from_generic(item, *known, tables)) != nullptr)
      return std::nullopt;
  }
  return tables.frames.intern(frame);
}

}  // namespace vramlab::traces
