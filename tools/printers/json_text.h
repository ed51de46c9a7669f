// How every command prints JSON. Names of files and other texts may be any bytes, and JSON is
// UTF-8: each byte that is not UTF-8 becomes U+FFFD, the sign for an unknown letter.
#pragma once

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "replay/figures/metrics.h"

namespace vramlab::tools {

/// A whole document: two blanks for each level, and a line break behind it.
std::string json_text(const nlohmann::ordered_json& document);

/// Without blanks and line breaks, for what stands inside of something else.
std::string compact_json_text(const nlohmann::ordered_json& value);

/// A value as it is, an amount of bytes as their number, and null where there is none.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  if (!value) return nullptr;
  if constexpr (requires { value->count; })
    return value->count;
  else
    return *value;
}

nlohmann::ordered_json metrics_json(const replay::MetricValues& values);

/// A ratio as a number from 0 to 1, others as they are.
nlohmann::ordered_json metric_number(const replay::MetricValue& value);

}  // namespace vramlab::tools
