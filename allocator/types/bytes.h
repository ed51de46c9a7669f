// Bytes: an amount of memory. A distinct type, so that a size is never mistaken for an address or a
// count. Arithmetic is exact; the literals 512_B, 2_KiB, 5_MiB, 1_GiB make tests and rules
// readable.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace vramlab::allocator {

struct Bytes {
  std::uint64_t count = 0;

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
  friend constexpr Bytes operator*(Bytes a, std::uint64_t n) { return {a.count * n}; }
  friend constexpr std::uint64_t operator/(Bytes a, Bytes b) { return a.count / b.count; }
  constexpr Bytes& operator+=(Bytes b) { return count += b.count, *this; }
  constexpr Bytes& operator-=(Bytes b) { return count -= b.count, *this; }
};

/// The smallest multiple of `step` that is not below `size`. Requires: step is not zero.
constexpr Bytes round_up(Bytes size, Bytes step) {
  return {(size.count + step.count - 1) / step.count * step.count};
}

/// For tables, whose sizes are written without a unit.
constexpr Bytes mebibytes(std::uint64_t count) { return {count << 20}; }

namespace literals {
constexpr Bytes operator""_B(unsigned long long n) { return {n}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return {n << 10}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return {n << 20}; }
constexpr Bytes operator""_GiB(unsigned long long n) { return {n << 30}; }
}  // namespace literals

/// `N bytes` below 1024, else two decimals in KiB, MiB or GiB. The unit fits the rounded number:
/// there is no `1024.00 KiB`, which the reference prints for 1 MiB.
std::string format_bytes(Bytes size);

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::Bytes, allocator::format_bytes, allocator::mebibytes, allocator::round_up;
}  // namespace vramlab
