// Mistakes that every command refuses in the same way: with one line that says what was meant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/support/kit/command_test.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;

TEST(WrongUsage, an_unknown_name_comes_with_the_nearest_known_one) {
  expect_refused({"rplay", leak}, "there is no command 'rplay'; the nearest is replay");
  expect_refused({"replay", leak, "--gpu", "v200"},
                 "there is no GPU 'v200' in the list; the nearest is h200");
  expect_refused({"help", "advice"}, "found 'advice'; the nearest is advise");
  expect_refused({"manual", "advice"}, "found 'advice'; the nearest is advise");
  expect_refused({"diff", leak, leak, "--fail-if", "peak_reservd > +2%"},
                 "found 'peak_reservd'; the nearest is peak_reserved");
}

TEST(WrongUsage, a_name_that_is_like_no_other_comes_without_one) {
  const auto refused = [](const std::vector<std::string>& words) {
    return run_vramlab(words).errors;
  };
  EXPECT_EQ(refused({"nonsense"}), "vramlab: there is no command 'nonsense' (--help says more)\n");
  EXPECT_EQ(refused({"replay", leak, "--xyzzy"}),
            "vramlab: vramlab replay has no option '--xyzzy' (--help says more)\n");
  EXPECT_THAT(refused({"explian"}), HasSubstr("'explian'; the nearest is explain"));
}

TEST(WrongUsage, a_first_word_that_is_no_command_is_called_what_it_seems_to_be) {
  expect_refused({"https://example.com/a.pickle"},
                 "'https://example.com/a.pickle' is an address, and only files are read");
  expect_refused({support::own_folder()}, "is a folder, and a recording is a file");
  expect_refused({"no/such.pickle"}, "there is no file 'no/such.pickle'");
  expect_refused({"-file"}, "vramlab has no option '-file'");
  expect_refused({"--json", "explain", leak}, "'--json' stands before the command");
}

TEST(WrongUsage, what_is_no_number_or_nothing_is_said_in_plain_words) {
  expect_refused({"explain", leak, "--at", "peak"}, "--at: expected a number, found peak");
  expect_refused({"top", leak, "--limit", "many"}, "--limit: expected a number, found many");
  expect_refused({""}, "the first word is empty");
}

TEST(WrongUsage, an_empty_value_after_the_equals_sign_takes_no_further_word) {
  const ProgramResult plain = run_vramlab({"replay", leak, "--conf", ""});
  const ProgramResult joined = run_vramlab({"replay", "--conf=", leak});
  EXPECT_EQ(joined.exit_status, 0) << joined.errors;
  EXPECT_EQ(joined.output, plain.output);
}

TEST(WrongUsage, a_dash_alone_is_a_file_to_explain) {
  const ProgramResult answer = run_vramlab({"-", "--quick"}, content_of(leak));
  EXPECT_EQ(answer.exit_status, 0) << answer.errors;
  EXPECT_THAT(answer.output, testing::StartsWith("standard input: "));
}

TEST(WrongUsage, a_name_that_means_several_gpus_is_asked_about) {
  expect_refused({"replay", leak, "--gpu", "H100"},
                 "'H100' may be several GPUs: h100-80gb, h100-pcie or h100-nvl?");
  expect_refused({"dry-run", "--gpu", "a100", "--", "true"}, "a100-40gb or a100-80gb?");
  EXPECT_EQ(run_vramlab({"replay", leak, "--gpu", "H200"}).exit_status, 0);
}

TEST(WrongUsage, an_unknown_option_is_named_alone_with_the_nearest) {
  expect_refused({"replay", leak, "--confs", "x"},
                 "vramlab: vramlab replay has no option '--confs'; the nearest is --conf (");
  expect_refused({"advise", leak, "--prefr=time"}, "no option '--prefr'; the nearest is --prefer");
  expect_refused({"replay", "--cnf", "", leak, leak}, "no option '--cnf'; the nearest is --conf");
  expect_refused({"steps", leak, training}, "takes no further argument, found '" + training + "'");
}

TEST(WrongUsage, a_negative_number_is_no_large_one) {
  expect_refused({"top", leak, "--limit", "-1"}, "--limit: expected a number from 0 on, found -1");
  expect_refused({"sweep", leak, "--conf", "", "--limit", "-3"}, "--limit: expected a number");
  expect_refused({"snapshot", leak, "--segments", "-1"}, "--segments: expected a number");
  expect_refused({"pack", leak, "--seed", "-1"}, "--seed: expected a number");
}

TEST(WrongUsage, nothing_is_not_enough_where_there_must_be_some) {
  expect_refused({"top", leak, "--growth", "--every", "0"},
                 "--every: expected a number above 0, found 0");
  expect_refused({"pack", leak, "--capacity", "0"}, "--capacity: expected a number above 0");
  expect_refused({"policies", leak, "--device-memory", "0"}, "no device has 0 bytes");
}

TEST(WrongUsage, what_is_in_a_file_does_not_get_onto_the_screen_as_it_is) {
  const std::string folder = support::own_folder();
  std::ofstream(folder + "bytes") << "\x1b[31m\x07=1\n";
  expect_refused({"sweep", leak, "--grid", folder + "bytes"}, "bytes at line 1: expected");
  expect_refused({"diff", leak, leak, "--budget", folder + "bytes"}, "at byte 1: expected JSON");
}

TEST(WrongUsage, two_outputs_need_two_files) {
  const std::string file = support::own_folder() + "both";
  expect_refused({"replay", leak, "--timeline", file, "--snapshot-out", file},
                 "--timeline: expected another file than --snapshot-out, found " + file);
}

TEST(WrongUsage, a_page_of_nothing_is_not_written) {
  const std::string folder = support::own_folder();
  std::ofstream(folder + "nothing.json") << R"({"segments": []})";
  expect_refused({"report", folder + "nothing.json", "-o", folder + "page.html"},
                 "expected a device with something to show, found none");
  EXPECT_FALSE(std::ifstream(folder + "page.html").is_open());
}

}  // namespace
}  // namespace vramlab::tests
