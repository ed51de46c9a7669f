// Values of any shape as text, and looking into them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/values/snapshot_tables.h"

namespace vramlab::traces {

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
