// Splitting: whether the remainder of a block becomes a free block of its own when a smaller
// request takes the block, or stays with it unused.
#pragma once

#include <array>
#include <cstddef>

#include "allocator/options/settings.h"
#include "allocator/options/size_rules.h"
#include "allocator/types/snapshot.h"

namespace vramlab::allocator {

/// A remainder below this is not split off in a small pool or with expandable segments on.
inline constexpr Bytes small_remainder{512};
/// Elsewhere a remainder is split off only above this.
inline constexpr Bytes large_remainder{1ULL << 20};

/// Which remainders are split off a block: all of them in a small pool and in an expandable
/// segment, large ones below the split limit elsewhere.
enum class SplitRule : bool { all_remainders, large_remainders };

/// Arithmetic and no condition: the pool of a request cannot be foreseen.
constexpr SplitRule split_rule_of(PoolKind kind, Mode mode) {
  static_assert(PoolKind{1} == PoolKind::large && Mode{1} == Mode::expandable &&
                SplitRule{1} == SplitRule::large_remainders);
  return static_cast<SplitRule>(static_cast<unsigned>(kind) & ~static_cast<unsigned>(mode) & 1U);
}

constexpr bool is_split_off(Bytes block, Bytes rounded, SplitRule rule, const Settings& settings) {
  const Bytes remainder = block - rounded;
  if (rule == SplitRule::large_remainders && rounded >= settings.max_split_size) [[unlikely]]
    return false;
  // Without a branch: the rule changes with each request's pool.
  constexpr std::array<Bytes, 2> least = {small_remainder, large_remainder + Bytes{1}};
  return remainder >= least[static_cast<std::size_t>(rule)];
}

}  // namespace vramlab::allocator
