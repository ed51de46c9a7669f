// Programs of calls made from a seed, the same on every machine. They come in families, each with
// its own mix of calls, options and device sizes, like the recorded cases, and have their form.
//
// All calls are allowed where they stand, so that their effects are defined; only the family
// "misuse" makes calls that must be refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/reference_version.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::tests {

/// The names of the families that a version of the reference has.
std::vector<std::string_view> random_families(const allocator::ReferenceVersion& version);

struct ProgramWish {
  const allocator::ReferenceVersion* version = nullptr;
  std::string_view family;
  std::uint64_t seed = 0;
};
/// A program of 100 to 1,000 calls, as the seed says.
traces::RecordedProgram make_random_program(const ProgramWish& wish);
/// The seed draws the version and the family too.
traces::RecordedProgram make_random_program(std::uint64_t seed);

/// A line with the origin of the program and its start.
std::string describe(const traces::RecordedProgram& program);

}  // namespace vramlab::tests
