// The hazard checker beside the interleavings of small random programs: exactly the hazards that
// some order shows are found, in thousands of programs. A failure names the seed and the program.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/cases/hazard_program.h"
#include "tests/support/cases/interleavings.h"

namespace vramlab::tests {
namespace {

constexpr std::uint64_t hazard_programs = 3000;

void compare(const HazardProgramTraits& traits, std::uint64_t first_seed) {
  std::size_t hazardous = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + hazard_programs; ++seed) {
    HazardProgram program = random_hazard_program(traits, seed);
    const FoundHazards by_checker = hazards_by_checker(program);
    const FoundHazards by_orders = hazards_by_interleavings(program, RacingPairs::last_ones);
    hazardous += by_orders.empty() ? 0 : 1;
    ASSERT_EQ(by_checker, by_orders) << "seed " << seed << "\n"
                                     << text_of(program) << "checker:\n"
                                     << text_of(by_checker) << "interleavings:\n"
                                     << text_of(by_orders);
  }
  // Both sorts of programs came up; otherwise the comparison would be empty.
  EXPECT_GT(hazardous, hazard_programs / 20);
  EXPECT_LT(hazardous, hazard_programs - hazard_programs / 20);
}

/// Which of two accesses comes last may be known only when a flag is written, so the checker names
/// some pairs that others stand for. Where work never ends, it takes writes of flags for made that
/// never are.
void compare_with_flags(const HazardProgramTraits& traits, std::uint64_t first_seed) {
  std::size_t hazardous = 0;
  std::size_t stuck = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + hazard_programs; ++seed) {
    HazardProgram program = random_hazard_program(traits, seed);
    const FoundHazards found = hazards_by_checker(program);
    const FoundHazards all = hazards_by_interleavings(program, RacingPairs::all);
    const FoundHazards needed = hazards_by_interleavings(program, RacingPairs::last_ones);
    hazardous += needed.empty() ? 0 : 1;
    stuck += program.is_stuck ? 1 : 0;
    ASSERT_TRUE((program.is_stuck || std::ranges::includes(all, found)) &&
                std::ranges::includes(found, needed))
        << "seed " << seed << "\n"
        << text_of(program) << "checker:\n"
        << text_of(found) << "interleavings:\n"
        << text_of(all) << "of them needed:\n"
        << text_of(needed);
  }
  EXPECT_GT(hazardous, hazard_programs / 20);
  EXPECT_LT(hazardous, hazard_programs - hazard_programs / 20);
  EXPECT_LT(stuck, hazard_programs / 2);
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

TEST(RandomHazards, flags) {
  compare_with_flags({.has_memory_reuse = false, .has_flags = true, .works = 6}, 50'001);
}

TEST(RandomHazards, flags_of_two_threads) {
  compare_with_flags({.threads = 2, .has_memory_reuse = false, .has_flags = true, .works = 6},
                     60'001);
}

}  // namespace
}  // namespace vramlab::tests
