// The rules of the readers of native traces for every input, sensible or not.
#pragma once

#include <optional>
#include <string>

namespace vramlab::support {

// A sentence about the first broken rule, or nothing.
std::optional<std::string> broken_rule_of_native_text(const std::string& bytes);
std::optional<std::string> broken_rule_of_native_binary(const std::string& bytes);
std::optional<std::string> broken_rule_of_native_script(const std::string& bytes);

/// A binary trace with right lengths and checksums, out of any bytes: a length, as many bytes of
/// lines, then events. So a fuzzer gets behind the checksums.
std::string assembled_binary(const std::string& bytes);

}  // namespace vramlab::support
