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

/// `5.2`.
std::string rule_name(allocator::Rule rule);
/// Without the marks of Markdown.
std::string rule_text(allocator::Rule rule);

}  // namespace vramlab::tools
