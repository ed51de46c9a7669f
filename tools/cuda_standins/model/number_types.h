// Types of numbers as the names of kernels have them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vramlab::dry_run {

struct NumberType {
  std::string_view mangled;
  bool is_floating_point = false;
  std::uint8_t bytes = 0;
};

/// The one that the text begins with, or null.
inline const NumberType* number_type_at(std::string_view text) {
  static constexpr std::array<NumberType, 9> types = {{
      {"f", true, 4},
      {"d", true, 8},
      {"N3c104HalfE", true, 2},
      {"N3c108BFloat16E", true, 2},
      {"l", false, 8},
      {"i", false, 4},
      {"s", false, 2},
      {"a", false, 1},
      {"b", false, 1},
  }};
  for (const NumberType& type : types)
    if (text.starts_with(type.mangled)) return &type;
  return nullptr;
}

}  // namespace vramlab::dry_run
