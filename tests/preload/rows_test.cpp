// Further rows of the table in docs/guide/preload.md as programs. Most meet what they meet without
// the library; the others meet what their row says of each mode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "tests/preload/preloaded_run.h"

namespace vramlab::tests {
namespace {

class RowRun {
 protected:
  ProgramResult run(const std::string& row, const std::string& mode) {
    return run_.set("VRAMLAB_SHIM", mode)
        .set("FAKE_CUDA_BACKING", "0")
        .set("FAKE_CUDA_MEMORY", "8G")
        .set("FAKE_CUDA_DEVICES", "2")
        .run({"preload_rows", row});
  }

  PreloadedRun run_;
};

using RowAndMode = std::tuple<std::string, std::string>;

class Rows : public testing::TestWithParam<RowAndMode>, protected RowRun {};
INSTANTIATE_TEST_SUITE_P(
    Programs, Rows,
    testing::Combine(testing::Values("capture_of_two_devices", "full_device_in_capture",
                                     "other_programs", "reset", "stream_ordered_free",
                                     "device_error", "too_much"),
                     testing::Values("deferred", "sync", "nosplit")),
    [](const auto& test) { return std::get<0>(test.param) + "_" + std::get<1>(test.param); });

TEST_P(Rows, are_as_without_the_library) {
  const auto& [row, mode] = GetParam();
  const ProgramResult without = run(row, "off");
  EXPECT_EQ(without.exit_status, 0) << without.errors;
  const ProgramResult with = run(row, mode);
  EXPECT_EQ(with.exit_status, 0) << with.output << with.errors;
  EXPECT_EQ(with.output, without.output);
  EXPECT_EQ(with.errors, without.errors);
}

class RowsInModes : public testing::TestWithParam<std::string>, protected RowRun {
 protected:
  std::string said(const std::string& row) {
    const ProgramResult result = run(row, GetParam());
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return result.output;
  }
};
INSTANTIATE_TEST_SUITE_P(Programs, RowsInModes,
                         testing::Values("deferred", "sync", "nosplit", "off"),
                         [](const auto& test) { return test.param; });

TEST_P(RowsInModes, a_free_waits_for_work_where_the_row_says_so) {
  const bool waits = GetParam() == "off" || GetParam() == "sync";
  EXPECT_EQ(said("relies_on_wait"), waits ? "in use 0\n" : "in use 1\n");
}

TEST_P(RowsInModes, a_block_waits_for_peers_too_with_the_library) {
  const ProgramResult result = run("peers", GetParam());
  EXPECT_EQ(result.exit_status, GetParam() == "off" ? 3 : 0) << result.errors;
}

TEST_P(RowsInModes, an_address_lies_in_the_programs_own_block) {
  EXPECT_EQ(said("addresses"), "its own, 2 MiB\nits own, 2 MiB\n");
}

TEST_P(RowsInModes, a_function_that_frees_memory_is_asked_before_the_driver) {
  const bool is_off = GetParam() == "off";
  EXPECT_EQ(said("asked_for_memory"),
            is_off ? "registered 1\nthe same block 0\n" : "registered 0\nthe same block 1\n");
}

TEST_P(RowsInModes, other_memory_comes_from_the_driver_each_time) {
  said("other_memory");
  EXPECT_EQ(run_.driver_calls("cuMemAllocManaged"), 2U);
  EXPECT_EQ(run_.driver_calls("cuMemAllocAsync"), 2U);
}

}  // namespace
}  // namespace vramlab::tests
