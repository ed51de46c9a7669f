// Values of any shape: made, looked into, and as text.
#pragma once

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
/// The shortest spelling that reads back as the same number, and never one of a whole number.
std::string real_text(double number);

/// As Python writes it; of a large value the beginning, then `...`.
std::string generic_text(const GenericValue& value, const TextTable& texts);

/// The items of a dict; none of anything else.
std::vector<std::pair<std::string, std::string>> items_as_text(const GenericValue& dict,
                                                               const TextTable& texts);

/// The last item of a dict under this name; null where there is none.
const GenericValue* find_item(const GenericValue& dict, std::string_view name,
                              const TextTable& texts);

/// True, or a list with a true item.
bool says_true(const GenericValue& value);

}  // namespace vramlab::traces
