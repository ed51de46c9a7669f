// Programs of calls for pinned memory made from a seed, the same on every machine. Each has its own
// mix of options, pools, captures, failures and history, and calls that are refused, too.
#pragma once

#include <cstdint>

#include "traces/cases/recorded_case.h"

namespace vramlab::tests {

/// From 50 to 450 calls; the seed draws the version, too.
traces::HostProgram make_random_host_program(std::uint64_t seed);

}  // namespace vramlab::tests
