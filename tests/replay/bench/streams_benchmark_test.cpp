// The benchmark of simulated streams: its figures, on a clock of the test's own.
#include "replay/bench/streams_benchmark.h"

#include <gtest/gtest.h>

namespace vramlab::tests {
namespace {

constexpr replay::StreamsMix small_mix{.operations = 5000, .streams = 8};

TEST(StreamsBenchmark, divides_what_a_run_took_by_its_operations) {
  double now = 0;
  // Each look at the clock is 10,000 ns later.
  const auto row = replay::benchmark_streams(small_mix, [&now] { return now += 10'000; });
  EXPECT_DOUBLE_EQ(row.ns_per_operation, 2);
}

TEST(StreamsBenchmark, comes_to_the_same_end_in_virtual_time_each_time) {
  double now = 0;
  const auto clock = [&now] { return now += 1; };
  const auto row = replay::benchmark_streams(small_mix, clock);
  // A call takes a microsecond.
  EXPECT_GE(row.end_ns, 5'000'000U);
  EXPECT_EQ(row.end_ns, replay::benchmark_streams(small_mix, clock).end_ns);
}

}  // namespace
}  // namespace vramlab::tests
