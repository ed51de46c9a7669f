#include "replay/bench/yardstick.h"

namespace vramlab::replay {

Yardstick::Yardstick(std::size_t set_size) {
  while (elements_.size() < set_size) elements_.insert(random_element());
}

std::uint64_t Yardstick::next_random() {
  random_state_ ^= random_state_ << 13;
  random_state_ ^= random_state_ >> 7;
  random_state_ ^= random_state_ << 17;
  return random_state_;
}

std::size_t Yardstick::random_size() { return (next_random() >> 32) % 4000 * 512 + 512; }

Yardstick::Element Yardstick::random_element() {
  const std::size_t size = random_size();
  return {0, size, next_random() >> 16};
}

double Yardstick::measure_slice(const std::function<double()>& clock) {
  constexpr int operations = 2'000'000 / 7;
  const double begin = clock();
  for (int i = 0; i < operations; ++i) {
    auto found = elements_.lower_bound({0, random_size(), 0});
    if (found == elements_.end()) found = elements_.begin();
    elements_.erase(found);
    elements_.insert(random_element());
  }
  return (clock() - begin) / operations;
}

}  // namespace vramlab::replay
