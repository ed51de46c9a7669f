// The rules of pinned host memory in every native trace, sensible or not: in a recording's
// sections, and in a program's events. The fuzz target feeds any bytes, a test feeds samples.
#pragma once

#include <optional>
#include <string>

namespace vramlab::support {

/// A sentence about the first broken rule, or nothing.
std::optional<std::string> broken_rule_of_host_memory(const std::string& native_text);

}  // namespace vramlab::support
