// `vramlab_soak streams PROGRAMS SEED`: random programs on the simulated streams and on their naive
// twin, side by side.
#pragma once

#include <cstdint>

namespace vramlab::tests {

struct StreamsSoak {
  std::uint64_t wanted_programs = 1'000'000;
  std::uint64_t seed = 1;
};

/// Prints the seed of every program that differs; returns how many did.
std::uint64_t soak_streams(const StreamsSoak& soak);

}  // namespace vramlab::tests
