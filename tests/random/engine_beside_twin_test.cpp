// The engine and the textbook twin run the same random programs and agree on everything. A failure
// names the seed; VRAMLAB_RANDOM_SEED=<seed> makes it the first one of every family.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/support/programs/family_rows.h"
#include "tests/support/twin/side_by_side.h"

namespace vramlab::tests {
namespace {

constexpr std::uint64_t programs_beside_twin = 120;

std::uint64_t first_seed() {
  const char* wanted = std::getenv("VRAMLAB_RANDOM_SEED");
  return wanted == nullptr ? 1 : std::strtoull(wanted, nullptr, 10);
}

/// Short programs are checked after every call, for the checker looks at everything each time.
RuleChecks checks_for(const traces::RecordedProgram& program) {
  return program.calls.size() < 350 ? RuleChecks::after_every_call : RuleChecks::now_and_then;
}

class EngineBesideTwin : public testing::TestWithParam<FamilyRow> {};

TEST_P(EngineBesideTwin, agree_on_everything) {
  const std::uint64_t first = first_seed();
  for (std::uint64_t seed = first; seed < first + programs_beside_twin; ++seed) {
    const auto program = make_random_program({GetParam().version, GetParam().family, seed});
    const auto difference = first_difference(program, checks_for(program));
    ASSERT_FALSE(difference) << *difference << "\nshortened:\n"
                             << explain_difference(program, checks_for(program));
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EngineBesideTwin, testing::ValuesIn(family_rows()), name_of_row);

}  // namespace
}  // namespace vramlab::tests
