// TimedStreams and NaiveStreams run the same random programs and agree on everything. A failure
// names the seed; VRAMLAB_RANDOM_SEED=<seed> makes it the first one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/support/naive/streams_side_by_side.h"
#include "tests/support/programs/random_streams.h"

namespace vramlab::tests {
namespace {

constexpr std::uint64_t stream_program_count = 10000;

std::uint64_t first_stream_seed() {
  const char* wanted = std::getenv("VRAMLAB_RANDOM_SEED");
  return wanted == nullptr ? 1 : std::strtoull(wanted, nullptr, 10);
}

TEST(StreamsBesideNaiveStreams, agree_on_everything) {
  const std::uint64_t first = first_stream_seed();
  for (std::uint64_t seed = first; seed < first + stream_program_count; ++seed) {
    const StreamProgram program = make_random_stream_program(seed);
    const auto difference = first_stream_difference(program);
    ASSERT_FALSE(difference) << *difference << "\nshortened:\n"
                             << explain_stream_difference(program);
  }
}

TEST(StreamsBesideNaiveStreams, random_programs_come_to_everything) {
  StreamTally tally;
  for (std::uint64_t seed = 1; seed <= 500; ++seed)
    first_stream_difference(make_random_stream_program(seed), tally);
  EXPECT_GT(tally.calls, 10'000U);
  EXPECT_GT(tally.refused, 1'000U);
  EXPECT_LT(tally.refused, tally.calls / 2);
  EXPECT_GT(tally.items, 5'000U);
  EXPECT_GT(tally.graph_nodes, 100U);
  EXPECT_GT(tally.never_made, 20U);
  EXPECT_GT(tally.stuck_programs, 20U);
  EXPECT_GT(tally.lost_contexts, 20U);
}

}  // namespace
}  // namespace vramlab::tests
