// Side by side: one program is run on two allocators, each on a simulated device of its own, and
// everything they answer is compared. What comes back is the first difference, as text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "replay/allocator_subject.h"
#include "tests/support/random_programs.h"

namespace vramlab::tests {

struct StartedSubject {
  std::unique_ptr<replay::AllocatorSubject> subject;
  std::optional<allocator::SettingsError> config_error;
};
using SubjectMaker = std::function<StartedSubject(allocator::Device&, const RandomProgram&)>;

StartedSubject make_engine(allocator::Device& device, const RandomProgram& program);
StartedSubject make_twin(allocator::Device& device, const RandomProgram& program);

/// The two that are compared; the left one's rules can be checked as well.
struct Pairing {
  SubjectMaker left = make_engine;
  SubjectMaker right = make_twin;
};

enum class RuleChecks : std::uint8_t { none, now_and_then, after_every_call };

/// Nothing where both agree on everything and the left one breaks no rule of its own.
std::optional<std::string> first_difference(const RandomProgram& program, RuleChecks checks,
                                            const Pairing& pairing = {});

/// The same difference with the program it takes, with calls left out as long as some difference
/// remains. For reading; it takes a few hundred runs.
std::string explain_difference(RandomProgram program, RuleChecks checks,
                               const Pairing& pairing = {});

}  // namespace vramlab::tests
