// Interleavings: the hazards of a small program, found by trying in which orders its work can run.
// Shares nothing with the hazard checker but the program and the names of the hazards: streams are
// queues, a host thread makes its calls one after another, and whatever may go on does so or not.
//
// Host calls and marks on streams are let go on as far as they can before each choice. They only
// ever let more go on, so no order of the work is lost by it.
#pragma once

#include <cstdint>

#include "tests/support/cases/hazard_program.h"

namespace vramlab::tests {

enum class RacingPairs : std::uint8_t {
  all,
  /// Without those that another found pair stands for: whoever is put in order with the later of
  /// two accesses that are in order is so with the earlier one.
  last_ones,
};

FoundHazards hazards_by_interleavings(const HazardProgram& program, RacingPairs pairs);

}  // namespace vramlab::tests
