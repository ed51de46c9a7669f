// Recordings of the calls that a program made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/preload/preloaded_run.h"

namespace vramlab::tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using traces::ProgramEvent;
using traces::ProgramEventKind;

ReadRecording recording_of(const std::string& scene, PreloadedRun& run) {
  const ProgramResult result = run.record().run({"preload_direct", scene});
  EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
  EXPECT_EQ(result.errors, "");
  return run.recording();
}

TEST(RecorderOfPrograms, an_allocation_has_its_size_time_and_free) {
  PreloadedRun run;
  const ReadRecording read = recording_of("allocate", run);
  ASSERT_THAT(read.events, SizeIs(2));
  EXPECT_EQ(read.events[0].kind, ProgramEventKind::malloc);
  EXPECT_EQ(read.events[0].bytes.count, 4096U);
  EXPECT_EQ(read.events[1].kind, ProgramEventKind::free);
  EXPECT_EQ(read.events[1].id, read.events[0].id);
  ASSERT_TRUE(read.events[0].time_ns && read.events[1].time_ns);
  EXPECT_LE(*read.events[0].time_ns, *read.events[1].time_ns);
}

TEST(RecorderOfPrograms, other_kinds_of_memory_are_told) {
  PreloadedRun run;
  const ReadRecording read = recording_of("kinds", run);
  const auto taken = read.of_kind(ProgramEventKind::malloc);
  ASSERT_THAT(taken, SizeIs(2)) << "pitched and stream-ordered";
  EXPECT_GE(taken[0].bytes.count, 1000U);
  EXPECT_EQ(taken[1].bytes.count, 7000U);
  EXPECT_EQ(taken[1].stream.value, 1U);
  const auto uses = read.of_kind(ProgramEventKind::use);
  ASSERT_THAT(uses, SizeIs(1)) << "it is freed on another stream";
  EXPECT_EQ(uses[0].id, taken[1].id);
  EXPECT_EQ(uses[0].stream.value, 2U);
  EXPECT_THAT(read.of_kind(ProgramEventKind::free), SizeIs(2));
  EXPECT_THAT(read.markers(),
              ElementsAre("cuMemAllocManaged 8192 bytes", "cuMemFree_v2 8192 bytes",
                          "cuMemHostAlloc 3000 bytes", "cuMemFreeHost 3000 bytes",
                          "cuMemAlloc_v2 1125899906842624 bytes refused", "out of memory"));
}

TEST(RecorderOfPrograms, physical_memory_counts_until_it_is_unmapped) {
  PreloadedRun run;
  const auto totals = recording_of("physical", run).of_kind(ProgramEventKind::external);
  ASSERT_THAT(totals, SizeIs(2));
  EXPECT_EQ(totals[0].bytes.count, std::uint64_t{2} << 20);
  EXPECT_EQ(totals[1].bytes.count, 0U);
}

TEST(RecorderOfPrograms, a_context_takes_its_memory_along) {
  PreloadedRun run;
  const ReadRecording read = recording_of("reset", run);
  EXPECT_THAT(read.of_kind(ProgramEventKind::malloc), SizeIs(2));
  EXPECT_THAT(read.of_kind(ProgramEventKind::free), SizeIs(2));
}

TEST(RecorderOfPrograms, events_stand_in_order_and_threads_are_told_apart) {
  PreloadedRun run;
  const ReadRecording read = recording_of("threads", run);
  std::set<std::uint64_t> live;
  std::set<std::uint32_t> threads;
  std::uint64_t last = 0;
  for (const ProgramEvent& event : read.events) {
    threads.insert(event.thread);
    ASSERT_LE(last, *event.time_ns);
    last = *event.time_ns;
    if (event.kind == ProgramEventKind::malloc)
      ASSERT_TRUE(live.insert(event.id).second);
    else
      ASSERT_EQ(live.erase(event.id), 1U);
  }
  EXPECT_THAT(live, IsEmpty());
  EXPECT_GE(threads.size(), 2U);
}

TEST(RecorderOfPrograms, a_program_that_closes_all_files_is_recorded_on_and_its_files_are_its_own) {
  PreloadedRun run;
  // The fake driver's log is one of those that do not look.
  run.record().set("FAKE_CUDA_LOG", "");
  const ProgramResult result = run.run({"preload_direct", "close_all"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output, "victim 0\n");
  EXPECT_THAT(run.recording().of_kind(ProgramEventKind::malloc), SizeIs(2));
}

TEST(RecorderOfPrograms, stacks_name_functions_of_the_program) {
  PreloadedRun run;
  run.set("VRAMLAB_RECORD_STACKS", "1");
  recording_of("with_stack", run);
  const auto text = run.run_command({"/bin/cat", run.recordings().front()}).output;
  EXPECT_THAT(text, HasSubstr("\"name\":\"main\""));
  EXPECT_THAT(text, HasSubstr("preload_direct\",\"line\":0,\"offset\":"));
  EXPECT_THAT(text, HasSubstr("\"stack\":1"));
}

/// The loader's lock is the constructor's, and the other thread needs it to name its frames.
TEST(RecorderOfPrograms, stacks_do_not_hold_a_library_up_that_allocates_in_its_constructor) {
  PreloadedRun run;
  run.record().set("VRAMLAB_RECORD_STACKS", "1");
  const std::string path = built("preload_allocating.so");
  const ProgramResult result = run.run({"preload_loading", "library", path});
  EXPECT_EQ(result.output, "both ended\n") << result.errors;
  EXPECT_THAT(run.recording().of_kind(ProgramEventKind::malloc), SizeIs(201));
}

TEST(RecorderOfPrograms, the_header_names_the_program_and_the_devices) {
  PreloadedRun run;
  recording_of("allocate", run);
  const auto text = run.run_command({"/bin/cat", run.recordings().front()}).output;
  EXPECT_THAT(text, HasSubstr("\"origin\":\"recorded from preload_direct\""));
  EXPECT_THAT(text, HasSubstr("\"devices\":[{\"device\":0,\"memory\":"));
}

TEST(RecorderOfPrograms, a_folder_that_cannot_be_written_to_is_said_once_and_the_program_runs) {
  PreloadedRun run;
  run.record().set("VRAMLAB_RECORD", "/nowhere/recording");
  const ProgramResult result = run.run({"preload_direct", "threads"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.errors, HasSubstr("cannot be made: No such file or directory\n"));
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1);
}

}  // namespace
}  // namespace vramlab::tests
