#include "allocator/types/ids.h"

#include <array>
#include <charconv>

namespace vramlab::allocator {

std::string name_of(Address address) {
  std::array<char, 16> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), address.value, 16);
  return "0x" + std::string(digits.data(), end);
}

std::string name_of(PoolId pool) {
  return "(" + std::to_string(pool.graph) + ", " + std::to_string(pool.user) + ")";
}

}  // namespace vramlab::allocator
