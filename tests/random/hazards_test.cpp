// The hazard checker beside the interleavings of small random programs: exactly the hazards that
// some order shows are found, in thousands of programs. A failure names the seed and the program.
#include <gtest/gtest.h>

#include "tests/support/hazard_program.h"
#include "tests/support/interleavings.h"

namespace vramlab::tests {
namespace {

constexpr std::uint64_t programs_per_family = 3000;

void compare(const HazardProgramTraits& traits, std::uint64_t first_seed) {
  std::size_t hazardous = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + programs_per_family; ++seed) {
    HazardProgram program = random_hazard_program(traits, seed);
    const FoundHazards by_checker = hazards_by_checker(program);
    const FoundHazards by_orders = hazards_by_interleavings(program);
    hazardous += by_orders.empty() ? 0 : 1;
    ASSERT_EQ(by_checker, by_orders) << "seed " << seed << "\n"
                                     << text_of(program) << "checker:\n"
                                     << text_of(by_checker) << "interleavings:\n"
                                     << text_of(by_orders);
  }
  // Programs of both sorts, or nothing is compared.
  EXPECT_GT(hazardous, programs_per_family / 20);
  EXPECT_LT(hazardous, programs_per_family - programs_per_family / 20);
}

TEST(RandomHazards, one_thread_on_memory_that_stays) {
  compare({.has_memory_reuse = false, .works = 5}, 1);
}

TEST(RandomHazards, one_thread_with_frees_and_reuse) { compare({}, 10'001); }

TEST(RandomHazards, two_threads) { compare({.threads = 2}, 20'001); }

TEST(RandomHazards, graphs) { compare({.has_graphs = true, .works = 6}, 30'001); }

TEST(RandomHazards, graphs_of_two_threads) {
  compare({.threads = 2, .has_graphs = true, .works = 6}, 40'001);
}

}  // namespace
}  // namespace vramlab::tests
