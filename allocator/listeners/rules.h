// Rule: a row of docs/reference/fidelity.md by its number, such as 5.2.
#pragma once

#include <compare>
#include <cstdint>

namespace vramlab::allocator {

struct Rule {
  std::uint8_t section = 0;
  std::uint8_t number = 0;
  auto operator<=>(const Rule&) const = default;
};

}  // namespace vramlab::allocator
