#include "traces/native/native_value_reader.h"

#include <bit>
#include <charconv>
#include <utility>

#include "allocator/types/check.h"
#include "traces/model/generic_text.h"
#include "traces/native/native_layout.h"

namespace vramlab::traces {
namespace {

/// Null if a letter is no hexadecimal digit.
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

[[noreturn]] void fail_as_too_deep(const JsonLines& json) {
  json.fail("at most " + std::to_string(deepest_generic_value) + " levels", "more");
}

}  // namespace

void NativeValueReader::take_name(JsonLines& json, std::string_view name) {
  if (const std::string_view found = json.text(); found != name)
    json.fail_at_text("'" + std::string(name) + "'", found);
  json.take(':');
}

void NativeValueReader::next_name(JsonLines& json, std::string_view name) {
  json.take(',');
  take_name(json, name);
}

void NativeValueReader::take_number(JsonLines& json, std::size_t count_before) {
  if (const std::uint64_t number = json.unsigned_number(); number != count_before + 1)
    json.fail("the number " + std::to_string(count_before + 1), std::to_string(number));
}

void NativeValueReader::define_text(JsonLines& json) {
  take_number(json, texts_.size());
  json.take(',');
  const std::string_view spelling = json.text();
  const bool is_hex = spelling == "hex";
  if (!is_hex && spelling != "is") json.fail_at_text("'is' or 'hex'", spelling);
  json.take(':');
  const std::string_view letters = json.text();
  if (!is_hex) {
    texts_.push_back(tables_.texts.intern(letters));
    return;
  }
  const auto bytes = bytes_of_hex(letters);
  if (!bytes) json.fail_at_text("pairs of hexadecimal digits", letters);
  texts_.push_back(tables_.texts.intern(*bytes));
}

void NativeValueReader::define_frame(JsonLines& json) {
  take_number(json, frames_.size());
  next_name(json, "is");
  FrameValue frame;
  fields(json, frame);
  frames_.push_back(tables_.frames.intern(frame));
}

void NativeValueReader::define_stack(JsonLines& json) {
  take_number(json, stacks_.size());
  next_name(json, "frames");
  std::vector<FrameId> frames;
  json.take_list([&] { frames.push_back(above(json, frames_, "frame")); });
  stacks_.push_back(tables_.stacks.intern(frames));
}

void NativeValueReader::define_value(JsonLines& json) {
  take_number(json, values_.size());
  next_name(json, "is");
  values_.push_back(value(json));
  kept_parts_ += part_count_;
}

/// The keys whose values stand elsewhere, then an entry without them.
void NativeValueReader::define_shape(JsonLines& json) {
  take_number(json, shapes_.size());
  next_name(json, "keys");
  KeySet keys;
  json.take_list([&] {
    const std::string_view letters = json.text();
    const auto known = known_key(tables_.texts.intern(letters));
    if (!known || keys.has(*known)) json.fail_at_text("keys of an entry, each once", letters);
    keys.add(*known);
  });
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

TextId NativeValueReader::text(JsonLines& json) {
  if (json.peek() != '{') return tables_.texts.intern(json.text());
  json.take('{');
  take_name(json, native::text_reference);
  const TextId text = above(json, texts_, "text");
  json.take('}');
  return text;
}

TextId NativeValueReader::key(JsonLines& json) { return key_from(json, json.text()); }

TextId NativeValueReader::key_from(JsonLines& json, std::string_view letters) {
  if (!letters.starts_with(native::special_start)) return tables_.texts.intern(letters);
  const char* end = letters.data() + letters.size();
  std::uint64_t number = 0;
  if (letters.starts_with(native::key_reference))
    if (std::from_chars(letters.data() + native::key_reference.size(), end, number).ptr != end)
      number = 0;
  if (number == 0 || number > texts_.size())
    json.fail_at_text("a key, or '$text:' and the number of a text above", letters);
  return texts_[as_index(number - 1)];
}

StackId NativeValueReader::stack(JsonLines& json) {
  const std::uint64_t number = json.unsigned_number();
  if (number > stacks_.size()) json.fail("the number of a stack above", std::to_string(number));
  return stack(static_cast<std::uint32_t>(number));
}

PoolId NativeValueReader::pool(JsonLines& json) {
  json.take('[');
  const std::uint64_t graph = json.unsigned_number();
  json.take(',');
  const std::uint64_t user = json.unsigned_number();
  json.take(']');
  return {graph, user};
}

template <typename Value>
void NativeValueReader::fields(JsonLines& json, Value& value) {
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
void NativeValueReader::field(JsonLines& json, Value& value, KnownText key) {
  const std::string name(known_text(key));
  if (value.keys.has(key)) json.fail("each key once", "the key '" + name + "' again");
  if constexpr (requires { value.history; }) {
    if (key == KnownText::history) {
      value.keys.add(key);
      return history(json, value.history);
    }
  }
  if (key == KnownText::blocks) {
    value.keys.add(key);
    announced_blocks_ = json.unsigned_number();
    return;
  }
  FieldValue field;
  GenericPointer any_shape;
  const bool may_have_parts =
      key == KnownText::forward_frames || FieldsOf<Value>::describing.has(key);
  if (key == KnownText::frames) {
    field = stack(json);
  } else if (key == KnownText::pool_id || key == KnownText::segment_pool_id) {
    field = pool_field(json);
  } else if (may_have_parts && (json.peek() == '[' || json.peek() == '{')) {
    any_shape = this->value(json);
    field = field_from_generic(any_shape, key, tables_);
  } else {
    field = scalar_field(json);
  }
  if (const char* needed = put_field(value, key, field))
    json.fail(std::string(needed) + " under '" + name + "'", found_text(field, tables_.texts));
}

FieldValue NativeValueReader::pool_field(JsonLines& json) {
  const bool is_list = json.take_if('{');
  if (is_list) take_name(json, native::list);
  const PoolId id = pool(json);
  if (is_list) json.take('}');
  return DecodedPool{id, is_list};
}

FieldValue NativeValueReader::scalar_field(JsonLines& json) {
  if (const char next = json.peek(); next == '"' || next == '{') return text(json);
  FieldValue field;
  json.take_scalar(field);
  return field;
}

void NativeValueReader::history(JsonLines& json, std::vector<HistoryEntry>& history) {
  json.take_list([&] { fields(json, history.emplace_back()); });
}

// Values of any shape.

void NativeValueReader::open_level(const JsonLines& json) {
  if (++open_count_ > deepest_generic_value) fail_as_too_deep(json);
}

GenericPointer NativeValueReader::value(JsonLines& json) {
  part_count_ = 0;
  return part(json);
}

/// Its depth is bounded, so this may come back to itself.
GenericPointer NativeValueReader::part(JsonLines& json) {
  if (kept_parts_ + ++part_count_ > most_parts)
    json.fail("at most " + std::to_string(most_parts) + " values of any shape", "more");
  switch (json.peek()) {
    case '{':
      return object(json);
    case '[':
      return close(json, make_generic(GenericList{items(json)}));
    case '"':
      return make_generic(tables_.texts.intern(json.text()));
    default: {
      FieldValue scalar;
      json.take_scalar(scalar);
      return *generic_from_field(scalar);
    }
  }
}

GenericPointer NativeValueReader::close(JsonLines& json, GenericPointer value) {
  if (value->depth > deepest_generic_value) fail_as_too_deep(json);
  return value;
}

std::vector<GenericPointer> NativeValueReader::items(JsonLines& json) {
  open_level(json);
  std::vector<GenericPointer> items;
  json.take_list([&] { items.push_back(part(json)); });
  --open_count_;
  return items;
}

GenericPointer NativeValueReader::object(JsonLines& json) {
  json.take('{');
  if (json.take_if('}')) return make_generic(GenericDict{});
  const std::string_view name = json.text();
  if (name.starts_with(native::special_start) && !name.starts_with(native::key_reference))
    return special(json, name);
  const TextId first_key = key_from(json, name);
  return close(json, make_generic(dict_from(json, first_key)));
}

GenericDict NativeValueReader::dict_from(JsonLines& json, TextId first_key) {
  open_level(json);
  GenericDict dict;
  TextId next_key = first_key;
  while (true) {
    json.take(':');
    dict.items.emplace_back(make_generic(next_key), part(json));
    if (json.take_if('}')) break;
    json.take(',');
    next_key = key(json);
  }
  --open_count_;
  return dict;
}

GenericPointer NativeValueReader::special(JsonLines& json, std::string_view name) {
  // Taking the colon overwrites what the name looks at.
  const std::string kind(name);
  json.take(':');
  GenericPointer value;
  if (kind == native::text_reference) {
    value = make_generic(above(json, texts_, "text"));
  } else if (kind == native::value_reference) {
    value = above(json, values_, "value");
  } else if (kind == native::tuple) {
    value = close(json, make_generic(GenericTuple{items(json)}));
  } else if (kind == native::pairs) {
    value = close(json, make_generic(pairs(json)));
  } else if (kind == native::real_bits) {
    value = real_of_bits(json);
  } else {
    json.fail_at_text("one of the forms that begin with '$'", kind);
  }
  json.take('}');
  return value;
}

GenericPointer NativeValueReader::real_of_bits(JsonLines& json) {
  const std::string_view hex = json.text();
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), bits, 16);
  if (error != std::errc{} || end != hex.data() + hex.size())
    json.fail_at_text("the bits of a double in hexadecimal digits", hex);
  return make_generic(std::bit_cast<double>(bits));
}

GenericDict NativeValueReader::pairs(JsonLines& json) {
  open_level(json);
  GenericDict dict;
  json.take_list([&] {
    json.take('[');
    GenericPointer key = part(json);
    json.take(',');
    dict.items.emplace_back(std::move(key), part(json));
    json.take(']');
  });
  --open_count_;
  return dict;
}

template void NativeValueReader::fields(JsonLines&, FrameValue&);
template void NativeValueReader::fields(JsonLines&, TraceEntry&);
template void NativeValueReader::fields(JsonLines&, SegmentValue&);
template void NativeValueReader::fields(JsonLines&, BlockValue&);
template void NativeValueReader::fields(JsonLines&, AnnotationValue&);

}  // namespace vramlab::traces
