#include "replay/figures/byte_time.h"

#include <limits>

namespace vramlab::replay {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::uint64_t bounded_sum(std::uint64_t a, std::uint64_t b) { return a > most - b ? most : a + b; }

std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > most / b ? most : a * b;
}

ByteTime& ByteTime::operator+=(const ByteTime& other) {
  rest += other.rest;
  byte_seconds =
      bounded_sum(bounded_sum(byte_seconds, other.byte_seconds), rest / microseconds_per_second);
  rest %= microseconds_per_second;
  return *this;
}

/// Cut at a million on both sides, so that only whole byte-seconds can be too large.
ByteTime held_for(allocator::Bytes bytes, std::uint64_t microseconds) {
  const std::uint64_t seconds = microseconds / microseconds_per_second;
  const std::uint64_t below = microseconds % microseconds_per_second;
  ByteTime held{bounded_sum(bounded_product(bytes.count, seconds),
                            bytes.count / microseconds_per_second * below),
                0};
  const std::uint64_t rest = bytes.count % microseconds_per_second * below;
  held += {rest / microseconds_per_second, rest % microseconds_per_second};
  return held;
}

}  // namespace vramlab::replay
