// The reports of a program that was run with statistics, however it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/preload/preloaded_run.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class Reports : public testing::Test {
 protected:
  Reports() { run_.set("VRAMLAB_RECORD", "").set("VRAMLAB_STATS", run_.file("stats")); }

  /// The status is as a shell says it.
  ProgramResult run(const std::string& way) {
    return run_.run_command({"/bin/sh", "-c", built("preload_reporting") + " " + way});
  }
  ProgramResult vramlab_run(const std::string& options, const std::string& ways) {
    const std::string program = built("preload_reporting");
    std::string script;
    for (std::istringstream words(ways); words >> script;) ways_ += program + " " + script + "; ";
    run_.set("LD_PRELOAD", "").set("VRAMLAB_STATS", "");
    return run_.run_command(
        {"/bin/sh", "-c",
         support::binary_dir() + "/vramlab run " + options + " -- sh -c '" + ways_ + "'"});
  }

  /// Whatever lies beside the statistics under their name.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run_.file("")))
      if (entry.path().filename().string().starts_with("stats"))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string text(const std::string& name = "stats") const {
    std::ostringstream text;
    text << std::ifstream(run_.file(name)).rdbuf();
    return text.str();
  }
  void expect_one_allocation() const {
    ASSERT_THAT(files(), ElementsAre("stats"));
    EXPECT_THAT(text(), HasSubstr("  allocation.allocated 1\n"));
  }

  PreloadedRun run_;
  std::string ways_;
};

TEST_F(Reports, are_written_in_every_way_to_end) {
  for (const char* const way : {"exit", "_exit", "_Exit", "quick_exit"}) {
    EXPECT_EQ(run(way).exit_status, 5) << way;
    expect_one_allocation();
    std::filesystem::remove(run_.file("stats"));
  }
}

TEST_F(Reports, are_written_before_a_signal_ends_the_program) {
  for (const auto& [way, signal] :
       {std::pair("term", SIGTERM), std::pair("int", SIGINT), std::pair("hup", SIGHUP)}) {
    EXPECT_EQ(run(way).exit_status, 128 + signal) << way;
    expect_one_allocation();
    std::filesystem::remove(run_.file("stats"));
  }
}

TEST_F(Reports, of_a_killed_program_are_lost_and_nothing_is_left) {
  EXPECT_EQ(run("kill").exit_status, 128 + SIGKILL);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Reports, of_a_program_that_crashes_are_lost_and_nothing_is_left) {
  EXPECT_EQ(run("abort").exit_status, 128 + SIGABRT);
  EXPECT_EQ(run("crash").exit_status, 128 + SIGSEGV);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Reports, are_written_before_a_program_ends_that_waits) {
  const ProgramResult result = run_.run_command(
      {"/bin/sh", "-c",
       built("preload_reporting") +
           " pause > ready & program=$!; "
           "while ! grep -q ready ready; do sleep 0.05; done; kill -TERM $program; wait $program"});
  EXPECT_EQ(result.exit_status, 128 + SIGTERM);
  expect_one_allocation();
}

TEST_F(Reports, leave_the_programs_own_handler_in_place) {
  const ProgramResult result = run("handles_term");
  EXPECT_EQ(result.output, "own handler: signal 15 of this process: 1\nwent on, reported\n");
  EXPECT_EQ(result.exit_status, 6);
  expect_one_allocation();
}

TEST_F(Reports, are_written_at_the_end_where_a_later_handler_replaces_ours) {
  const ProgramResult result = run("later_handler");
  EXPECT_EQ(result.output, "own handler: signal 15 of this process: 1\nwent on\n");
  EXPECT_EQ(result.exit_status, 6);
  expect_one_allocation();
}

TEST_F(Reports, leave_other_signals_that_the_program_handles_to_it) {
  for (const auto& [way, number] : {std::pair("handles_int", "2"), std::pair("handles_hup", "1")}) {
    const std::string handler = std::string("own handler: signal ") + number;
    EXPECT_EQ(run(way).output, handler + " of this process: 1\nwent on\n");
    expect_one_allocation();
    std::filesystem::remove(run_.file("stats"));
  }
}

TEST_F(Reports, are_written_before_a_handler_that_ends_the_program_after_all) {
  EXPECT_EQ(run("own_end").exit_status, 128 + SIGTERM);
  expect_one_allocation();
}

TEST_F(Reports, leave_a_signal_ignored_that_the_program_ignores) {
  for (const char* const way : {"ignores_term", "ignores_int", "ignores_hup"}) {
    EXPECT_EQ(run(way).output, "went on\n") << way;
    expect_one_allocation();
    std::filesystem::remove(run_.file("stats"));
  }
}

TEST_F(Reports, answer_a_signal_while_the_program_calls_nothing) {
  run_.set("VRAMLAB_REPORT_SIGNAL", "USR2");
  EXPECT_EQ(run("waits").output, "reported while it waited\n");
  EXPECT_EQ(run("own_report_handler").output,
            "own handler: signal 12 of this process: 1\nreported while it waited\n");
}

TEST_F(Reports, are_written_although_the_thread_is_in_the_middle_of_a_call) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(run("storm").exit_status, 128 + SIGTERM);
    ASSERT_THAT(files(), ElementsAre("stats"));
    EXPECT_THAT(text(), HasSubstr("  num_device_alloc 1\n"));
    std::filesystem::remove(run_.file("stats"));
  }
}

TEST_F(Reports, are_each_processs_own) {
  EXPECT_EQ(run_.run({"preload_direct", "fork_before"}).exit_status, 0);
  ASSERT_THAT(files(), SizeIs(2));
  for (const std::string& name : files())
    EXPECT_THAT(text(name), HasSubstr("  allocation.allocated 1\n")) << name;
  const std::string own = files()[1].substr(std::string("stats.").size());
  EXPECT_THAT(text(files()[1]), HasSubstr("process " + own + ":"));
}

TEST_F(Reports, are_not_written_by_children_that_have_nothing_to_tell) {
  EXPECT_EQ(run("fork_term").output, "child: status -1, signal 15\n");
  expect_one_allocation();
  std::filesystem::remove(run_.file("stats"));
  EXPECT_EQ(run("vfork").output, "child: status 3, signal 0\n");
  expect_one_allocation();
  std::filesystem::remove(run_.file("stats"));
  EXPECT_EQ(run_.run({"preload_direct", "fork_after"}).exit_status, 0);
  EXPECT_THAT(files(), ElementsAre("stats"));
}

TEST_F(Reports, of_a_program_that_became_another_one_are_the_other_ones) {
  EXPECT_EQ(run("exec").exit_status, 5);
  expect_one_allocation();
}

TEST_F(Reports, of_programs_that_a_program_starts_are_their_own) {
  EXPECT_EQ(run("other_program").exit_status, 5);
  ASSERT_THAT(files(), SizeIs(2));
  for (const std::string& name : files())
    EXPECT_THAT(text(name), HasSubstr("  allocation.allocated 1\n")) << name;
}

TEST_F(Reports, say_how_much_waits_for_a_capture_that_is_open) {
  for (const char* const way : {"open_capture", "open_capture_to_graph"}) {
    EXPECT_EQ(run(way).exit_status, 5) << way;
    EXPECT_THAT(text(), HasSubstr("captures of streams are open")) << way;
    EXPECT_THAT(text(), HasSubstr(": 4096 bytes of freed memory wait for their end\n")) << way;
    std::filesystem::remove(run_.file("stats"));
  }
}

TEST_F(Reports, have_the_process_the_host_and_variables_in_their_names) {
  run_.set("VRAMLAB_STATS", run_.file("stats-%q{RANK}-%p-%h")).set("RANK", "3");
  EXPECT_EQ(run("exit").exit_status, 5);
  ASSERT_THAT(files(), SizeIs(1));
  const std::string process = text(files()[0]).substr(std::string("vramlab: process ").size());
  EXPECT_THAT(files()[0],
              testing::StartsWith("stats-3-" + process.substr(0, process.find(':')) + "-"));
  EXPECT_THAT(files()[0], Not(HasSubstr("%")));
}

TEST_F(Reports, go_where_they_were_to_go_from_the_start) {
  run_.set("VRAMLAB_STATS", "stats");
  EXPECT_EQ(run("later_chdir").exit_status, 0);
  expect_one_allocation();
  EXPECT_EQ(vramlab_run("--stats stats-of-run", "chdir").exit_status, 0);
  EXPECT_THAT(files(), ElementsAre("stats", "stats-of-run"));
}

TEST_F(Reports, of_recorders_go_where_they_were_to_go_from_the_start) {
  run_.record().set("VRAMLAB_RECORD", "recording");
  EXPECT_EQ(run("later_chdir").exit_status, 0);
  EXPECT_THAT(run_.recordings(), SizeIs(1));
}

TEST_F(Reports, of_one_run_do_not_replace_each_other_and_those_of_an_earlier_one_are_replaced) {
  std::ofstream(run_.file("stats")) << "earlier";
  std::filesystem::last_write_time(
      run_.file("stats"), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(vramlab_run("--stats stats", "exit term").exit_status, 128 + SIGTERM);
  ASSERT_THAT(files(), SizeIs(2));
  for (const std::string& name : files())
    EXPECT_THAT(text(name), HasSubstr("  allocation.allocated 1\n")) << name;
}

TEST_F(Reports, may_go_into_a_pipe_or_a_device) {
  run_.set("VRAMLAB_STATS", "/dev/null");
  EXPECT_EQ(run("_exit").exit_status, 5);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  run_.set("VRAMLAB_STATS", "/proc/self/fd/1");
  EXPECT_THAT(run("_exit").output, HasSubstr("  allocation.allocated 1\n"));
}

TEST_F(Reports, that_cannot_be_written_are_told_and_change_nothing_else) {
  run_.set("VRAMLAB_STATS", run_.file("no/such/folder"));
  const ProgramResult result = run("term");
  EXPECT_EQ(result.exit_status, 128 + SIGTERM);
  EXPECT_THAT(result.errors, HasSubstr("vramlab: cannot write " + run_.file("no/such/folder") +
                                       ": No such file or directory\n"));
}

TEST_F(Reports, say_what_was_hooked) {
  EXPECT_EQ(run("exit").exit_status, 5);
  EXPECT_THAT(text(), HasSubstr("called: cuDevicePrimaryCtxRetain cuMemAlloc_v2\n"));
}

TEST_F(Reports, say_that_nothing_was_hooked_of_a_program_that_goes_past_the_library) {
  EXPECT_EQ(run_.run({"preload_loading", "nothing"}).exit_status, 0);
  EXPECT_THAT(files(), IsEmpty()) << "the program has no driver";
  run_.set("LD_PRELOAD", preload_library() + ":libcuda.so.1");
  EXPECT_EQ(run_.run({"preload_loading", "nothing"}).exit_status, 0);
  EXPECT_THAT(text(), HasSubstr(": nothing was hooked: "));
}

TEST_F(Reports, say_nothing_of_helpers_in_which_nothing_is_hooked) {
  run_.set("LD_PRELOAD", preload_library() + ":libcuda.so.1");
  run_.set("VRAMLAB_PROGRAM_PROCESS", "1");
  EXPECT_EQ(run_.run({"preload_loading", "nothing"}).exit_status, 0);
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(run("exit").exit_status, 5);
  EXPECT_THAT(files(), ElementsAre("stats")) << "a process that used the library";
}

TEST_F(Reports, keep_what_a_context_told_that_was_reset) {
  run_.set("VRAMLAB_SNAPSHOT", run_.file("stats.json")).set("VRAMLAB_HISTORY", "100");
  EXPECT_EQ(run("reset").exit_status, 5);
  EXPECT_THAT(text(),
              AllOf(HasSubstr("  allocation.current 0\n"), HasSubstr("  allocation.peak 1\n"),
                    HasSubstr("  allocation.freed 1\n")));
  for (const char* const action : {"alloc", "free_completed", "segment_free"})
    EXPECT_THAT(text("stats.json"), HasSubstr("\"action\": \"" + std::string(action) + "\""));
}

TEST_F(Reports, go_through_no_link_to_a_file) {
  std::ofstream(run_.file("others")) << "not yours";
  std::filesystem::create_symlink(run_.file("others"), run_.file("stats"));
  EXPECT_EQ(run("exit").exit_status, 5);
  EXPECT_EQ(text("others"), "not yours");
  ASSERT_THAT(files(), SizeIs(2));
  EXPECT_THAT(text(files().back()), HasSubstr("  allocation.allocated 1\n"));
}

TEST_F(Reports, are_not_written_where_the_library_is_off) {
  run_.set("VRAMLAB_SHIM", "off");
  EXPECT_EQ(run("_exit").exit_status, 5);
  EXPECT_THAT(files(), IsEmpty());
}

}  // namespace
}  // namespace vramlab::tests
