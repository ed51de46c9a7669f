// The rules of every option string, sensible or not. The fuzz target feeds any bytes, the tests
// feed seeded strings; both ask for the first rule that is broken.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vramlab::support {

/// A sentence about the first broken rule, or nothing. Sets the string with each version, from the
/// default settings and from those that the other version left behind.
std::optional<std::string> broken_rule_of_settings(std::string_view text);

}  // namespace vramlab::support
