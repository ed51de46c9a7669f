// Recorded programs and recordings on a LiveDevice over the fake driver, beside the simulation. And
// the comparison can fail: a driver that decides otherwise is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/live/fake_gpu.h"
#include "tests/live/live_runs.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t large_gpu = 1ULL << 40;

TEST(LiveCases, every_recorded_program_decides_live_as_simulated) {
  const std::vector<std::string> files = recorded_case_files();
  ASSERT_GT(files.size(), 70U);
  for (const std::string& file : files) {
    const FakeGpu gpu(large_gpu);
    const traces::RecordedProgram program = traces::read_recorded_program(file);
    EXPECT_THAT(live_differences(program, live_on(gpu.driver())), IsEmpty()) << file;
  }
}

TEST(LiveCases, a_driver_that_refuses_once_is_found) {
  FakeGpu gpu(large_gpu);
  gpu.fail_once("cuMemAlloc_v2", CUDA_ERROR_OUT_OF_MEMORY);
  const auto program = traces::read_recorded_program(recorded_case("train-1065.json.gz").string());
  const auto differences = live_differences(program, live_on(gpu.driver()));
  ASSERT_FALSE(differences.empty());
  EXPECT_THAT(differences.front(), HasSubstr("device actions[0]"));
}

class LiveSamples : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, LiveSamples, testing::ValuesIn(live_samples));

TEST_P(LiveSamples, decide_live_as_simulated) {
  const FakeGpu gpu(large_gpu);
  expect_same_decisions(run_sample_live(gpu.driver(), GetParam()));
}

TEST_P(LiveSamples, decide_live_as_simulated_with_expandable_segments) {
  const FakeGpu gpu(large_gpu);
  expect_same_decisions(run_sample_live(gpu.driver(), GetParam(), "expandable_segments:True"));
}

TEST(LiveBesideSimulated, a_gpu_with_less_memory_than_the_replay_thinks_is_found) {
  const FakeGpu gpu(16ULL << 20);
  const LiveRun run = run_sample_live(gpu.driver(), "leak.vtrace");
  ASSERT_EQ(run.comparisons.size(), 1U);
  ASSERT_TRUE(run.comparisons[0]->difference.has_value());
  EXPECT_THAT(run.comparisons[0]->difference->live, HasSubstr("no room"));
}

}  // namespace
}  // namespace vramlab::tests
