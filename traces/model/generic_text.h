// Values of any shape: how they are made, looked into and written as text; and whole numbers of
// more than 64 bits, which are converted between the bytes of a pickle and the digits of JSON, and
// not calculated with.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

/// A value of these contents, one level deeper than its deepest part.
GenericValue generic_value(decltype(GenericValue::content) content);
GenericPointer make_generic(decltype(GenericValue::content) content);

/// The items of a list or tuple; null for anything else.
template <typename Value>
auto* items_of(Value& value) {
  auto* const list = std::get_if<GenericList>(&value.content);
  auto* const tuple = std::get_if<GenericTuple>(&value.content);
  return list != nullptr ? &list->items : tuple != nullptr ? &tuple->items : nullptr;
}

/// Calls `on_part` with each item of a value, and with the keys of a dict.
template <typename OnPart>
void each_part(const GenericValue& value, const OnPart& on_part) {
  if (const auto* items = items_of(value))
    for (const GenericPointer& item : *items) on_part(*item);
  if (const auto* dict = std::get_if<GenericDict>(&value.content))
    for (const auto& [key, item] : dict->items) {
      on_part(*key);
      on_part(*item);
    }
}

std::string whole_text(WholeNumber number);
/// The shortest spelling that reads back as the same number, and never as a whole number.
std::string real_text(double number);

/// As Python writes it; a large value is cut off and ends with `...`.
std::string generic_text(const GenericValue& value, const TextTable& texts);

/// The items of a dict; any other value has none.
std::vector<std::pair<std::string, std::string>> items_as_text(const GenericValue& dict,
                                                               const TextTable& texts);

/// The last item of a dict under this name; null where there is none.
const GenericValue* find_item(const GenericValue& dict, std::string_view name,
                              const TextTable& texts);

/// A copy of a dict with another value under a name that it has.
GenericPointer with_item(const GenericValue& dict, std::string_view name,
                         const GenericPointer& value, const TextTable& texts);

/// Whether it is this text.
bool is_text(const GenericValue& value, std::string_view text, const TextTable& texts);

/// True, or a list with a true item.
bool says_true(const GenericValue& value);

// Whole numbers of more than 64 bits.

inline constexpr std::size_t most_number_bytes = 255;
/// Numbers of this many digits fit into most_number_bytes.
inline constexpr std::size_t most_number_digits = 613;

/// The decimal digits of a two's complement, lowest byte first. Requires: there is a byte.
std::string decimal_of(std::string_view bytes);
/// The reverse, in as few bytes as leave the highest bit as the sign. Requires: digits, perhaps
/// behind a `-`.
std::string bytes_of_decimal(std::string_view decimal);
/// Without the last bytes that only repeat the sign.
std::string_view without_needless_bytes(std::string_view bytes);

}  // namespace vramlab::traces
