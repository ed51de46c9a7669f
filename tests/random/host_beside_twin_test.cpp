// The engine of pinned memory and its twin run the same random programs and agree on everything.
#include <gtest/gtest.h>

#include "tests/support/programs/random_host_programs.h"
#include "tests/support/twin/host_side_by_side.h"

namespace vramlab::tests {
namespace {

TEST(HostBesideTwin, agree_on_everything) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const auto difference = first_host_difference(make_random_host_program(seed));
    ASSERT_FALSE(difference) << *difference;
  }
}

TEST(HostBesideTwin, notice_a_rule_of_another_version) {
  ReferenceVersion mixed = *allocator::find_reference_version("2.14");
  mixed.host = allocator::find_reference_version("2.6")->host;
  HostPairing pairing;
  pairing.right = [&mixed](allocator::HostSystem& system, const ReferenceVersion&) {
    return make_host_twin(system, mixed);
  };
  int differences = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    if (const auto program = make_random_host_program(seed); program.version->name == "2.14")
      differences += first_host_difference(program, pairing) ? 1 : 0;
  EXPECT_GT(differences, 3);
}

}  // namespace
}  // namespace vramlab::tests
