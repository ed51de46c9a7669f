// Output that could not be written, from outside: a full disk and a closed stream are failures, and
// a reader that goes away is none that is worth a word.
#include <gtest/gtest.h>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

/// Runs the program with its output redirected.
ProgramResult run_with(const std::string& arguments, const std::string& redirection) {
  return run_program({"/usr/bin/env", "bash", "-c",
                      "set -o pipefail; '" + vramlab_path + "' " + arguments + " " + redirection});
}

TEST(UnwrittenOutput, full_device_is_a_failure_of_every_command) {
  const std::string file = "'" + leak + "'";
  for (const std::string& arguments :
       {"info " + file, "replay " + file, "replay --json " + file, "top " + file, "explain " + file,
        "steps --count 1 " + file, std::string("--help"), std::string("--version"),
        std::string("manual advise")}) {
    const ProgramResult result = run_with(arguments, "> /dev/full");
    expect_refused_in_one_line(result, "standard output: the answer could not be written");
  }
}

TEST(UnwrittenOutput, closed_stream_is_a_failure) {
  expect_refused_in_one_line(run_with("info '" + leak + "'", ">&-"), "standard output");
}

// The answer is several times as long as a pipe holds, else it may be written before the reader
// goes.
TEST(UnwrittenOutput, reader_that_goes_away_hears_nothing) {
  const std::string steps = "steps --count 200 '" + training + "'";
  const ProgramResult result = run_with(steps, "| head -n 1 > /dev/null");
  EXPECT_NE(result.exit_status, 0);
  EXPECT_EQ(result.errors, "");
  const ProgramResult ignored = run_program({"/usr/bin/env", "bash", "-c",
                                             "trap '' PIPE; set -o pipefail; '" + vramlab_path +
                                                 "' " + steps + " | head -n 1 > /dev/null"});
  EXPECT_EQ(ignored.exit_status, 2);
  EXPECT_EQ(ignored.errors, "");
}

}  // namespace
}  // namespace vramlab::tests
