// The programs that come with the fake driver, unchanged, with the preload library in them: linked
// to the driver, by dlsym, by cuGetProcAddress, over the stand-ins for CUDA's runtime, static and
// shared. Each checks its own results, and the race oracle watches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "tests/preload/preloaded_run.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

const std::string fake_cuda = support::binary_dir() + "/fake_cuda";

std::string named(std::string words) {
  std::replace_if(
      words.begin(), words.end(), [](char letter) { return std::isalnum(letter) == 0; }, '_');
  return words;
}

std::vector<std::string> command_of(const std::string& program) {
  const auto space = program.find(' ');
  std::vector<std::string> command = {fake_cuda + "/programs/" + program.substr(0, space)};
  if (space != std::string::npos) command.push_back(program.substr(space + 1));
  return command;
}

using ProgramAndMode = std::tuple<std::string, std::string>;

class FakeDriversPrograms : public testing::TestWithParam<ProgramAndMode> {};

TEST_P(FakeDriversPrograms, end_well_in_every_mode) {
  const auto& [program, mode] = GetParam();
  PreloadedRun run;
  run.set("VRAMLAB_SHIM", mode);
  const ProgramResult result = run.run_command(command_of(program));
  EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
  EXPECT_EQ(result.errors, "");
  if (mode != "record") return;
  // A child's recording may have none, and names do not say whose it is.
  std::size_t allocations = 0;
  for (const std::string& name : run.recordings())
    allocations += read_recording(name).of_kind(traces::ProgramEventKind::malloc).size();
  EXPECT_GT(allocations, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, FakeDriversPrograms,
    testing::Combine(testing::Values("direct", "streams", "captures", "threads", "static_objects",
                                     "by_dlsym", "by_proc_address", "by_static_runtime",
                                     "by_shared_runtime", "processes fork-before",
                                     "processes fork-after", "processes exec", "processes _exit",
                                     "processes leave"),
                     testing::Values("record", "off", "deferred", "sync", "nosplit")),
    [](const auto& test) {
      return named(std::get<0>(test.param) + "_" + std::get<1>(test.param));
    });

class PreloadedExpandable : public testing::TestWithParam<ProgramAndMode> {};

TEST_P(PreloadedExpandable, are_no_different_for_a_program) {
  const auto& [program, mode] = GetParam();
  PreloadedRun run;
  run.set("VRAMLAB_SHIM", mode).set("VRAMLAB_ALLOC_CONF", "expandable_segments:True");
  const ProgramResult result = run.run_command(command_of(program));
  EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
  EXPECT_EQ(result.errors, "");
}

INSTANTIATE_TEST_SUITE_P(
    Programs, PreloadedExpandable,
    testing::Combine(testing::Values("direct", "streams", "captures", "threads", "static_objects",
                                     "by_static_runtime", "by_shared_runtime",
                                     "processes fork-before", "processes fork-after",
                                     "processes exec", "processes _exit", "processes leave"),
                     testing::Values("deferred", "sync")),
    [](const auto& test) {
      return named(std::get<0>(test.param) + "_" + std::get<1>(test.param));
    });

TEST(PreloadedExpandableSegments, are_mapped_and_nothing_is_allocated) {
  PreloadedRun run;
  run.set("VRAMLAB_SHIM", "deferred").set("VRAMLAB_ALLOC_CONF", "expandable_segments:True");
  EXPECT_EQ(run.run_command(command_of("direct")).errors, "");
  EXPECT_EQ(run.driver_calls("cuMemMap"), 1U);
  EXPECT_EQ(run.driver_calls("cuMemAlloc_v2"), 0U);
}

TEST(PreloadedExpandableSegments, are_said_once_not_to_be_there_where_memory_cannot_be_mapped) {
  PreloadedRun run;
  run.set("VRAMLAB_SHIM", "deferred")
      .set("VRAMLAB_ALLOC_CONF", "expandable_segments:True")
      .set("FAKE_CUDA_MAPPING", "0");
  const ProgramResult result = run.run_command(command_of("threads"));
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.errors,
            "vramlab: expandable_segments is not used: the driver cannot map memory on device 0\n");
  EXPECT_EQ(run.driver_calls("cuMemMap"), 0U);
}

TEST(PreloadedExpandableSegments, are_said_not_to_apply_where_blocks_share_nothing) {
  PreloadedRun run;
  run.set("VRAMLAB_SHIM", "nosplit").set("VRAMLAB_ALLOC_CONF", "expandable_segments:True");
  const ProgramResult result = run.run_command(command_of("threads"));
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.errors, testing::HasSubstr("does not apply to nosplit"));
}

using DriverAndMode = std::tuple<std::string, std::string>;

class OlderDrivers : public testing::TestWithParam<DriverAndMode> {};

TEST_P(OlderDrivers, work_with_what_they_have) {
  const auto& [driver, mode] = GetParam();
  PreloadedRun run;
  run.set("VRAMLAB_SHIM", mode).set("LD_LIBRARY_PATH", fake_cuda + "/" + driver);
  for (const char* const program : {"direct", "by_dlsym", "threads"}) {
    const ProgramResult result = run.run_command(command_of(program));
    EXPECT_EQ(result.exit_status, 0) << program << result.output << result.errors;
  }
}

INSTANTIATE_TEST_SUITE_P(Drivers, OlderDrivers,
                         testing::Combine(testing::Values("driver_12_0", "driver_11_4"),
                                          testing::Values("record", "deferred", "sync", "nosplit")),
                         [](const auto& test) {
                           return named(std::get<0>(test.param) + "_" + std::get<1>(test.param));
                         });

}  // namespace
}  // namespace vramlab::tests
