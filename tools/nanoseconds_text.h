// How long something took, for people, from nanoseconds on: `12 ns`, `3.40 us`, `1.25 s`.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "tools/duration_text.h"

namespace vramlab::tools {

inline std::string nanoseconds_text(std::uint64_t time_ns) {
  constexpr std::uint64_t ns_of_a_us = 1'000;
  constexpr std::uint64_t few_us = 1'000 * ns_of_a_us;
  if (time_ns < ns_of_a_us) return std::to_string(time_ns) + " ns";
  if (time_ns >= few_us) return duration_text(time_ns / ns_of_a_us);
  char letters[32];
  std::snprintf(letters, sizeof letters, "%.2f us", static_cast<double>(time_ns) / 1000.0);
  return letters;
}

}  // namespace vramlab::tools
