// WorkloadRandom: the numbers that a synthetic workload draws (splitmix64). The same seed gives the
// same numbers on every machine, which the standard library's distributions do not promise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vramlab::traces {

class WorkloadRandom {
 public:
  explicit WorkloadRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }
  /// From [0, count). Requires: count is not 0.
  std::uint64_t below(std::uint64_t count) { return next() % count; }
  /// The same as a place in memory.
  std::size_t index_below(std::size_t count) { return static_cast<std::size_t>(below(count)); }
  /// From [first, last]. Requires: first is not above last, and the span is not all numbers.
  std::uint64_t between(std::uint64_t first, std::uint64_t last) {
    return first + below(last - first + 1);
  }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace vramlab::traces
