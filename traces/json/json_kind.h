// Which kind of JSON file this is: told from the keys that stand at its beginning, as those who
// write such files don't agree on an order.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vramlab::traces {

enum class JsonKind : std::uint8_t { snapshot, profiler };

/// What the first bytes of a JSON text tell: the keys of the top level, or those of the first item
/// of a list. Null if they don't tell yet.
std::optional<JsonKind> json_kind_of(std::string_view start);

}  // namespace vramlab::traces
