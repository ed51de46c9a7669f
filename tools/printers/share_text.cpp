#include "tools/printers/share_text.h"

#include <cstdio>

namespace vramlab::tools {

std::string percent_text(double percent) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", percent);
  return text;
}

std::string ratio_text(std::int64_t millionths) {
  return percent_text(static_cast<double>(millionths) / 1e4);
}

std::string percent_above(allocator::Bytes size, allocator::Bytes other) {
  if (size <= other) return "+0 %";
  char text[32];
  std::snprintf(text, sizeof text, "+%.2f %%",
                other.count == 0 ? 0.0
                                 : static_cast<double>((size - other).count) * 100.0 /
                                       static_cast<double>(other.count));
  return text;
}

}  // namespace vramlab::tools
