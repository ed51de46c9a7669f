// Random stream programs for an executor: those of random_streams.h, without calls that a real
// device can't make or that could hold it for ever. They have a single device, no flags, no faults,
// no streams that nobody made (their handles would be wild), and no work that runs more often than
// an executor counts.
#pragma once

#include <cstdint>

#include "tests/support/programs/stream_program.h"

namespace vramlab::tests {

/// No call is refused because of a capture, and no answer rests on what
/// docs/reference/stream_model.md decided by itself: captures are relaxed, every stream that joins
/// comes back, the legacy stream is not asked, and no blocking stream is destroyed.
StreamProgram make_device_program(std::uint64_t seed);

/// Captures in every mode, with every misuse of them.
StreamProgram make_capture_misuse_program(std::uint64_t seed);

}  // namespace vramlab::tests
