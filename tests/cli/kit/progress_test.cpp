// Progress on a terminal: a command that takes over a second says what it is at.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/processes/places.h"
#include "tests/support/processes/run_program.h"
#include "tests/support/processes/terminal.h"

namespace vramlab::tests {
namespace {

const std::string sample = support::source_dir() + "/traces/samples/gpt_training.pickle.gz";
/// Replays that go on for seconds.
const std::vector<std::string> long_search = {support::binary_dir() + "/vramlab",
                                              "capacity",
                                              sample,
                                              "--replays-above",
                                              "4000000000",
                                              "-j",
                                              "1"};

TEST(Progress, says_on_a_terminal_what_the_work_is_at_and_for_how_long) {
  const std::string line = "\r" + sample + "  finds the least memory, 1 s\033[K";
  const std::string text = printed_on_terminal(long_search, line);
  EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(Progress, is_for_terminals_alone) { EXPECT_EQ(run_program(long_search).errors, ""); }

}  // namespace
}  // namespace vramlab::tests
