#include "tests/benchmarks/yardstick.h"

#include <chrono>

namespace vramlab::tests {

double steady_nanoseconds() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Yardstick::Yardstick(std::size_t set_size) {
  while (elements_.size() < set_size) elements_.insert(random_element());
}

std::size_t Yardstick::random_size() {
  return (next_random(random_state_) >> 32) % 4000 * 512 + 512;
}

Yardstick::Element Yardstick::random_element() {
  const std::size_t size = random_size();
  return {0, size, next_random(random_state_) >> 16};
}

double Yardstick::measure_slice() {
  constexpr int operations = 2'000'000 / 7;
  const double begin = steady_nanoseconds();
  for (int i = 0; i < operations; ++i) {
    auto found = elements_.lower_bound({0, random_size(), 0});
    if (found == elements_.end()) found = elements_.begin();
    elements_.erase(found);
    elements_.insert(random_element());
  }
  return (steady_nanoseconds() - begin) / operations;
}

}  // namespace vramlab::tests
