#include "traces/json/json_value.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "allocator/types/check.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

using nlohmann::json;

constexpr std::size_t deepest_nesting = 64;
constexpr std::size_t longest_quote = 60;

/// The place at which the nesting gets too deep. It counts brackets outside of strings, so the text
/// need not be valid JSON.
std::optional<std::size_t> find_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_nesting) return i;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

std::string quoted(std::string text) {
  if (text.size() > longest_quote) text = text.substr(0, longest_quote) + "...";
  // An error is one line.
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

std::string describe(const json& value) {
  if (value.is_array()) return "an array of " + std::to_string(value.size());
  if (value.is_object()) return "an object";
  constexpr int no_indent = -1;
  return quoted(value.dump(no_indent, ' ', false, json::error_handler_t::replace));
}

/// The text from the byte at which the parser stopped; it counts from 1.
std::string text_at(std::string_view text, std::size_t byte) {
  constexpr std::size_t shown_bytes = 20;
  const std::size_t start = byte == 0 ? 0 : byte - 1;
  if (start >= text.size()) return "the end of the text";
  std::string shown(text.substr(start, shown_bytes));
  // The bytes may be anything, also half a character.
  std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  return "'" + shown + "'";
}

}  // namespace

json parse_json(std::string_view text, const std::string& file) {
  if (const auto byte = find_too_deep(text))
    throw InputError({file, "byte " + std::to_string(*byte),
                      "nesting at most " + std::to_string(deepest_nesting) + " deep",
                      "deeper nesting"});
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    throw InputError(
        {file, "byte " + std::to_string(error.byte), "JSON", text_at(text, error.byte)});
  } catch (const json::exception& error) {
    throw InputError({file, "", "JSON", quoted(error.what())});
  }
}

bool JsonValue::is_null() const { return value_->is_null(); }

bool JsonValue::is_text() const { return value_->is_string(); }

bool JsonValue::is_array() const { return value_->is_array(); }

std::uint64_t JsonValue::number(std::uint64_t maximum) const {
  if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > maximum)
    fail("a whole number from 0 to " + std::to_string(maximum));
  return value_->get<std::uint64_t>();
}

std::int64_t JsonValue::signed_number() const {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  const bool too_large = value_->is_number_unsigned() && value_->get<std::uint64_t>() > most;
  if (!value_->is_number_integer() || too_large) fail("a whole number");
  return value_->get<std::int64_t>();
}

double JsonValue::real() const {
  if (!value_->is_number()) fail("a number");
  return value_->get<double>();
}

bool JsonValue::boolean() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

const std::string& JsonValue::text() const {
  if (!value_->is_string()) fail("a text");
  return value_->get_ref<const std::string&>();
}

std::size_t JsonValue::array_size() const {
  if (!value_->is_array()) fail("an array");
  return value_->size();
}

JsonValue JsonValue::at(std::size_t index) const {
  check(index < array_size(), "an index lies in its array");
  JsonValue child((*value_)[index], *this);
  child.index_ = index;
  return child;
}

JsonValue JsonValue::key(std::string_view name) const {
  if (auto child = find(name)) return *child;
  throw InputError({*file_, path(), "the key '" + std::string(name) + "'", "no such key"});
}

std::optional<JsonValue> JsonValue::find(std::string_view name) const {
  if (!value_->is_object()) fail("an object");
  const auto found = value_->find(name);
  if (found == value_->end()) return std::nullopt;
  JsonValue child(*found, *this);
  child.name_ = found.key();
  return child;
}

void JsonValue::only_keys(std::initializer_list<std::string_view> known) const {
  if (!value_->is_object()) fail("an object");
  for (const auto& [name, value] : value_->items()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw InputError({*file_, path(), "only known keys", "the key '" + quoted(name) + "'"});
  }
}

std::string JsonValue::shown() const { return describe(*value_); }

void JsonValue::fail(const std::string& expected) const {
  throw InputError({*file_, path(), expected, shown()});
}

std::string JsonValue::path() const {
  std::string path;
  for (const JsonValue* place = this; place->parent_ != nullptr; place = place->parent_) {
    std::string step = place->name_.empty() ? "[" + std::to_string(place->index_) + "]"
                                            : std::string(place->name_);
    if (!path.empty() && path.front() != '[') step += '.';
    path.insert(0, step);
  }
  return path.empty() ? "the top" : path;
}

}  // namespace vramlab::traces
