// Random programs of calls on streams, determined by their seed: some without a fault, some full of
// misuse, captures, flags that nobody writes, or faults.
#pragma once

#include <cstdint>

#include "tests/support/programs/stream_program.h"

namespace vramlab::tests {

StreamProgram make_random_stream_program(std::uint64_t seed);

}  // namespace vramlab::tests
