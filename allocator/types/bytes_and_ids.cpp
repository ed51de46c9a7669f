#include "allocator/types/bytes_and_ids.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace vramlab::allocator {

std::string format_bytes(Bytes size) {
  if (size.count < 1024) return std::to_string(size.count) + " bytes";
  struct Unit {
    const char* name;
    double bytes;
  };
  constexpr std::array<Unit, 5> units = {
      {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"PiB", 0x1p50}}};
  std::size_t unit = 0;
  const auto bytes = static_cast<double>(size.count);
  // A number that two decimals would round up to 1024 of a unit is shown in the next one.
  constexpr double most = 1023.995;
  while (unit + 1 < units.size() && bytes >= most * units[unit].bytes) ++unit;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.2f %s", bytes / units[unit].bytes, units[unit].name);
  return text.data();
}

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
