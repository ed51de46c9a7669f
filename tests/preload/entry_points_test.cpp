// The functions that CUDA's runtime gives programs that ask it for functions of the driver
// (cudaGetDriverEntryPoint, by version, and for streams of threads): the runtime asks the resolver
// that it was given, which is ours, whether it is a library or in the program with hidden names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/preload/preloaded_run.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class EntryPoints : public testing::TestWithParam<std::string> {
 protected:
  std::string said() {
    const ProgramResult result = run_.run({"preload_entry_points_" + GetParam()});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return result.output;
  }
  PreloadedRun run_;
};

TEST_P(EntryPoints, are_ours_by_name_version_and_stream) {
  EXPECT_EQ(said(),
            "plain cuMemAlloc 0: 0 ours:cuMemAlloc_v2\n"
            "ptsz cuMemAlloc 0: 0 ours:cuMemAlloc_v2\n"
            "by-version cuMemAlloc 0: 0 ours:cuMemAlloc_v2\n"
            "by-version-ptsz cuMemAlloc 0: 0 ours:cuMemAlloc_v2\n"
            "plain cuMemFreeAsync 0: 0 ours:cuMemFreeAsync\n"
            "ptsz cuMemFreeAsync 0: 0 ours:cuMemFreeAsync_ptsz\n"
            "by-version cuMemFreeAsync 0: 0 ours:cuMemFreeAsync\n"
            "by-version-ptsz cuMemFreeAsync 0: 0 ours:cuMemFreeAsync_ptsz\n"
            "plain cuMemFreeAsync 1: 0 ours:cuMemFreeAsync\n"
            "ptsz cuMemFreeAsync 1: 0 ours:cuMemFreeAsync\n"
            "by-version cuMemFreeAsync 1: 0 ours:cuMemFreeAsync\n"
            "by-version-ptsz cuMemFreeAsync 1: 0 ours:cuMemFreeAsync\n"
            "plain cuMemFreeAsync 2: 0 ours:cuMemFreeAsync_ptsz\n"
            "ptsz cuMemFreeAsync 2: 0 ours:cuMemFreeAsync_ptsz\n"
            "by-version cuMemFreeAsync 2: 0 ours:cuMemFreeAsync_ptsz\n"
            "by-version-ptsz cuMemFreeAsync 2: 0 ours:cuMemFreeAsync_ptsz\n"
            "plain cuInit 0: 0 driver\n"
            "ptsz cuInit 0: 0 driver\n"
            "by-version cuInit 0: 0 driver\n"
            "by-version-ptsz cuInit 0: 0 driver\n"
            "across 0 0 1 0\n");
}

TEST_P(EntryPoints, are_recorded_like_the_runtimes_own_calls) {
  run_.record();
  said();
  EXPECT_EQ(run_.recording().of_kind(traces::ProgramEventKind::malloc).size(), 2U);
  EXPECT_EQ(run_.recording().of_kind(traces::ProgramEventKind::free).size(), 2U);
}

TEST_P(EntryPoints, are_the_drivers_with_the_kill_switch) {
  run_.set("VRAMLAB_SHIM", "off");
  EXPECT_THAT(said(), Not(HasSubstr("ours")));
}

INSTANTIATE_TEST_SUITE_P(Runtimes, EntryPoints, testing::Values("static", "shared"),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace vramlab::tests
