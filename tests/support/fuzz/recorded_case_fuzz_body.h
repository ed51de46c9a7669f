// The rules of the reader of recorded cases for every input, sensible or not.
#pragma once

#include <optional>
#include <string>

namespace vramlab::support {

/// A sentence about the first broken rule, or nothing.
std::optional<std::string> broken_rule_of_recorded_case(const std::string& bytes);

}  // namespace vramlab::support
