#include "traces/model/snapshot_fields.h"

#include <algorithm>
#include <utility>

#include "allocator/types/check.h"
#include "traces/model/generic_text.h"

namespace vramlab::traces {
namespace {

constexpr const char* needs_size = "a whole number from 0 on";

const char* set(Bytes& field, const FieldValue& value) {
  const auto* number = std::get_if<WholeNumber>(&value);
  if (number == nullptr || number->is_negative) return needs_size;
  field.count = number->bits;
  return nullptr;
}
const char* set(std::uint64_t& time_us, const FieldValue& value) {
  Bytes number;
  if (const char* needed = set(number, value)) return needed;
  if (number.count > latest_time_us) return "a time in microseconds";
  time_us = number.count;
  return nullptr;
}
/// Addresses and streams may be written as signed numbers: their bits count.
const char* set_bits(std::uint64_t& field, const FieldValue& value) {
  const auto* number = std::get_if<WholeNumber>(&value);
  if (number == nullptr) return "a whole number";
  field = number->bits;
  return nullptr;
}
const char* set(Address& field, const FieldValue& value) { return set_bits(field.value, value); }
const char* set(StreamId& field, const FieldValue& value) { return set_bits(field.value, value); }
const char* set(std::int64_t& field, const FieldValue& value) {
  const auto* whole = std::get_if<WholeNumber>(&value);
  const auto number = static_cast<std::int64_t>(whole == nullptr ? 0 : whole->bits);
  if (whole == nullptr || (number < 0) != whole->is_negative) return "a whole number below 2^63";
  field = number;
  return nullptr;
}
template <typename Member>
const char* set_same(Member& field, const FieldValue& value, const char* needed) {
  const auto* same = std::get_if<Member>(&value);
  if (same == nullptr) return needed;
  field = *same;
  return nullptr;
}
const char* set(TextId& field, const FieldValue& value) { return set_same(field, value, "a text"); }
const char* set(StackId& field, const FieldValue& value) {
  return set_same(field, value, "a list of frames");
}
const char* set(bool& field, const FieldValue& value) {
  return set_same(field, value, "True or False");
}
const char* set(PoolParts<PoolId, bool> field, const FieldValue& value) {
  const auto* pool = std::get_if<DecodedPool>(&value);
  if (pool == nullptr) return "a pair of whole numbers";
  field.id = pool->id;
  field.is_list = pool->is_list;
  return nullptr;
}
const char* set(std::vector<TextId>& field, const FieldValue& value) {
  constexpr const char* needs_texts = "a list of texts";
  const auto* generic = std::get_if<const GenericPointer*>(&value);
  if (generic == nullptr) return needs_texts;
  const auto* list = std::get_if<GenericList>(&(**generic)->content);
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

/// Readers fill blocks and history themselves; a value that comes here is no list.
template <typename Item>
const char* set(std::vector<Item>&, const FieldValue&) {
  return "a list of dicts";
}

/// Fills the field of `key`, or returns the needed type and changes no field.
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

std::optional<PoolId> pool_from(const GenericValue& value) {
  const auto* items = items_of(value);
  if (items == nullptr || items->size() != 2) return std::nullopt;
  const auto graph = number_of(items->front());
  const auto user = number_of(items->back());
  if (!graph || !user) return std::nullopt;
  return PoolId{*graph, *user};
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
  if (std::holds_alternative<StackId>(value)) return "a list of frames";
  if (const auto* pool = std::get_if<DecodedPool>(&value))
    return "(" + std::to_string(pool->id.graph) + ", " + std::to_string(pool->id.user) + ")";
  return found_text(**generic_from_field(value), texts);
}

std::optional<GenericPointer> generic_from_field(const FieldValue& value) {
  const auto generic_of = []<typename Content>(const Content& content) {
    if constexpr (std::is_same_v<Content, const GenericPointer*>)
      return std::optional<GenericPointer>(*content);
    else if constexpr (std::is_constructible_v<decltype(GenericValue::content), Content>)
      return std::optional<GenericPointer>(make_generic(content));
    else
      return std::optional<GenericPointer>();
  };
  return std::visit(generic_of, value);
}

/// The field is as if its key had not been there.
template <typename Value>
void forget_field(Value& value, KnownText key) {
  value.keys.remove(key);
  any_field(value, [key](KnownText other, auto&& member) {
    using Member = std::remove_reference_t<decltype(member)>;
    if constexpr (std::is_assignable_v<Member&, Member>)
      if (other == key) member = Member{};
    return other == key;
  });
}

template <typename Value>
const char* put_field(Value& value, KnownText key, const FieldValue& field) {
  const auto forget_kept = [&] {
    if (value.unknown.empty()) return;
    std::erase_if(value.unknown,
                  [&](const UnknownField& other) { return other.key == TextId(key); });
  };
  const char* const needed = set_field(value, key, field);
  if (needed == nullptr) {
    value.keys.add(key);
    forget_kept();
    return nullptr;
  }
  if (!FieldsOf<Value>::describing.has(key)) return needed;
  auto kept = generic_from_field(field);
  if (!kept) return needed;
  forget_kept();
  if (value.keys.has(key)) forget_field(value, key);
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
  entry.keys.remove(KnownText::time_us);
  put_field(entry, KnownText::time_us, WholeNumber{std::exchange(entry.time_us, 0), false});
}

bool is_event(const SegmentValue& segment) {
  return !segment.unknown.empty() &&
         std::ranges::count(segment.unknown, TextId(KnownText::action), &UnknownField::key) > 0;
}

void count_up_addresses(SegmentValue& segment) {
  Address next = segment.address;
  for (BlockValue& block : segment.blocks) {
    if (!block.keys.has(KnownText::address)) block.address = next;
    next = block.address + block.size;
  }
}

FieldValue field_from_generic(const GenericPointer& value, KnownText key, SnapshotTables& tables) {
  const auto as_it_is = [&value]<typename Content>(const Content& content) -> FieldValue {
    if constexpr (std::is_constructible_v<FieldValue, Content>)
      return content;
    else
      return &value;
  };
  const FieldValue field = std::visit(as_it_is, value->content);
  if (!std::holds_alternative<const GenericPointer*>(field)) return field;
  if (key == KnownText::frames) {
    if (const auto stack = stack_from(*value, tables)) return *stack;
  } else if (key == KnownText::pool_id || key == KnownText::segment_pool_id) {
    if (const auto pool = pool_from(*value))
      return DecodedPool{*pool, std::holds_alternative<GenericList>(value->content)};
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
