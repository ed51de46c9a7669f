#include "tools/printers/text_lines.h"

#include <algorithm>

namespace vramlab::tools {

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

void add_line(std::string& text, const std::string& name, const std::string& value) {
  text += "  " + padded(name, line_name_width) + " " + value + "\n";
}

}  // namespace vramlab::tools
