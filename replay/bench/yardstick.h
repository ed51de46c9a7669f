// The yardstick of the benchmarks: an ordered set under random best-fit look-ups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <tuple>

namespace vramlab::replay {

class Yardstick {
 public:
  explicit Yardstick(std::size_t set_size);

  /// Nanoseconds per operation over a slice of the 2,000,000 that seven slices make up.
  double measure_slice(const std::function<double()>& clock);

 private:
  using Element = std::tuple<int, std::size_t, std::size_t>;

  std::uint64_t next_random();
  std::size_t random_size();
  Element random_element();

  std::set<Element> elements_;
  std::uint64_t random_state_ = 0x9E3779B97F4A7C15ULL;
};

}  // namespace vramlab::replay
