// Recorded programs and samples on a real GPU, beside the simulation. What needs more memory than
// the GPU has free is left out, and counted.
#include <gmock/gmock.h>

#include <iostream>

#include "tests/gpu/live/real_gpu.h"
#include "tests/live/live_runs.h"

namespace vramlab::tests {
namespace {

allocator::Bytes free_memory() {
  return streams::LiveDevice(real_driver(), {}).driver_memory().free;
}

TEST(GpuLiveCases, decide_live_as_simulated) {
  const allocator::Bytes room = free_memory();
  std::size_t run_count = 0;
  for (const std::string& file : recorded_case_files()) {
    const traces::RecordedProgram program = traces::read_recorded_program(file);
    if (program.device_total > room) {
      std::cout << "left out, as it may need " << format_bytes(program.device_total) << ": " << file
                << "\n";
      continue;
    }
    ++run_count;
    EXPECT_THAT(live_differences(program, live_on(real_driver())), testing::IsEmpty()) << file;
  }
  EXPECT_GT(run_count, 20U) << "most cases need little memory";
}

class GpuLiveSamples : public testing::TestWithParam<const char*> {
 protected:
  void expect_same(std::optional<std::string> options) {
    const LiveRun run = run_sample_live(real_driver(), GetParam(), std::move(options));
    for (const replay::DeviceReport& device : run.report.devices)
      if (device.peak_reserved.bytes > free_memory())
        GTEST_SKIP() << "the GPU has less memory free than this needs";
    expect_same_decisions(run);
  }
};
INSTANTIATE_TEST_SUITE_P(All, GpuLiveSamples, testing::ValuesIn(live_samples));

TEST_P(GpuLiveSamples, decide_live_as_simulated) { expect_same({}); }
TEST_P(GpuLiveSamples, decide_live_as_simulated_with_expandable_segments) {
  expect_same("expandable_segments:True");
}

}  // namespace
}  // namespace vramlab::tests
