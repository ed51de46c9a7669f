#include "tools/printers/duration_text.h"

#include <array>
#include <cstdio>

namespace vramlab::tools {

std::string duration_text(std::uint64_t time_us) {
  std::array<char, 48> text{};
  const auto us = static_cast<double>(time_us);
  if (time_us < 1000)
    std::snprintf(text.data(), text.size(), "%.0f us", us);
  else if (time_us < 1'000'000)
    std::snprintf(text.data(), text.size(), "%.2f ms", us / 1e3);
  else
    std::snprintf(text.data(), text.size(), "%.2f s", us / 1e6);
  return text.data();
}

std::string nanoseconds_text(std::uint64_t time_ns) {
  if (time_ns < 1000) return std::to_string(time_ns) + " ns";
  if (time_ns >= 1'000'000) return duration_text(time_ns / 1000);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.2f us", static_cast<double>(time_ns) / 1e3);
  return text.data();
}

}  // namespace vramlab::tools
