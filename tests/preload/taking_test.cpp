// Memory that is idle in the cache serves every function of the driver that takes some: a program
// that runs without the library runs with it.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/preload/preloaded_run.h"

namespace vramlab::tests {
namespace {

using WayAndMode = std::tuple<std::string, std::string>;

std::string way_and_mode(const testing::TestParamInfo<WayAndMode>& test) {
  return std::get<0>(test.param) + "_" + std::get<1>(test.param);
}

PreloadedRun& set_up(PreloadedRun& run, const std::string& mode) {
  return run.set("VRAMLAB_SHIM", mode).set("FAKE_CUDA_MEMORY", "8G").set("FAKE_CUDA_BACKING", "0");
}

class IdleMemoryServes : public testing::TestWithParam<WayAndMode> {};

TEST_P(IdleMemoryServes, what_takes_memory_in_another_way) {
  const auto& [way, mode] = GetParam();
  PreloadedRun run;
  const ProgramResult result = set_up(run, mode).run({"preload_taking", way});
  EXPECT_EQ(result.output, "0\n") << result.errors;
  EXPECT_EQ(result.errors, "");
}

INSTANTIATE_TEST_SUITE_P(Ways, IdleMemoryServes,
                         testing::Combine(testing::Values("pitch", "managed", "async", "pool",
                                                          "physical", "array", "box", "mipmapped",
                                                          "second_context", "capture"),
                                          testing::Values("off", "deferred", "sync", "nosplit")),
                         way_and_mode);

TEST(TrimSignal, gives_idle_memory_back_while_the_program_calls_nothing) {
  PreloadedRun run;
  set_up(run, "deferred").set("VRAMLAB_TRIM_SIGNAL", "USR2");
  EXPECT_EQ(run.run({"preload_taking", "trim_signal"}).output, "own handler 1, given back 1\n0\n");
}

/// Calls that take no memory in the fake driver, so the test refuses the first one.
class RefusedCalls : public testing::TestWithParam<WayAndMode> {};

TEST_P(RefusedCalls, are_made_again_once_idle_memory_is_given_back) {
  const auto& [function, mode] = GetParam();
  PreloadedRun run;
  set_up(run, mode).set("FAKE_CUDA_FAIL", function + "=2x1");
  EXPECT_EQ(run.run({"preload_taking", function}).output, "0\n");
  EXPECT_EQ(run.driver_calls(function), 2U);
}

TEST_P(RefusedCalls, are_refused_where_nothing_is_idle) {
  const auto& [function, mode] = GetParam();
  PreloadedRun run;
  set_up(run, mode).set("FAKE_CUDA_FAIL", function + "=2x1");
  EXPECT_EQ(run.run({"preload_taking", function, "held"}).output, "2\n");
  EXPECT_EQ(run.driver_calls(function), 1U);
}

INSTANTIATE_TEST_SUITE_P(Functions, RefusedCalls,
                         testing::Combine(testing::Values("cuModuleLoadData", "cuLibraryLoadData",
                                                          "cuGraphInstantiateWithFlags",
                                                          "cuGraphLaunch", "cuCtxCreate_v2",
                                                          "cuStreamCreate"),
                                          testing::Values("deferred", "nosplit")),
                         way_and_mode);

}  // namespace
}  // namespace vramlab::tests
