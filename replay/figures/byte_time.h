// ByteTime: memory times how long it was held, exactly, in integers: byte-seconds and the rest in
// byte-microseconds. Nothing is rounded, and what does not fit stays at the most that does.
#pragma once

#include <compare>
#include <cstdint>

#include "allocator/words/bytes.h"

namespace vramlab::replay {

inline constexpr std::uint64_t microseconds_per_second = 1'000'000;

struct ByteTime {
  std::uint64_t byte_seconds = 0;
  /// What is left, in byte-microseconds; below a million.
  std::uint64_t rest = 0;

  friend constexpr auto operator<=>(const ByteTime&, const ByteTime&) = default;
  ByteTime& operator+=(const ByteTime& other);
};

/// What `bytes` cost that were held for so long.
ByteTime held_for(allocator::Bytes bytes, std::uint64_t microseconds);

/// At most the largest number there is.
std::uint64_t bounded_sum(std::uint64_t a, std::uint64_t b);
std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b);

}  // namespace vramlab::replay
