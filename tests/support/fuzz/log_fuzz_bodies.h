// The rules of the readers of logs that name memory by its address for every input, sensible or
// not.
#pragma once

#include <optional>
#include <string>

namespace vramlab::support {

// A sentence about the first broken rule, or nothing.
std::optional<std::string> broken_rule_of_profiler_json(const std::string& bytes);
std::optional<std::string> broken_rule_of_rmm_log(const std::string& bytes);
std::optional<std::string> broken_rule_of_bfc_log(const std::string& bytes);

}  // namespace vramlab::support
