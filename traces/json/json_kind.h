// The kind of a JSON file, told from the keys at its beginning. The programs that write such files
// don't agree on an order of keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vramlab::traces {

enum class JsonKind : std::uint8_t { snapshot, profiler, memory_timeline };

/// The kind that the first bytes of a JSON text tell by the keys of the top level, or of the first
/// item of a list, or by a list of lists of numbers. Null if they don't tell yet.
std::optional<JsonKind> json_kind_of(std::string_view start);

}  // namespace vramlab::traces
