// The candidates of `vramlab complete` for the next word.
#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

/// The candidates without their sentences.
std::vector<std::string> offered(std::vector<std::string> words) {
  words.insert(words.begin(), {"complete", "--"});
  const ProgramResult result = run_vramlab(words);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  std::vector<std::string> found;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);)
    found.push_back(line.substr(0, line.find('\t')));
  return found;
}

TEST(CompleteCommand, offers_commands_but_not_itself) {
  EXPECT_THAT(offered({""}), IsSupersetOf({"replay", "dry-run"}));
  EXPECT_THAT(offered({""}), Not(Contains("complete")));
  EXPECT_THAT(offered({"snapshot.pi"}), ElementsAre(":files"));
}

TEST(CompleteCommand, offers_options_of_the_command) {
  EXPECT_THAT(offered({"verify", "--req"}), ElementsAre("--require"));
  EXPECT_THAT(offered({"--ver"}), ElementsAre("--version"));
}

TEST(CompleteCommand, offers_values_of_an_option) {
  EXPECT_THAT(offered({"replay", "--on-oom", ""}),
              ElementsAre("recorded", "stop", "skip", "report"));
  EXPECT_THAT(offered({"replay", "x.pickle", "--gpu", "h200"}), ElementsAre("h200"));
  EXPECT_THAT(offered({"replay", "--reference", "2.1"}), Contains("2.12"));
  EXPECT_THAT(offered({"diff", "--fail-if", "peak_reserved"}), Contains("peak_reserved"));
  EXPECT_THAT(offered({"replay", "--gpu=h200"}), ElementsAre("--gpu=h200"));
}

TEST(CompleteCommand, offers_options_inside_an_option_string) {
  EXPECT_THAT(offered({"replay", "--conf", "max_split"}), ElementsAre("max_split_size_mb:"));
  EXPECT_THAT(offered({"sweep", "--conf", "max_split_size_mb:64,garb"}),
              ElementsAre("max_split_size_mb:64,garbage_collection_threshold:"));
  EXPECT_THAT(offered({"replay", "--conf", "expandable_segments:T"}),
              ElementsAre("expandable_segments:True"));
}

TEST(CompleteCommand, leaves_files_and_programs_to_the_shell) {
  EXPECT_THAT(offered({"info", ""}), ElementsAre(":files"));
  EXPECT_THAT(offered({"report", "-o", "x"}), ElementsAre(":files"));
  EXPECT_THAT(offered({"dry-run", "--", "python", "--ver"}), ElementsAre(":files"));
}

TEST(ManualCommand, has_a_page_for_every_command) {
  support::OwnFolder folder;
  EXPECT_EQ(run_vramlab({"manual", "-o", folder.path() + "/manual"}).exit_status, 0);
  std::vector<std::string> pages;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() + "/manual"))
    pages.push_back(entry.path().filename());
  for (const std::string& command : offered({""}))
    EXPECT_THAT(pages, Contains("vramlab-" + command + ".1"));
  EXPECT_THAT(pages, IsSupersetOf({"vramlab.1", "vramlab-dry-run.1"}));
  EXPECT_THAT(pages, Not(Contains("vramlab-complete.1")));
}

TEST(ManualCommand, shows_which_argument_may_be_given_several_times) {
  EXPECT_THAT(run_vramlab({"manual", "sweep", "--roff"}).output,
              testing::HasSubstr("[\\fIoptions\\fR] \\fIFILE\\fR...\n"));
  EXPECT_THAT(run_vramlab({"manual", "steps", "--roff"}).output,
              testing::HasSubstr("[\\fIoptions\\fR] \\fIFILE\\fR\n"));
}

TEST(ManualCommand, says_what_help_says_and_no_line_is_an_instruction_by_chance) {
  const std::string page = run_vramlab({"manual", "replay", "--roff"}).output;
  EXPECT_THAT(page, StartsWith(".TH \"VRAMLAB\\-REPLAY\" 1 "));
  EXPECT_THAT(page,
              testing::HasSubstr("\\fB\\-\\-on\\-oom\\fR \\fIrecorded|stop|skip|report\\fR\n"));
  EXPECT_THAT(page, testing::HasSubstr(".SH EXAMPLE\n.nf\nvramlab replay snapshot.pickle"));
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('.')) continue;
    EXPECT_THAT(line, testing::MatchesRegex("\\.(TH|SH|SS|TP|PP|B|nf|fi|nh|ad)( .*)?"));
  }
  expect_refused({"manual", "no-such"}, "expected a command that vramlab --help lists");
}

}  // namespace
}  // namespace vramlab::tests
