// Each row of the table in docs/guide/preload.md is tried: a test here runs such a program. A row
// that is new, or has other words, needs its tests named below.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using testing::Contains;
using testing::StartsWith;

struct Row {
  std::string program;
  std::string what_happens;
};

std::vector<Row> rows_of_page() {
  std::ifstream page(support::source_dir() + "/docs/guide/preload.md");
  std::vector<Row> rows;
  bool is_in_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| your program |")) is_in_table = true;
    if (is_in_table && line.empty()) break;
    const auto middle = line.find(" | ");
    if (!is_in_table || middle == std::string::npos) continue;
    rows.push_back({line.substr(2, middle - 2), line.substr(middle + 3)});
  }
  // Its head; the line under it has no words.
  rows.erase(rows.begin());
  return rows;
}

using Names = std::vector<std::string>;

/// How a row begins, and how the names of its tests do, without what comes before their suites.
const std::map<std::string, Names>& tests_of_rows() {
  static const std::map<std::string, Names> all = {
      {"takes memory by another function",
       {"IdleMemoryServes.what_takes_memory_in_another_way/pitch_deferred",
        "RefusedCalls.are_made_again_once_idle_memory_is_given_back/cuModuleLoadData_deferred"}},
      {"takes memory by these functions",
       {"RowsInModes.other_memory_comes_from_the_driver_each_time"}},
      {"asks for more than is free", {"Rows.are_as_without_the_library/too_much"}},
      {"allocates in a second context",
       {"IdleMemoryServes.what_takes_memory_in_another_way/second_context"}},
      {"allocates in a relaxed capture",
       {"IdleMemoryServes.what_takes_memory_in_another_way/capture",
        "Rows.are_as_without_the_library/full_device_in_capture"}},
      {"captures, in whichever context",
       {"Meeting.is_as_without_the_library/capture",
        "Rows.are_as_without_the_library/capture_of_two_devices",
        "FakeDriversPrograms.end_well_in_every_mode/captures_deferred"}},
      {"leaves a capture open", {"Reports.say_how_much_waits_for_a_capture_that_is_open"}},
      {"uses green contexts", {"Meeting.is_as_without_the_library/green"}},
      {"creates and destroys many contexts", {"Meeting.is_as_without_the_library/contexts"}},
      {"resets the device", {"Rows.are_as_without_the_library/reset"}},
      {"lets another GPU use its memory",
       {"RowsInModes.a_block_waits_for_peers_too_with_the_library"}},
      {"frees memory of `cuMemAlloc` with", {"Rows.are_as_without_the_library/stream_ordered"}},
      {"registers a function that frees memory",
       {"RowsInModes.a_function_that_frees_memory_is_asked_before_the_driver"}},
      {"relies on `cuMemFree` to wait",
       {"RowsInModes.a_free_waits_for_work_where_the_row_says_so"}},
      {"asks in which allocation an address lies",
       {"RowsInModes.an_address_lies_in_the_programs_own_block"}},
      {"meets an error that lasts", {"Rows.are_as_without_the_library/device_error"}},
      {"calls from several threads",
       {"Processes.many_threads_at_once", "FakeDriversPrograms.end_well_in_every_mode/threads",
        "Processes.static_constructors_and_destructors_may_call"}},
      {"exports memory to other processes",
       {"MeetingHandles.are_refused_once_where_blocks_share_an_allocation"}},
      {"forks before it uses CUDA",
       {"Processes.a_child_of_a_program_that_used_no_cuda_yet_works",
        "Reports.are_each_processs_own"}},
      {"forks afterwards",
       {"Processes.a_child_of_a_program_that_used_cuda_neither_hangs_nor_ends_it",
        "Meeting.is_as_without_the_library/child",
        "Reports.are_not_written_by_children_that_have_nothing_to_tell"}},
      {"becomes another program",
       {"Reports.of_a_program_that_became_another_one_are_the_other_ones",
        "Processes.a_program_may_become_another_one"}},
      {"starts other programs",
       {"Rows.are_as_without_the_library/other_programs",
        "Reports.of_programs_that_a_program_starts_are_their_own"}},
      {"ends by `exit`",
       {"Reports.are_written_in_every_way_to_end",
        "Reports.are_written_before_a_signal_ends_the_program"}},
      {"handles SIGTERM",
       {"Reports.leave_the_programs_own_handler_in_place",
        "Reports.are_written_at_the_end_where_a_later_handler_replaces_ours"}},
      {"ignores SIGTERM", {"Reports.leave_a_signal_ignored_that_the_program_ignores"}},
      {"handles SIGINT or SIGHUP itself",
       {"Reports.leave_other_signals_that_the_program_handles_to_it"}},
      {"waits or hangs",
       {"Reports.answer_a_signal_while_the_program_calls_nothing",
        "Reports.are_written_before_a_program_ends_that_waits",
        "TrimSignal.gives_idle_memory_back_while_the_program_calls_nothing"}},
      {"crashes, aborts, or is killed",
       {"Reports.of_a_program_that_crashes_are_lost_and_nothing_is_left",
        "Reports.of_a_killed_program_are_lost_and_nothing_is_left",
        "Processes.a_program_may_be_killed_in_mid_run"}},
      {"runs several processes with one name", {"Reports.are_each_processs_own"}},
      {"changes its folder",
       {"Reports.go_where_they_were_to_go_from_the_start",
        "Reports.of_recorders_go_where_they_were_to_go_from_the_start"}},
      {"is built with AddressSanitizer",
       {"SanitizedPrograms.refuse_to_start_with_the_shared_runtime_behind_us",
        "SanitizedPrograms.work_with_the_shared_runtime_before_us",
        "SanitizedPrograms.find_errors_with_the_static_runtime"}},
      {"is built with `-fsanitize=undefined`",
       {"SanitizedPrograms.for_undefined_behaviour_work", "SanitizedPrograms.for_leaks_work"}},
      {"is setuid", {"Loaders.the_systems_loader_leaves_us_out_of_setuid_programs"}},
      {"runs with `--mode off`",
       {"Reports.are_not_written_where_the_library_is_off",
        "Loaders.nothing_is_ours_with_the_kill_switch"}},
      {"uses a driver of MPS", {}},
      {"runs under `compute-sanitizer`", {}},
  };
  return all;
}

/// `Suite.test/parameter`, as a test is named that has no parameter's set before its suite.
Names tests_of_this_program() {
  Names names;
  const auto& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    const std::string name = suite.name();
    const std::string bare = name.substr(name.find('/') + 1);
    for (int j = 0; j < suite.total_test_count(); ++j)
      names.push_back(bare + "." + suite.GetTestInfo(j)->name());
  }
  return names;
}

/// How the row begins below; empty where none is its.
std::string beginning_of(const Row& row) {
  for (const auto& [beginning, tests] : tests_of_rows())
    if (row.program.starts_with(beginning)) return beginning;
  return {};
}

TEST(PreloadPage, has_rows_that_are_tried) {
  const Names known = tests_of_this_program();
  const std::vector<Row> rows = rows_of_page();
  for (const Row& row : rows) {
    const std::string beginning = beginning_of(row);
    ASSERT_NE(beginning, "") << "no test is named for the row: " << row.program;
    const Names& tests = tests_of_rows().at(beginning);
    if (tests.empty()) {
      EXPECT_THAT(row.what_happens, StartsWith("Not tried")) << row.program;
    }
    for (const std::string& test : tests)
      EXPECT_THAT(known, Contains(StartsWith(test))) << row.program;
  }
  EXPECT_EQ(rows.size(), tests_of_rows().size()) << "each row has its own tests";
}

}  // namespace
}  // namespace vramlab::tests
