// Printing of JSON, the same for every command. Names of files and other texts may be any bytes,
// and JSON is UTF-8: each byte that is not UTF-8 becomes U+FFFD, the replacement character. Letters
// that act on a terminal are escapes, so a document may be printed as it is.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>

#include "replay/metrics/metrics.h"

namespace vramlab::tools {

/// A whole document, indented by two blanks a level, with a line break at its end.
std::string json_text(const nlohmann::ordered_json& document);

/// A value without blanks and line breaks, to be put inside another text.
std::string compact_json_text(const nlohmann::ordered_json& value);

/// The value as it is, bytes as their number, and null for an empty optional.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  if (!value) return nullptr;
  if constexpr (requires { value->count; })
    return value->count;
  else
    return *value;
}

/// Null for an empty text.
inline nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

/// The text of a member; empty if it is missing or no text.
std::string text_in(const nlohmann::ordered_json& object, const char* name);

// The result of a function for a value, or for each item of a list. Several commands have functions
// of one name, so the value's type chooses the function.

template <class Value>
using JsonOf = nlohmann::ordered_json (*)(const Value&);

template <class Value, class Function>
  requires std::is_class_v<Function>
nlohmann::ordered_json or_null(const std::optional<Value>& value, const Function& json_of) {
  return value ? nlohmann::ordered_json(json_of(*value)) : nlohmann::ordered_json();
}
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value,
                               JsonOf<std::type_identity_t<Value>> json_of) {
  return value ? json_of(*value) : nlohmann::ordered_json();
}

template <class Items, class Function>
  requires std::is_class_v<Function>
nlohmann::ordered_json json_list(const Items& items, const Function& json_of) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}
template <class Items>
nlohmann::ordered_json json_list(const Items& items,
                                 JsonOf<std::ranges::range_value_t<Items>> json_of) {
  return json_list(items, [json_of](const auto& item) { return json_of(item); });
}

nlohmann::ordered_json metrics_json(const replay::MetricValues& values);

/// A ratio is a number from 0 to 1; other values stay as they are.
nlohmann::ordered_json metric_number(const replay::MetricValue& value);

}  // namespace vramlab::tools
