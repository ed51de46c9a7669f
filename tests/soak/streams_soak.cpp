#include "tests/soak/streams_soak.h"

#include <algorithm>
#include <cstdio>

#include "tests/support/naive/streams_side_by_side.h"
#include "tests/support/programs/random_streams.h"

namespace vramlab::tests {
namespace {

void report(const StreamTally& tally, std::uint64_t failures) {
  const auto figure = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
  std::printf(
      "%llu programs, %llu calls (%llu refused, %llu never made), %llu items (%llu graph nodes), "
      "%llu programs stuck, %llu contexts lost: %llu differences\n",
      figure(tally.programs), figure(tally.calls), figure(tally.refused), figure(tally.never_made),
      figure(tally.items), figure(tally.graph_nodes), figure(tally.stuck_programs),
      figure(tally.lost_contexts), figure(failures));
  std::fflush(stdout);
}

}  // namespace

std::uint64_t soak_streams(const StreamsSoak& soak) {
  StreamTally tally;
  std::uint64_t failures = 0;
  const std::uint64_t between_reports = std::max<std::uint64_t>(soak.wanted_programs / 20, 1);
  for (std::uint64_t seed = soak.seed; tally.programs < soak.wanted_programs; ++seed) {
    const auto difference = first_stream_difference(make_random_stream_program(seed), tally);
    if (difference) {
      ++failures;
      std::printf("DIFFERENCE: %s\n", difference->c_str());
    }
    if (tally.programs % between_reports == 0) report(tally, failures);
  }
  if (tally.programs % between_reports != 0) report(tally, failures);
  return failures;
}

}  // namespace vramlab::tests
