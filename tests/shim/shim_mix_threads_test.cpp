// A hundredth of the long random run that mixes all the shim knows of (tools/dev/soak.sh shim), and
// that the run is loud when something is taken out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/mix/mixed_round.h"

namespace vramlab::tests {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class ShimMixThreads : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, ShimMixThreads, testing::Range<std::uint64_t>(1, 17));

TEST_P(ShimMixThreads, race_for_nothing_leak_nothing_and_break_no_capture) {
  EXPECT_THAT(run_mixed({GetParam(), 160, 4}).problems, IsEmpty());
}

TEST(ShimMix, of_one_thread_does_the_same_with_the_same_seed) {
  const MixedRound round{3, 600, 1};
  const std::uint64_t calls = run_mixed(round).driver_calls;
  EXPECT_EQ(run_mixed(round).driver_calls, calls);
  EXPECT_NE(run_mixed({7, 600, 1}).driver_calls, calls);
}

TEST(ShimMix, finds_races_where_nothing_is_fenced) {
  MixedOptions options = mixed_options(4);
  options.shim.recorder = no_fences();
  EXPECT_THAT(run_mixed({4, 2000, 1}, std::move(options)).problems, Contains(HasSubstr("a race")));
}

TEST(ShimMix, finds_memory_that_is_not_given_back) {
  MixedOptions options = mixed_options(1);
  options.shim.change_driver = [](streams::CudaDriver& driver) {
    driver.mem_free = [](CUdeviceptr) { return CUDA_SUCCESS; };
  };
  EXPECT_THAT(run_mixed({1, 200, 1}, std::move(options)).problems, Contains(HasSubstr("leaked")));
}

TEST(ShimMix, finds_events_that_nobody_keeps) {
  MixedOptions options = mixed_options(1);
  options.shim.change_driver = [](streams::CudaDriver& driver) {
    driver.event_create = [](CUevent* event, unsigned flags) {
      const auto create = fake_function<PFN_cuEventCreate_v2000>("cuEventCreate");
      CUevent lost = nullptr;
      create(&lost, flags);
      return create(event, flags);
    };
  };
  EXPECT_THAT(run_mixed({1, 200, 1}, std::move(options)).problems,
              Contains(HasSubstr("events are there")));
}

}  // namespace
}  // namespace vramlab::tests
