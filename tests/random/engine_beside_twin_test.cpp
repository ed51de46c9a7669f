// The engine and the textbook twin run the same random programs and agree on everything. A failure
// names the seed; VRAMLAB_RANDOM_SEED=<seed> makes it the first one of every family.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <string>

#include "tests/support/programs/random_programs.h"
#include "tests/support/twin/side_by_side.h"

namespace vramlab::tests {
namespace {

constexpr std::uint64_t programs_per_family = 120;

std::uint64_t first_seed() {
  const char* wanted = std::getenv("VRAMLAB_RANDOM_SEED");
  return wanted == nullptr ? 1 : std::strtoull(wanted, nullptr, 10);
}

/// Short programs are checked after every call, for the checker looks at everything each time.
RuleChecks checks_for(const traces::RecordedProgram& program) {
  return program.calls.size() < 350 ? RuleChecks::after_every_call : RuleChecks::now_and_then;
}

struct Row {
  const allocator::ReferenceVersion* version;
  std::string_view family;
};

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const allocator::ReferenceVersion& version : allocator::reference_versions())
    for (const std::string_view family : random_families(version))
      all.push_back({&version, family});
  return all;
}

std::string name_of(const testing::TestParamInfo<Row>& row) {
  std::string name = std::string(row.param.family) + "_" + std::string(row.param.version->name);
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

class EngineBesideTwin : public testing::TestWithParam<Row> {};

TEST_P(EngineBesideTwin, agree_on_everything) {
  const std::uint64_t first = first_seed();
  for (std::uint64_t seed = first; seed < first + programs_per_family; ++seed) {
    const auto program = make_random_program({GetParam().version, GetParam().family, seed});
    const auto difference = first_difference(program, checks_for(program));
    ASSERT_FALSE(difference) << *difference << "\nshortened:\n"
                             << explain_difference(program, checks_for(program));
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EngineBesideTwin, testing::ValuesIn(rows()), name_of);

}  // namespace
}  // namespace vramlab::tests
