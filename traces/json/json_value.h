// JsonValue: a place in a parsed JSON document that knows the way to it. Every question says what
// is expected, and fails with an InputError that names file and path where it is something else.
//
// A value looks at the one it was reached through, which must live as long.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace vramlab::traces {

/// Parses a whole text. Refuses nesting deeper than any of our formats has. Throws InputError.
nlohmann::json parse_json(std::string_view text, const std::string& file);

class JsonValue {
 public:
  static constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

  /// The whole document. Both arguments must outlive it.
  JsonValue(const nlohmann::json& document, const std::string& file)
      : value_(&document), file_(&file) {}

  bool is_null() const;
  bool is_text() const;
  bool is_array() const;
  /// A whole number from 0 to `maximum`.
  std::uint64_t number(std::uint64_t maximum = largest) const;
  std::int64_t signed_number() const;
  double real() const;
  bool boolean() const;
  const std::string& text() const;

  std::size_t array_size() const;
  /// Requires: the index is below array_size().
  JsonValue at(std::size_t index) const;

  JsonValue key(std::string_view name) const;
  std::optional<JsonValue> find(std::string_view name) const;
  /// Fails where there is a key that is not among the known ones.
  void only_keys(std::initializer_list<std::string_view> known) const;

  /// As JSON writes it, shortened; an array or object only by its kind.
  std::string shown() const;
  [[noreturn]] void fail(const std::string& expected) const;
  /// Such as `expect.trace[3][1]`.
  std::string path() const;

 private:
  JsonValue(const nlohmann::json& value, const JsonValue& parent)
      : value_(&value), file_(parent.file_), parent_(&parent) {}

  const nlohmann::json* value_;
  const std::string* file_;
  const JsonValue* parent_ = nullptr;
  /// Empty in an array.
  std::string_view name_;
  std::size_t index_ = 0;
};

}  // namespace vramlab::traces
