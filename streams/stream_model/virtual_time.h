// Time in a simulation: whole nanoseconds, from any beginning. Nothing here looks at a real clock.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace vramlab::streams {

struct Duration {
  std::uint64_t ns = 0;
  friend constexpr auto operator<=>(Duration, Duration) = default;
};

struct Time {
  std::uint64_t ns = 0;
  friend constexpr auto operator<=>(Time, Time) = default;
  /// Stops at the end of time instead of starting over.
  friend constexpr Time operator+(Time at, Duration by) {
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - at.ns;
    return {at.ns + (by.ns < room ? by.ns : room)};
  }
  /// Requires: `from` is not later.
  friend constexpr Duration operator-(Time to, Time from) { return {to.ns - from.ns}; }
};

}  // namespace vramlab::streams
