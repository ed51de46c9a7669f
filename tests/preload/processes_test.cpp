// The lives of processes that use the driver: fork, become another program, end in every way, call
// from many threads and from static constructors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/preload/preloaded_run.h"

namespace vramlab::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using traces::ProgramEventKind;

/// The cases hold in each mode.
class Processes : public testing::TestWithParam<const char*> {
 protected:
  Processes() { run_.set("VRAMLAB_SHIM", GetParam()); }

  bool records() const { return std::string(GetParam()) == "record"; }
  ProgramResult scene(const std::string& name, int status = 0) {
    const ProgramResult result = run_.run({"preload_direct", name});
    EXPECT_EQ(result.exit_status, status) << result.output << result.errors;
    EXPECT_EQ(result.errors, "");
    return result;
  }
  /// How many allocations each recording has, the fewest first: names have numbers of processes,
  /// whose order says nothing.
  std::vector<std::size_t> recorded_allocations() const {
    std::vector<std::size_t> counts;
    for (const std::string& name : run_.recordings())
      counts.push_back(read_recording(name).of_kind(ProgramEventKind::malloc).size());
    std::sort(counts.begin(), counts.end());
    return counts;
  }

  PreloadedRun run_;
};

TEST_P(Processes, outputs_may_be_null) {
  PreloadedRun bare;
  bare.set("LD_PRELOAD", "");
  EXPECT_EQ(scene("null_outputs").output, bare.run({"preload_direct", "null_outputs"}).output);
}

TEST_P(Processes, a_thread_may_have_no_context) {
  EXPECT_THAT(scene("no_context").output, HasSubstr("alloc 201 77\n"));
}

TEST_P(Processes, a_child_of_a_program_that_used_no_cuda_yet_works) {
  EXPECT_THAT(scene("fork_before").output, HasSubstr("child 0\n"));
  if (records()) {
    EXPECT_THAT(recorded_allocations(), ElementsAre(1, 1));
  }
}

TEST_P(Processes, a_child_of_a_program_that_used_cuda_neither_hangs_nor_ends_it) {
  EXPECT_THAT(scene("fork_after").output, HasSubstr("child 5\n"));
  if (records()) {
    EXPECT_THAT(recorded_allocations(), ElementsAre(0, 2)) << "the child's were refused";
  }
}

TEST_P(Processes, forks_while_another_thread_allocates) { scene("fork_in_storm"); }

TEST_P(Processes, a_program_may_become_another_one) {
  scene("exec");
  if (!records()) return;
  // The second program of a process adds `.2` to the name of the first, which thus comes first.
  ASSERT_THAT(run_.recordings(), SizeIs(2)) << "the same process, two programs";
  EXPECT_THAT(read_recording(run_.recordings()[0]).of_kind(ProgramEventKind::malloc), SizeIs(3));
  EXPECT_THAT(read_recording(run_.recordings()[1]).of_kind(ProgramEventKind::malloc), SizeIs(1));
}

TEST_P(Processes, a_program_may_end_without_cleaning_up) {
  scene("underscore_exit", 7);
  if (records()) {
    EXPECT_THAT(run_.recording().of_kind(ProgramEventKind::malloc), SizeIs(10));
  }
}

TEST_P(Processes, a_program_may_be_killed_in_mid_run) {
  const ProgramResult result = run_.run({"preload_direct", "kill"});
  EXPECT_NE(result.exit_status, 0);
  if (records()) {
    EXPECT_THAT(run_.recording().of_kind(ProgramEventKind::malloc), SizeIs(100));
  }
}

TEST_P(Processes, many_threads_at_once) {
  scene("threads");
  if (!records()) return;
  const ReadRecording recording = run_.recording();
  EXPECT_THAT(recording.of_kind(ProgramEventKind::malloc), SizeIs(2000));
  EXPECT_THAT(recording.of_kind(ProgramEventKind::free), SizeIs(2000));
}

TEST_P(Processes, static_constructors_and_destructors_may_call) {
  run_.set("FROM_STATICS", "1");
  EXPECT_THAT(scene("statics").output, HasSubstr("static free: 0\n"));
  if (records()) {
    EXPECT_THAT(run_.recording().of_kind(ProgramEventKind::free), SizeIs(1));
  }
}

TEST_P(Processes, a_program_without_a_driver_does_without) {
  run_.without_driver();
  const ProgramResult result = run_.run({"preload_loading", "nothing"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(run_.recordings(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Modes, Processes,
                         testing::Values("record", "off", "deferred", "sync", "nosplit"));

}  // namespace
}  // namespace vramlab::tests
