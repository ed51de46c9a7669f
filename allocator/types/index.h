// as_index(), as_limit(): a number of 64 bits as an index or a size in memory, which may have 32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "allocator/types/check.h"

namespace vramlab {

/// Requires: the number is one of something that fits into memory.
constexpr std::size_t as_index(std::uint64_t number) {
  if constexpr (sizeof(std::size_t) < sizeof(number))
    check(number <= std::numeric_limits<std::size_t>::max(), "an index fits into memory");
  return static_cast<std::size_t>(number);
}

/// A bound on how many there may be; one that nothing can reach is as good as none.
constexpr std::size_t as_limit(std::uint64_t number) {
  constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(number < most ? number : most);
}

}  // namespace vramlab
