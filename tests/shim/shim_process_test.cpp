// The life of a process with the shim in it: forks, its end, and the reports it leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/shim/setup/shim_setup.h"
#include "tests/support/kit/own_folder.h"
#include "tools/preload/shim/reports.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;

/// The child's exit status.
template <class Body>
int status_of_child(ShimSetup& setup, const Body& body) {
  setup.shim().before_fork();
  const pid_t child = fork();
  if (child == 0) {
    setup.shim().after_fork_in_child();
    _exit(body());
  }
  setup.shim().after_fork_in_parent();
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class WrittenFile {
 public:
  explicit WrittenFile(const std::string& name) : path_(support::own_folder() + name) {}
  ~WrittenFile() { std::filesystem::remove(path_); }
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;
  std::string path() const { return path_.string(); }
  std::string text() const { return text_of(path_); }

 private:
  std::filesystem::path path_;
};

TEST(ShimProcess, a_child_of_a_program_with_a_context_gets_the_driver_alone) {
  ShimSetup setup;
  const CUdeviceptr at = setup.alloc(mib);
  const int status = status_of_child(setup, [&] {
    // The fake driver of this test knows nothing of forks: that a call gets there is what counts.
    const std::uint64_t before = setup.calls("cuMemFree_v2");
    setup.shim().mem_free(at);
    const bool passed_free = setup.calls("cuMemFree_v2") == before + 1;
    CUdeviceptr other = 0;
    const std::uint64_t allocated = setup.calls("cuMemAlloc_v2");
    setup.shim().mem_alloc(&other, mib);
    setup.shim().mem_alloc(&other, mib);
    return passed_free && setup.calls("cuMemAlloc_v2") == allocated + 2 ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.alloc(mib), at) << "the parent goes on as before";
}

TEST(ShimProcess, a_child_of_a_program_without_allocations_has_a_cache_of_its_own) {
  ShimSetup setup;
  const int status = status_of_child(setup, [&] {
    const CUdeviceptr at = setup.alloc(mib);
    setup.free(at);
    return setup.alloc(mib) == at ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

TEST(ShimProcess, the_end_makes_no_call_of_the_driver) {
  ShimSetup setup;
  setup.alloc(mib);
  const std::uint64_t before = setup.calls("cuMemFree_v2") + setup.calls("cuCtxSynchronize");
  setup.shim().at_exit();
  EXPECT_EQ(setup.calls("cuMemFree_v2") + setup.calls("cuCtxSynchronize"), before);
}

TEST(ShimProcess, statistics_are_written_at_the_end) {
  const WrittenFile file("statistics");
  ShimSetupOptions options;
  options.shim.statistics_to = file.path();
  ShimSetup setup(std::move(options));
  EXPECT_EQ(setup.free(setup.alloc(mib)), CUDA_SUCCESS);
  setup.alloc(3 * mib);
  setup.shim().at_exit();
  EXPECT_THAT(file.text(), HasSubstr("vramlab: device 0\n  allocation.current 1\n"));
  EXPECT_THAT(file.text(), HasSubstr("  allocation.allocated 2\n"));
  EXPECT_THAT(file.text(), HasSubstr("  allocated_bytes.current 3145728\n"));
  EXPECT_THAT(file.text(), HasSubstr("  reserved_bytes.current 23068672\n"));
}

TEST(ShimProcess, a_snapshot_is_written_at_the_end) {
  const WrittenFile file("snapshot");
  ShimSetupOptions options;
  options.shim.snapshot_to = file.path();
  ShimSetup setup(std::move(options));
  setup.alloc(mib);
  EXPECT_EQ(file.text(), "");
  setup.shim().at_exit();
  EXPECT_THAT(file.text(), HasSubstr("\"total_size\": 2097152"));
}

TEST(ShimProcess, a_snapshot_says_what_each_block_is) {
  ShimSetup setup;
  const CUdeviceptr waiting = setup.alloc(4 * mib);
  setup.alloc(5 * mib);
  setup.work(setup.make_stream(), waiting, 4 * mib);
  EXPECT_EQ(setup.free(waiting), CUDA_SUCCESS);
  const std::string text = shim::snapshot_json({{1, setup.statistics(), setup.snapshot()}},
                                               "max_\"split\"", setup.shim().arenas()->stacks());
  EXPECT_THAT(text, HasSubstr("\"device\": 1, "));
  EXPECT_THAT(text, HasSubstr("\"requested_size\": 4194304, \"state\": \"active_pending_free\""));
  EXPECT_THAT(text, HasSubstr("\"requested_size\": 5242880, \"state\": \"active_allocated\""));
  EXPECT_THAT(text, HasSubstr("\"device_traces\": [[], []]"));
  EXPECT_THAT(text, HasSubstr(R"({"PYTORCH_CUDA_ALLOC_CONF": "max_\"split\""})"));
}

TEST(ShimProcess, statistics_tell_of_a_capture_that_does_not_end) {
  const WrittenFile file("statistics");
  ShimSetupOptions options;
  options.shim.statistics_to = file.path();
  options.shim.hooked = [] { return std::string("hooked in a test"); };
  ShimSetup setup(std::move(options));
  const CUdeviceptr at = setup.alloc(3 * mib);
  const CUstream stream = setup.make_stream();
  ASSERT_EQ(setup.begin_capture(stream), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  setup.shim().at_exit();
  const std::string process = "vramlab: process " + std::to_string(getpid());
  EXPECT_THAT(file.text(),
              HasSubstr(process + ": hooked in a test\nvramlab: captures of streams "));
  EXPECT_THAT(file.text(), HasSubstr(" s: 3145728 bytes of freed memory wait for their end\n"));
  setup.end_capture(stream);
  setup.shim().at_exit();
  EXPECT_THAT(file.text(), testing::Not(HasSubstr("captures of streams")));
}

TEST(ShimProcess, frees_after_the_driver_has_ended_say_so) {
  ShimSetup setup;
  const CUdeviceptr at = setup.alloc(mib);
  setup.shim().exit_begins();
  EXPECT_EQ(setup.free(setup.alloc(mib)), CUDA_SUCCESS);
  setup.fake()->look([](fake::FakeCuda& cuda) { cuda.tear_down(); });
  EXPECT_EQ(setup.shim().mem_free(at), CUDA_ERROR_DEINITIALIZED);
}

}  // namespace
}  // namespace vramlab::tests
