// A round of mixed programs: threads beside each other on one shim, then everything is given back,
// and nothing may be left of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/shim/mix/mixed_setup.h"

namespace vramlab::tests {

struct MixedRound {
  std::uint64_t seed = 0;
  std::uint64_t steps_each = 0;
  std::size_t threads = 0;
};

struct MixedOutcome {
  /// Races, leaks, broken captures, and answers that nobody expects; sentences.
  std::vector<std::string> problems;
  std::uint64_t driver_calls = 0;
  std::uint64_t driver_allocations = 0;
};

/// A thread that makes no step for five minutes ends the process with a sentence.
MixedOutcome run_mixed(const MixedRound& round, MixedOptions options);
inline MixedOutcome run_mixed(const MixedRound& round) {
  return run_mixed(round, mixed_options(round.seed));
}

}  // namespace vramlab::tests
