// Lines of reports for people: names in one column, values beside them.
#pragma once

#include <string>

namespace vramlab::tools {

/// Filled up with spaces behind it, or before it.
std::string padded(std::string text, std::size_t width);
std::string right(const std::string& text, std::size_t width);

inline constexpr std::size_t line_name_width = 18;
void add_line(std::string& text, const std::string& name, const std::string& value);

}  // namespace vramlab::tools
