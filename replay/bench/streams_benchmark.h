// What a call on simulated streams costs, beside the yardstick of the engine's benchmark: kernels
// and copies, records and waits on streams taken at random, a question now and then, and a
// synchronisation for every thousand calls.
#pragma once

#include <cstdint>

#include "replay/bench/engine_benchmark.h"

namespace vramlab::replay {

struct StreamsMix {
  std::uint64_t operations = 0;
  std::uint32_t streams = 0;
};

struct StreamsBenchmarkRow {
  StreamsMix mix;
  /// The best of several runs.
  double ns_per_operation = 0;
  /// The best of several slices, between those runs.
  double yardstick_ns = 0;
  /// When the last work ended, in virtual time: the same on every machine.
  std::uint64_t end_ns = 0;
};

StreamsBenchmarkRow benchmark_streams(const StreamsMix& mix, const Clock& clock);

}  // namespace vramlab::replay
