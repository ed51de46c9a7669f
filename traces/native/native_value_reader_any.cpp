// Values of any shape.
#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "traces/native/native_layout.h"
#include "traces/native/native_value_reader.h"

namespace vramlab::traces {
namespace {

GenericPointer make(GenericValue value) {
  return std::make_shared<const GenericValue>(std::move(value));
}

[[noreturn]] void fail_as_too_deep(const JsonLines& json) {
  json.fail("at most " + std::to_string(deepest_generic_value) + " levels", "more");
}

}  // namespace

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
    case '[': {
      std::vector<GenericPointer> list = items(json);
      return close(json, {GenericList{std::move(list)}, 0});
    }
    case '"':
      return make({tables_.texts.intern(json.text()), 0});
    default: {
      FieldValue scalar;
      json.take_scalar(scalar);
      return *generic_from_field(scalar);
    }
  }
}

/// Its depth is one more than that of its deepest part.
GenericPointer NativeValueReader::close(JsonLines& json, GenericValue value) {
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
  if (value.depth > deepest_generic_value) fail_as_too_deep(json);
  return make(std::move(value));
}

std::vector<GenericPointer> NativeValueReader::items(JsonLines& json) {
  open_level(json);
  std::vector<GenericPointer> items;
  json.take('[');
  while (!json.take_if(']')) {
    if (!items.empty()) json.take(',');
    items.push_back(part(json));
  }
  --open_count_;
  return items;
}

GenericPointer NativeValueReader::object(JsonLines& json) {
  json.take('{');
  if (json.take_if('}')) return close(json, {GenericDict{}, 0});
  const std::string_view name = json.text();
  if (name.starts_with(native::special_start) && !name.starts_with(native::key_reference))
    return special(json, name);
  const TextId first_key = key_from(json, name);
  return close(json, {dict_from(json, first_key), 0});
}

GenericDict NativeValueReader::dict_from(JsonLines& json, TextId first_key) {
  open_level(json);
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

GenericPointer NativeValueReader::special(JsonLines& json, std::string_view name) {
  // Taking the colon overwrites what the name looks at.
  const std::string kind(name);
  json.take(':');
  GenericPointer value;
  if (kind == native::text_reference) {
    value = make({above(json, texts_, "text"), 0});
  } else if (kind == native::value_reference) {
    value = above(json, values_, "value");
  } else if (kind == native::tuple) {
    std::vector<GenericPointer> parts = items(json);
    value = close(json, {GenericTuple{std::move(parts)}, 0});
  } else if (kind == native::pairs) {
    value = close(json, {pairs(json), 0});
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
  return make({std::bit_cast<double>(bits), 0});
}

GenericDict NativeValueReader::pairs(JsonLines& json) {
  open_level(json);
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

}  // namespace vramlab::traces
