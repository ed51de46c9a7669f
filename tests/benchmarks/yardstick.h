// The yardstick of the benchmarks. Ratios to it can be compared where machines differ and are
// noisy: it is measured in the same run on the same machine.
//
// One yardstick is one lower_bound, erase and insert on a std::set of (int, size, address) of a
// given number of elements, with random sizes (4,000 multiples of 512) and random addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>

namespace vramlab::tests {

/// Since some fixed moment.
double steady_nanoseconds();

/// The next number of a row that the state names (xorshift).
inline std::uint64_t next_random(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

class Yardstick {
 public:
  explicit Yardstick(std::size_t set_size);

  /// Nanoseconds per operation over a slice of the 2,000,000 that seven slices make up.
  double measure_slice();

 private:
  using Element = std::tuple<int, std::size_t, std::size_t>;

  std::size_t random_size();
  Element random_element();

  std::set<Element> elements_;
  std::uint64_t random_state_ = 0x9E3779B97F4A7C15ULL;
};

}  // namespace vramlab::tests
