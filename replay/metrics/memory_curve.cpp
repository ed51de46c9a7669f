#include "replay/metrics/memory_curve.h"

#include "allocator/types/check.h"

namespace vramlab::replay {

MemoryCurve::MemoryCurve(std::size_t most_steps) : most_steps_(most_steps) {
  check(most_steps >= 2, "a curve that can be halved has two steps");
}

void MemoryCurve::reach_last_event() {
  while ((last_event_ >> doublings_) >= most_steps_) join_pairs();
  const std::uint64_t last_step = last_event_ >> doublings_;
  if (last_step < steps_.size()) return;
  // What is held until the first event of a step is no part of it.
  const bool is_first = last_event_ == last_step << doublings_;
  steps_.resize(as_index(last_step), level_);
  steps_.push_back(is_first ? MemoryLevel{} : level_);
}

void MemoryCurve::join_pairs() {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const MemoryLevel step = steps_[i];
    if (i % 2 == 0)
      steps_[i / 2] = step;
    else
      raise(steps_[i / 2], step);
  }
  steps_.resize((steps_.size() + 1) / 2);
  ++doublings_;
}

}  // namespace vramlab::replay
