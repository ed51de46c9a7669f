// Values of any shape.
#include <bit>
#include <charconv>
#include <utility>

#include "traces/native/native_layout.h"
#include "traces/native/native_value_reader.h"
#include "traces/values/generic_text.h"

namespace vramlab::traces {
namespace {

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
