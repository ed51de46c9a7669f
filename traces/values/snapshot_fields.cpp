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

const char* set(allocator::Bytes& field, const FieldValue& value) {
  if (value.kind != Kind::whole || value.is_negative) return needs_size;
  field.count = value.bits;
  return nullptr;
}
const char* set(std::uint64_t& time_us, const FieldValue& value) {
  if (value.kind != Kind::whole || value.is_negative) return needs_size;
  if (value.bits > latest_time_us) return "a time in microseconds";
  time_us = value.bits;
  return nullptr;
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
const char* set(PoolParts<allocator::PoolId, bool> field, const FieldValue& value) {
  if (value.kind != Kind::pool) return needs_pool;
  field.id = value.pool;
  field.is_list = value.pool_is_list;
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

/// Readers fill blocks and history themselves; here is only what is no list.
template <typename Item>
const char* set(std::vector<Item>&, const FieldValue&) {
  return "a list of dicts";
}

/// Fills the field of `key`, or says what it needs instead and changes nothing.
template <typename Value>
const char* set_field(Value& value, KnownText key, const FieldValue& field) {
  const char* needed = nullptr;
  const bool is_known = any_field(value, [&](KnownText known, auto&& member) {
    if (known != key) return false;
    needed = set(member, field);
    return true;
  });
  check(is_known, "only keys with a field are set");
  return needed;
}

std::optional<std::uint64_t> number_of(const GenericPointer& value) {
  const auto* number = std::get_if<WholeNumber>(&value->content);
  if (number == nullptr || number->is_negative) return std::nullopt;
  return number->bits;
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
  switch (value.kind) {
    case Kind::none:
      return make_generic(NoneValue{});
    case Kind::boolean:
      return make_generic(value.bits != 0);
    case Kind::whole:
      return make_generic(WholeNumber{value.bits, value.is_negative});
    case Kind::long_whole:
      return make_generic(LongNumber{value.text});
    case Kind::real:
      return make_generic(std::bit_cast<double>(value.bits));
    case Kind::text:
      return make_generic(value.text);
    case Kind::generic:
      return *value.generic;
    case Kind::pool:
    case Kind::stack:
      return std::nullopt;
  }
  check_failed("every kind of value is known", __FILE__, __LINE__);
}

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

template const char* put_field(FrameValue&, KnownText, const FieldValue&);
template const char* put_field(TraceEntry&, KnownText, const FieldValue&);
template const char* put_field(HistoryEntry&, KnownText, const FieldValue&);
template const char* put_field(BlockValue&, KnownText, const FieldValue&);
template const char* put_field(SegmentValue&, KnownText, const FieldValue&);
template const char* put_field(AnnotationValue&, KnownText, const FieldValue&);

void keep_if_no_time(TraceEntry& entry) {
  if (entry.time_us <= latest_time_us) return;
  FieldValue time;
  time.kind = Kind::whole;
  time.bits = std::exchange(entry.time_us, 0);
  entry.keys.remove(KnownText::time_us);
  put_field(entry, KnownText::time_us, time);
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
