// Side by side: a program is run on two allocators, each on a simulated device of its own, and all
// their answers are compared. The result is the first difference, as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "replay/replayer/subjects.h"
#include "tests/support/twin/textbook_twin.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::tests {

/// The two that are compared; the left one's rules can be checked as well.
struct Pairing {
  replay::SubjectFactory left = replay::make_engine_subject;
  replay::SubjectFactory right = make_twin_subject;
};

enum class RuleChecks : std::uint8_t { none, now_and_then, after_every_call };

/// Empty if both agree on everything and the left one breaks no rule of its own.
std::optional<std::string> first_difference(const traces::RecordedProgram& program,
                                            RuleChecks checks, const Pairing& pairing = {});

/// The same difference with the program it takes, with calls left out as long as some difference
/// remains. It is for reading, and takes a few hundred runs.
std::string explain_difference(traces::RecordedProgram program, RuleChecks checks,
                               const Pairing& pairing = {});

}  // namespace vramlab::tests
