// RandomNumbers: the numbers that random tests draw, the same on every machine.
#pragma once

#include <iterator>

#include "traces/workloads/workload_random.h"

namespace vramlab::tests {

class RandomNumbers : public traces::WorkloadRandom {
 public:
  using WorkloadRandom::WorkloadRandom;

  template <typename Choices>
  const auto& pick(const Choices& choices) {
    return choices[static_cast<std::size_t>(below(std::size(choices)))];
  }
};

}  // namespace vramlab::tests
