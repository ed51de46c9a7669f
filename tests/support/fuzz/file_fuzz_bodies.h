// The rules of what opens packed files and of the reader of memory timelines, for every input,
// sensible or not.
#pragma once

#include <optional>
#include <string>

namespace vramlab::support {

// A sentence about the first broken rule, or nothing.
std::optional<std::string> broken_rule_of_packed_file(const std::string& bytes);
std::optional<std::string> broken_rule_of_memory_timeline(const std::string& bytes);

}  // namespace vramlab::support
