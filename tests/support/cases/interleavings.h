// Interleavings: the hazards of a small program, found by trying in which orders its work can run.
// It shares nothing with the hazard checker but the program and the names of the hazards: streams
// are queues, a host thread makes its calls one after another, and each of them goes on or not.
//
// Before each choice, host calls and marks on streams go on as far as they can. They only ever let
// more work go on, so no order of the work is lost.
#pragma once

#include <cstdint>

#include "tests/support/cases/hazard_program.h"

namespace vramlab::tests {

enum class RacingPairs : std::uint8_t {
  all,
  /// Pairs that another found pair stands for are left out: an access that is put in order with the
  /// later of two ordered accesses is in order with the earlier one.
  last_ones,
};

FoundHazards hazards_by_interleavings(const HazardProgram& program, RacingPairs pairs);

}  // namespace vramlab::tests
