// What may be missing, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace vramlab::tools {

/// A value as it is, an amount of bytes as their number, and null where there is none.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  if (!value) return nullptr;
  if constexpr (requires { value->count; })
    return value->count;
  else
    return *value;
}

}  // namespace vramlab::tools
