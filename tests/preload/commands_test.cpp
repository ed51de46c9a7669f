// vramlab run and vramlab record, from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <sstream>

#include "tests/preload/preloaded_run.h"
#include "tests/support/processes/places.h"
#include "tools/preload/ground/hook_table.h"

namespace vramlab::tests {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using traces::ProgramEventKind;

const std::string vramlab_path = support::binary_dir() + "/vramlab";

/// The commands set LD_PRELOAD themselves.
class PreloadCommands : public testing::Test {
 protected:
  PreloadCommands() { run_.set("LD_PRELOAD", "").set("VRAMLAB_RECORD", ""); }

  ProgramResult vramlab(const std::vector<std::string>& words) {
    std::vector<std::string> command = {vramlab_path};
    command.insert(command.end(), words.begin(), words.end());
    return run_.run_command(command);
  }

  PreloadedRun run_;
  const std::string direct_ = built("preload_direct");
};

TEST_F(PreloadCommands, record_leaves_a_finished_trace_that_others_read) {
  const std::string trace = run_.file("recording.vtrace");
  const ProgramResult result = vramlab({"record", "-o", trace, "--", direct_, "threads"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("recorded in " + trace));
  EXPECT_THAT(read_recording(trace).of_kind(ProgramEventKind::malloc), SizeIs(2000));
  for (const char* const command : {"info", "replay", "top"}) {
    const ProgramResult read = vramlab({command, trace});
    EXPECT_EQ(read.exit_status, 0) << command << read.errors;
  }
  EXPECT_THAT(run_.recordings(), SizeIs(1)) << "no parts are left";
}

TEST_F(PreloadCommands, an_unfinished_trace_is_read_as_well) {
  PreloadedRun by_hand;
  by_hand.record().run({"preload_direct", "kill"});
  const ProgramResult read = vramlab({"info", by_hand.recordings().front()});
  EXPECT_EQ(read.exit_status, 0) << read.errors;
}

TEST_F(PreloadCommands, both_end_with_the_programs_own_status) {
  EXPECT_EQ(vramlab({"run", "--", direct_, "status", "42"}).exit_status, 42);
  const std::string trace = run_.file("recording.vtrace.jsonl");
  EXPECT_EQ(vramlab({"record", "-o", trace, "--", direct_, "underscore_exit"}).exit_status, 7);
  EXPECT_THAT(read_recording(trace).of_kind(ProgramEventKind::malloc), SizeIs(10));
}

TEST_F(PreloadCommands, a_signal_that_ends_the_program_is_said_as_shells_do) {
  const std::string trace = run_.file("recording.vtrace.jsonl");
  const ProgramResult result = vramlab({"record", "-o", trace, "--", direct_, "kill"});
  EXPECT_EQ(result.exit_status, 128 + SIGKILL);
  EXPECT_THAT(read_recording(trace).of_kind(ProgramEventKind::malloc), SizeIs(100));
}

TEST_F(PreloadCommands, a_signal_is_sent_on_to_the_program) {
  const std::string trace = run_.file("recording.vtrace.jsonl");
  const ProgramResult result = run_.run_command(
      {"/bin/sh", "-c",
       vramlab_path + " record -o " + trace + " -- " + direct_ +
           " wait > ready & vramlab=$!; "
           "while ! grep -q ready ready; do sleep 0.05; done; kill -TERM $vramlab; wait $vramlab"});
  EXPECT_EQ(result.exit_status, 128 + SIGTERM) << result.errors;
  EXPECT_THAT(read_recording(trace).of_kind(ProgramEventKind::malloc), SizeIs(1));
}

TEST_F(PreloadCommands, a_program_that_is_not_there_is_127) {
  const ProgramResult result = vramlab({"run", "--", "/no/such/program"});
  EXPECT_EQ(result.exit_status, 127);
  EXPECT_THAT(result.errors, HasSubstr("/no/such/program: No such file or directory"));
  EXPECT_EQ(vramlab({"run", "--", "/tmp"}).exit_status, 126);
}

TEST_F(PreloadCommands, a_program_without_cuda_leaves_no_recording_and_is_told_so) {
  const std::string trace = run_.file("recording.vtrace");
  const ProgramResult result = vramlab({"record", "-o", trace, "--", "/bin/true"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.errors, HasSubstr("nothing was recorded"));
  EXPECT_THAT(run_.recordings(), IsEmpty());
}

TEST_F(PreloadCommands, children_get_recordings_of_their_own) {
  const std::string trace = run_.file("recording.vtrace.jsonl");
  const ProgramResult result = vramlab({"record", "-o", trace, "--", direct_, "fork_before"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(run_.recordings(), SizeIs(2));
  const auto own = read_recording(trace).of_kind(ProgramEventKind::malloc);
  ASSERT_THAT(own, SizeIs(1));
  EXPECT_EQ(own[0].bytes.count, 2222U);
}

TEST_F(PreloadCommands, ranks_with_one_output_write_files_of_their_own_and_keep_their_status) {
  const std::string trace = run_.file("recording.vtrace.jsonl");
  // Both commands begin before one of the programs ends.
  const std::string rank =
      "touch began-$RANK; until [ -e began-3 ] && [ -e began-4 ]; do sleep 0.05; done; " + direct_ +
      " allocate; exit $((RANK - 3))";
  const ProgramResult result = run_.run_command(
      {"/bin/sh", "-c",
       "for RANK in 3 4; do export RANK; (" + vramlab_path + " record -o " + trace +
           " -- /bin/sh -c '" + rank + "'; echo \"$RANK ended with $?\") & done; wait"});
  EXPECT_THAT(result.output, HasSubstr("3 ended with 0\n")) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("4 ended with 1\n")) << result.errors;
  ASSERT_THAT(run_.recordings(), SizeIs(2)) << result.errors;
  EXPECT_EQ(run_.recordings().front(), trace);
  EXPECT_THAT(run_.recordings().back(), Not(HasSubstr("part"))) << result.errors;
  for (const std::string& path : run_.recordings())
    EXPECT_THAT(read_recording(path).of_kind(ProgramEventKind::malloc), SizeIs(1)) << path;
}

TEST_F(PreloadCommands, an_output_names_the_process_and_its_variables) {
  const std::string trace = run_.file("recording-%q{RANK}.%p.vtrace.jsonl");
  const ProgramResult result = vramlab(
      {"record", "-o", trace, "--", "/bin/sh", "-c",
       "for RANK in 0 1; do export RANK; " + direct_ + " allocate & echo $RANK.$!; done; wait"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);)
    EXPECT_THAT(run_.recordings(), Contains(run_.file("recording-" + line + ".vtrace.jsonl")));
  EXPECT_THAT(run_.recordings(), SizeIs(2));
}

TEST_F(PreloadCommands, a_child_of_a_shell_gets_the_name) {
  const std::string trace = run_.file("recording.vtrace.jsonl");
  const ProgramResult result =
      vramlab({"record", "-o", trace, "--", "/bin/sh", "-c", direct_ + " allocate; exit 3"});
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_THAT(read_recording(trace).of_kind(ProgramEventKind::malloc), SizeIs(1));
}

TEST_F(PreloadCommands, nothing_is_overwritten_unasked) {
  const std::string trace = run_.file("recording.vtrace");
  EXPECT_EQ(vramlab({"record", "-o", trace, "--", direct_, "allocate"}).exit_status, 0);
  const ProgramResult again = vramlab({"record", "-o", trace, "--", direct_, "status", "9"});
  EXPECT_EQ(again.exit_status, 2) << "and the program is not run";
  EXPECT_EQ(vramlab({"record", "--force", "-o", trace, "--", direct_, "allocate"}).exit_status, 0);
}

TEST_F(PreloadCommands, what_was_preloaded_stays_and_comes_first) {
  run_.set("LD_PRELOAD", built("preload_wrapping.so"));
  const ProgramResult result = vramlab({"run", "--", direct_, "allocate"});
  EXPECT_THAT(result.output, HasSubstr("wrapper's next ours:cuMemAlloc_v2\n"));
}

TEST_F(PreloadCommands, run_puts_the_caching_allocator_behind_the_program) {
  EXPECT_EQ(vramlab({"run", "--mode", "off", "--", direct_, "threads"}).exit_status, 0);
  const std::size_t bare = run_.driver_calls("cuMemAlloc_v2");
  EXPECT_EQ(bare, 2000U);
  const ProgramResult result = vramlab({"run", "--stats", "stderr", "--", direct_, "threads"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_LT(run_.driver_calls("cuMemAlloc_v2") - bare, bare / 10);
  EXPECT_THAT(result.errors, Not(IsEmpty()));
}

TEST_F(PreloadCommands, run_keeps_a_history_where_asked_that_others_read) {
  const std::string state = run_.file("state.json");
  const ProgramResult refused = vramlab({"run", "--history", "10", "--", direct_, "threads"});
  EXPECT_NE(refused.exit_status, 0) << "nowhere to write it to";
  for (const char* const mode : {"deferred", "nosplit"}) {
    const ProgramResult result = vramlab({"run", "--mode", mode, "--snapshot", state, "--history",
                                          "100000", "--", direct_, "threads"});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_THAT(vramlab({"info", state}).output, HasSubstr("alloc 2000")) << mode;
    for (const char* const command : {"top", "replay", "snapshot"}) {
      const ProgramResult read = vramlab({command, state});
      EXPECT_EQ(read.exit_status, 0) << command << read.errors;
    }
    const ProgramResult page = vramlab({"report", state, "--force", "-o", run_.file("page.html")});
    EXPECT_EQ(page.exit_status, 0) << page.errors;
  }
}

TEST_F(PreloadCommands, run_keeps_stacks_with_a_history_where_asked) {
  const std::string state = run_.file("state.json");
  const ProgramResult refused =
      vramlab({"run", "--snapshot", state, "--stacks", "--", direct_, "allocate"});
  EXPECT_NE(refused.exit_status, 0) << "without a history";
  const ProgramResult result = vramlab(
      {"run", "--snapshot", state, "--history", "100", "--stacks", "--", direct_, "with_stack"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const auto text = run_.run_command({"/bin/cat", state}).output;
  EXPECT_THAT(text, HasSubstr("\"frames\": [{\"name\": "));
  EXPECT_THAT(text, HasSubstr("{\"name\": \"main\", \"filename\": \""));
  EXPECT_THAT(text, HasSubstr("preload_direct\", \"line\": 0, \"offset\": "));
  EXPECT_THAT(text, Not(HasSubstr("libvramlab_preload")));
  const ProgramResult top = vramlab({"top", state});
  EXPECT_THAT(top.output, HasSubstr("preload_direct")) << top.errors;
}

/// The loader's lock is the constructor's, and the other thread needs it to name its frames.
TEST_F(PreloadCommands, run_with_stacks_does_not_hold_a_library_up_that_allocates_when_loaded) {
  const ProgramResult result =
      vramlab({"run", "--snapshot", run_.file("state.json"), "--history", "100", "--stacks", "--",
               built("preload_loading"), "library", built("preload_allocating.so")});
  EXPECT_EQ(result.output, "both ended\n") << result.errors;
}

// With one thread alone: several may ask the driver at once, each without what the others got
// meanwhile, and the history does not say when one began to ask.
TEST_F(PreloadCommands, the_history_of_a_program_with_one_thread_is_exact) {
  const std::string state = run_.file("state.json");
  const std::string streams = support::binary_dir() + "/fake_cuda/programs/streams";
  const ProgramResult result =
      vramlab({"run", "--snapshot", state, "--history", "100000", "--", streams});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(vramlab({"info", state}).output, HasSubstr("alloc 558"));
  EXPECT_THAT(vramlab({"verify", state}).output, HasSubstr(": exact"));
}

}  // namespace
}  // namespace vramlab::tests
