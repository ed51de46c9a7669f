// HeldCurve: how much was held over time, in a few steps of equal length however long it goes on.
// For each step it keeps the most that was held at any moment in it.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {

// ByteTime: memory times how long it was held, exactly, in integers: byte-seconds and the rest in
// byte-microseconds. It is not rounded, and what does not fit stays at the most that does.

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

struct HeldStep {
  /// [from, to) in the clock of the curve; the last one reaches to its end.
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  allocator::Bytes most;
};

class HeldCurve {
 public:
  /// Requires: begin is not after end, and at least one step is wanted. If the time does not
  /// suffice for so many there are fewer.
  HeldCurve(std::uint64_t begin, std::uint64_t end, std::uint32_t step_count);

  /// So much is held from now on. Requires: times don't go back, and are within the curve.
  void change(std::uint64_t now, allocator::Bytes level);
  /// Until the end of the curve.
  std::vector<HeldStep> finish();

 private:
  std::size_t step_at(std::uint64_t time) const;
  /// The level of now counts in every step up to that of `now`.
  void carry_to(std::uint64_t now);

  std::vector<HeldStep> steps_;
  std::size_t at_ = 0;
  allocator::Bytes level_;
};

}  // namespace vramlab::replay
