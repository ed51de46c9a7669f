#include "traces/native/native_value_reader.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "traces/native/native_format.h"
#include "traces/native/native_shapes.h"

namespace vramlab::traces {
namespace {

using Kind = FieldValue::Kind;

GenericPointer make(GenericValue value) {
  return std::make_shared<const GenericValue>(std::move(value));
}

/// Nothing where a letter is no hexadecimal digit.
std::optional<std::string> bytes_of_hex(std::string_view hex) {
  std::string bytes;
  if (hex.size() % 2 != 0) return std::nullopt;
  for (; !hex.empty(); hex.remove_prefix(2)) {
    unsigned byte = 0;
    if (std::from_chars(hex.data(), hex.data() + 2, byte, 16).ptr != hex.data() + 2)
      return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace

void NativeValueReader::take_name(JsonScanner& json, std::string_view name) {
  if (json.text() != name) json.fail("'" + std::string(name) + "'", "another name");
  json.take(':');
}

void NativeValueReader::next_name(JsonScanner& json, std::string_view name) {
  json.take(',');
  take_name(json, name);
}

void NativeValueReader::take_number(JsonScanner& json, std::size_t count_before) {
  if (json.unsigned_number() != count_before + 1)
    json.fail("the number " + std::to_string(count_before + 1), "another one");
}

void NativeValueReader::define_text(JsonScanner& json) {
  take_number(json, texts_.size());
  json.take(',');
  const std::string_view spelling = json.text();
  const bool is_hex = spelling == "hex";
  if (!is_hex && spelling != "is") json.fail("'is' or 'hex'", "another name");
  json.take(':');
  const std::string_view letters = json.text();
  if (!is_hex) {
    texts_.push_back(tables_.texts.intern(letters));
    return;
  }
  const auto bytes = bytes_of_hex(letters);
  if (!bytes) json.fail("pairs of hexadecimal digits", "another text");
  texts_.push_back(tables_.texts.intern(*bytes));
}

void NativeValueReader::define_frame(JsonScanner& json) {
  take_number(json, frames_.size());
  next_name(json, "is");
  FrameValue frame;
  fields(json, frame);
  frames_.push_back(tables_.frames.intern(frame));
}

void NativeValueReader::define_stack(JsonScanner& json) {
  take_number(json, stacks_.size());
  next_name(json, "frames");
  std::vector<FrameId> frames;
  json.take('[');
  while (!json.take_if(']')) {
    if (!frames.empty()) json.take(',');
    const std::uint64_t number = json.unsigned_number();
    if (number == 0 || number > frames_.size())
      json.fail("the number of a frame above", std::to_string(number));
    frames.push_back(frames_[number - 1]);
  }
  stacks_.push_back(tables_.stacks.intern(frames));
}

void NativeValueReader::define_value(JsonScanner& json) {
  take_number(json, values_.size());
  next_name(json, "is");
  values_.push_back(value(json));
  kept_parts_ += part_count_;
}

/// The keys whose values stand elsewhere, then an entry without them.
void NativeValueReader::define_shape(JsonScanner& json) {
  take_number(json, shapes_.size());
  next_name(json, "keys");
  KeySet keys;
  json.take('[');
  while (!json.take_if(']')) {
    if (keys != KeySet{}) json.take(',');
    const auto known = known_key(tables_.texts.intern(json.text()));
    if (!known || keys.has(*known)) json.fail("keys of an entry, each once", "another text");
    keys.add(*known);
  }
  next_name(json, "is");
  TraceEntry shape;
  fields(json, shape);
  for (std::uint32_t key = 0; key < known_key_count; ++key)
    if (keys.has(static_cast<KnownText>(key)) && shape.keys.has(static_cast<KnownText>(key)))
      json.fail("each key once", "one of them again");
  if (!shape.keys.has(KnownText::action)) json.fail("an entry with an 'action'", "none");
  shape.keys.add_all(keys);
  if (keys_in_event(shape.keys) != keys)
    json.fail("the keys whose values an event holds", "others");
  shapes_.push_back(std::move(shape));
}

TextId NativeValueReader::text(JsonScanner& json) {
  if (json.peek() != '{') return tables_.texts.intern(json.text());
  json.take('{');
  take_name(json, native::text_reference);
  const std::uint64_t number = json.unsigned_number();
  if (number == 0 || number > texts_.size())
    json.fail("the number of a text above", std::to_string(number));
  json.take('}');
  return texts_[number - 1];
}

TextId NativeValueReader::key(JsonScanner& json) { return key_from(json, json.text()); }

TextId NativeValueReader::key_from(JsonScanner& json, std::string_view letters) {
  if (!letters.starts_with(native::special_start)) return tables_.texts.intern(letters);
  const char* end = letters.data() + letters.size();
  std::uint64_t number = 0;
  if (letters.starts_with(native::key_reference))
    if (std::from_chars(letters.data() + native::key_reference.size(), end, number).ptr != end)
      number = 0;
  if (number == 0 || number > texts_.size())
    json.fail("a key, or '$text:' and the number of a text above", "another text with a '$'");
  return texts_[number - 1];
}

StackId NativeValueReader::stack(JsonScanner& json) {
  const std::uint64_t number = json.unsigned_number();
  if (number > stacks_.size()) json.fail("the number of a stack above", std::to_string(number));
  return stack(static_cast<std::uint32_t>(number));
}

allocator::PoolId NativeValueReader::pool(JsonScanner& json) {
  json.take('[');
  const std::uint64_t graph = json.unsigned_number();
  json.take(',');
  const std::uint64_t user = json.unsigned_number();
  json.take(']');
  return {graph, user};
}

template <typename Value>
void NativeValueReader::fields(JsonScanner& json, Value& value) {
  json.take('{');
  bool is_first = true;
  while (!json.take_if('}')) {
    if (!std::exchange(is_first, false)) json.take(',');
    const TextId name = key(json);
    json.take(':');
    const auto known = known_key(name);
    if (!known || !FieldsOf<Value>::keys.has(*known))
      value.unknown.push_back({name, this->value(json)});
    else
      field(json, value, *known);
  }
}

template <typename Value>
void NativeValueReader::field(JsonScanner& json, Value& value, KnownText key) {
  const std::string name(known_text(key));
  if (value.keys.has(key)) json.fail("each key once", "the key '" + name + "' again");
  value.keys.add(key);
  if constexpr (requires { value.history; })
    if (key == KnownText::history) return history(json, value.history);
  if (key == KnownText::blocks) {
    announced_blocks_ = json.unsigned_number();
    return;
  }
  FieldValue field;
  GenericPointer texts;
  if (key == KnownText::frames) {
    field.kind = Kind::stack;
    field.stack = stack(json);
  } else if (key == KnownText::pool_id || key == KnownText::segment_pool_id) {
    field = pool_field(json);
  } else if (key == KnownText::forward_frames) {
    texts = this->value(json);
    field.kind = Kind::generic;
    field.generic = &texts;
  } else {
    field = scalar_field(json);
  }
  if (const char* needed = set_field(value, key, field))
    json.fail(std::string(needed) + " under '" + name + "'", name_of_kind(field.kind));
}

FieldValue NativeValueReader::pool_field(JsonScanner& json) {
  FieldValue field;
  field.kind = Kind::pool;
  field.pool_is_list = json.take_if('{');
  if (field.pool_is_list) take_name(json, native::list);
  field.pool = pool(json);
  if (field.pool_is_list) json.take('}');
  return field;
}

FieldValue NativeValueReader::scalar_field(JsonScanner& json) {
  FieldValue field;
  const char next = json.peek();
  if (next == '"' || next == '{') {
    field.kind = Kind::text;
    field.text = text(json);
  } else if (next == 't' || next == 'f') {
    field.kind = Kind::boolean;
    field.bits = json.boolean() ? 1 : 0;
  } else if (next == 'n') {
    json.null();
  } else {
    const JsonScanner::Number number = json.number();
    field.kind = number.is_whole ? Kind::whole : Kind::real;
    field.bits = number.whole.bits;
    field.is_negative = number.whole.is_negative;
  }
  return field;
}

void NativeValueReader::history(JsonScanner& json, std::vector<HistoryEntry>& history) {
  json.take('[');
  while (!json.take_if(']')) {
    if (!history.empty()) json.take(',');
    fields(json, history.emplace_back());
  }
}

GenericPointer NativeValueReader::value(JsonScanner& json) {
  part_count_ = 0;
  return part(json);
}

/// Its depth is bounded, so this may come back to itself.
GenericPointer NativeValueReader::part(JsonScanner& json) {
  if (kept_parts_ + ++part_count_ > most_parts)
    json.fail("at most " + std::to_string(most_parts) + " values of any shape", "more");
  switch (json.peek()) {
    case '{':
      return object(json);
    case '[': {
      std::vector<GenericPointer> list = items(json);
      return close(json, {GenericList{std::move(list)}, 0});
    }
    case '"':
      return make({tables_.texts.intern(json.text()), 0});
    case 't':
    case 'f':
      return make({json.boolean(), 0});
    case 'n':
      json.null();
      return make({NoneValue{}, 0});
    default: {
      const JsonScanner::Number number = json.number();
      if (number.is_whole) return make({number.whole, 0});
      return make({number.real, 0});
    }
  }
}

/// Its depth is one more than that of its deepest part.
GenericPointer NativeValueReader::close(JsonScanner& json, GenericValue value) {
  std::uint32_t deepest = 0;
  const auto look_at = [&](const GenericPointer& part) {
    deepest = std::max(deepest, part->depth);
  };
  if (const auto* dict = std::get_if<GenericDict>(&value.content)) {
    for (const auto& [key, item] : dict->items) {
      look_at(key);
      look_at(item);
    }
  } else if (const auto* list = std::get_if<GenericList>(&value.content)) {
    for (const GenericPointer& item : list->items) look_at(item);
  } else if (const auto* tuple = std::get_if<GenericTuple>(&value.content)) {
    for (const GenericPointer& item : tuple->items) look_at(item);
  }
  value.depth = deepest + 1;
  if (value.depth > deepest_generic_value)
    json.fail("at most " + std::to_string(deepest_generic_value) + " levels", "more");
  return make(std::move(value));
}

std::vector<GenericPointer> NativeValueReader::items(JsonScanner& json) {
  if (++open_count_ > deepest_generic_value)
    json.fail("at most " + std::to_string(deepest_generic_value) + " levels", "more");
  std::vector<GenericPointer> items;
  json.take('[');
  while (!json.take_if(']')) {
    if (!items.empty()) json.take(',');
    items.push_back(part(json));
  }
  --open_count_;
  return items;
}

GenericPointer NativeValueReader::object(JsonScanner& json) {
  json.take('{');
  if (json.take_if('}')) return close(json, {GenericDict{}, 0});
  const std::string_view name = json.text();
  if (name.starts_with(native::special_start) && !name.starts_with(native::key_reference))
    return special(json, name);
  const TextId first_key = key_from(json, name);
  return close(json, {dict_from(json, first_key), 0});
}

GenericDict NativeValueReader::dict_from(JsonScanner& json, TextId first_key) {
  if (++open_count_ > deepest_generic_value)
    json.fail("at most " + std::to_string(deepest_generic_value) + " levels", "more");
  GenericDict dict;
  TextId next_key = first_key;
  while (true) {
    json.take(':');
    dict.items.emplace_back(make({next_key, 0}), part(json));
    if (json.take_if('}')) break;
    json.take(',');
    next_key = key(json);
  }
  --open_count_;
  return dict;
}

GenericPointer NativeValueReader::special(JsonScanner& json, std::string_view name) {
  // Taking the colon overwrites what the name looks at.
  const std::string kind(name);
  json.take(':');
  GenericPointer value;
  if (kind == native::text_reference) {
    const std::uint64_t number = json.unsigned_number();
    if (number == 0 || number > texts_.size())
      json.fail("the number of a text above", std::to_string(number));
    value = make({texts_[number - 1], 0});
  } else if (kind == native::value_reference) {
    const std::uint64_t number = json.unsigned_number();
    if (number == 0 || number > values_.size())
      json.fail("the number of a value above", std::to_string(number));
    value = values_[number - 1];
  } else if (kind == native::tuple) {
    std::vector<GenericPointer> parts = items(json);
    value = close(json, {GenericTuple{std::move(parts)}, 0});
  } else if (kind == native::pairs) {
    value = close(json, {pairs(json), 0});
  } else if (kind == native::real_bits) {
    value = real_of_bits(json);
  } else {
    json.fail("one of the forms that begin with '$'", "another one");
  }
  json.take('}');
  return value;
}

GenericPointer NativeValueReader::real_of_bits(JsonScanner& json) {
  const std::string_view hex = json.text();
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), bits, 16);
  if (error != std::errc{} || end != hex.data() + hex.size())
    json.fail("the bits of a double in hexadecimal digits", "another text");
  return make({std::bit_cast<double>(bits), 0});
}

GenericDict NativeValueReader::pairs(JsonScanner& json) {
  if (++open_count_ > deepest_generic_value)
    json.fail("at most " + std::to_string(deepest_generic_value) + " levels", "more");
  GenericDict dict;
  json.take('[');
  while (!json.take_if(']')) {
    if (!dict.items.empty()) json.take(',');
    json.take('[');
    GenericPointer key = part(json);
    json.take(',');
    dict.items.emplace_back(std::move(key), part(json));
    json.take(']');
  }
  --open_count_;
  return dict;
}

template void NativeValueReader::fields(JsonScanner&, FrameValue&);
template void NativeValueReader::fields(JsonScanner&, TraceEntry&);
template void NativeValueReader::fields(JsonScanner&, SegmentValue&);
template void NativeValueReader::fields(JsonScanner&, BlockValue&);
template void NativeValueReader::fields(JsonScanner&, AnnotationValue&);

}  // namespace vramlab::traces
