// Rows of the table in docs/guide/preload.md that no other test here runs as a program: in every
// mode the program meets what it meets without the library, but for what its row says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "tests/preload/preloaded_run.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;

using WayAndMode = std::tuple<std::string, std::string>;

class Meeting : public testing::TestWithParam<WayAndMode> {
 protected:
  static ProgramResult run(const std::string& way, const std::string& mode) {
    PreloadedRun run;
    return run.set("VRAMLAB_SHIM", mode)
        .set("FAKE_CUDA_BACKING", "0")
        .run({"preload_meeting", way});
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, Meeting,
                         testing::Combine(testing::Values("capture", "green", "contexts", "child"),
                                          testing::Values("deferred", "sync", "nosplit")),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

TEST_P(Meeting, is_as_without_the_library) {
  const auto& [way, mode] = GetParam();
  const ProgramResult without = run(way, "off");
  EXPECT_EQ(without.exit_status, 0) << without.errors;
  EXPECT_NE(without.output, "");
  const ProgramResult with = run(way, mode);
  EXPECT_EQ(with.exit_status, 0) << with.output << with.errors;
  EXPECT_EQ(with.output, without.output);
  EXPECT_EQ(with.errors, without.errors);
}

class MeetingHandles : public Meeting {};
INSTANTIATE_TEST_SUITE_P(Modes, MeetingHandles,
                         testing::Combine(testing::Values("handles"),
                                          testing::Values("deferred", "sync", "nosplit", "off")),
                         [](const auto& test) { return std::get<1>(test.param); });

TEST_P(MeetingHandles, are_refused_once_where_blocks_share_an_allocation) {
  const auto& [way, mode] = GetParam();
  const ProgramResult result = run(way, mode);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const bool is_shared = mode == "deferred" || mode == "sync";
  EXPECT_EQ(result.output,
            is_shared ? "first 0\nsecond 1\nthird 0\n" : "first 0\nsecond 0\nthird 0\n");
  EXPECT_THAT(result.errors, HasSubstr(is_shared ? "--mode nosplit" : ""));
}

}  // namespace
}  // namespace vramlab::tests
