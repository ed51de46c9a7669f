// The texts of the rules that the allocator announces, from docs/reference/fidelity.md. The build
// writes the function (cmake/RuleTexts.cmake).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "allocator/listeners/rules.h"

namespace vramlab::tools {

struct RuleText {
  allocator::Rule rule;
  std::string_view text;
};

std::span<const RuleText> rule_texts();

}  // namespace vramlab::tools
