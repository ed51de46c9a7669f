// `vramlab advise`, run as a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;

TEST(AdviseCommand, names_the_variable_of_the_version) {
  const std::string training = samples + "gpt_training.pickle.gz";
  EXPECT_THAT(run_vramlab({"advise", training, "--reference", "2.6"}).output,
              HasSubstr("export PYTORCH_CUDA_ALLOC_CONF="));
  EXPECT_THAT(run_vramlab({"advise", training, "--reference", "2.12"}).output,
              HasSubstr("export PYTORCH_ALLOC_CONF="));
}

TEST(AdviseCommand, has_lines_of_at_most_100_letters) {
  for (const char* const name : {"pooltight_440", "pooltight_520.split32", "frag_2400"}) {
    const std::string file = support::source_dir() + "/tests/truth/" + name + ".pickle.gz";
    std::istringstream lines(run_vramlab({"advise", file}).output);
    std::string line;
    // The first names the file.
    std::getline(lines, line);
    while (std::getline(lines, line))
      EXPECT_TRUE(line.size() <= 100 || line.starts_with("  export ")) << line;
  }
}

TEST(AdviseCommand, says_that_the_best_packing_has_requests_that_failed) {
  const std::string caught = support::source_dir() + "/tests/truth/pooltight_440.pickle.gz";
  const std::string remark = "in advance, with the requests that failed";
  EXPECT_THAT(run_vramlab({"advise", caught}).output, HasSubstr(remark));
  EXPECT_THAT(run_vramlab({"advise", samples + "leak.vtrace"}).output,
              testing::Not(HasSubstr(remark)));
}

TEST(AdviseCommand, uses_no_option_that_must_not_be_used) {
  const std::string training = samples + "gpt_training.pickle.gz";
  EXPECT_THAT(run_vramlab({"advise", training}).output, HasSubstr("expandable_segments"));
  EXPECT_THAT(
      run_vramlab({"advise", training, "--without", "expandable_segments", "--json"}).output,
      testing::Not(HasSubstr("\"conf\": \"expandable_segments")));
  const auto unknown = run_vramlab({"advise", training, "--without", "expandable_segment"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("expandable_segments"));
}

TEST(AdviseCommand, says_that_no_change_while_the_program_runs_pays) {
  const std::string leak = samples + "leak.vtrace";
  EXPECT_THAT(run_vramlab({"advise", leak, "--phases"}).output, HasSubstr("  phases  "));
  const auto several = run_vramlab({"advise", leak, leak, "--phases"});
  EXPECT_EQ(several.exit_status, 2);
  EXPECT_THAT(several.errors, HasSubstr("one file"));
}

}  // namespace
}  // namespace vramlab::tests
