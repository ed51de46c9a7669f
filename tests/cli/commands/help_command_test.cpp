// Help in the words of people: lists of commands and of GPUs, and the options of a command.
#include <regex>

#include "tests/support/kit/command_test.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(HelpCommand, lists_the_commands_and_so_does_the_program_alone) {
  const ProgramResult listed = run_vramlab({"help"});
  EXPECT_EQ(listed.exit_status, 0);
  EXPECT_THAT(listed.output, HasSubstr("\nUsage: vramlab [options] command\n"));
  EXPECT_THAT(listed.output, HasSubstr("\n  advise "));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{}, {"--help"}}) {
    EXPECT_EQ(run_vramlab(words).exit_status, 0);
    EXPECT_EQ(run_vramlab(words).output, listed.output);
  }
}

TEST(HelpCommand, shows_the_help_of_a_command) {
  EXPECT_EQ(run_vramlab({"help", "advise"}).output, run_vramlab({"advise", "--help"}).output);
  EXPECT_THAT(run_vramlab({"help", "advise"}).output, HasSubstr("Usage: vramlab advise [options]"));
}

TEST(HelpCommand, speaks_no_language_of_the_parser_and_names_no_80_gpus) {
  std::string all = run_vramlab({"help"}).output;
  const std::string commands = all.substr(all.find("Run a program"));
  const std::regex name("\n  ([a-z-]+) ");
  for (std::sregex_iterator at(commands.begin(), commands.end(), name), end; at != end; ++at)
    all += run_vramlab({"help", (*at)[1].str()}).output;
  for (const char* const word : {"UINT", "FLOAT:", "Excludes:", "Needs:", "REQUIRED", "kb(=1000b)",
                                 "TEXT:{", "Positionals", "rtx3090"})
    EXPECT_THAT(all, Not(HasSubstr(word)));
}

TEST(HelpCommand, says_which_options_go_together) {
  const std::string help = run_vramlab({"top", "--help"}).output;
  EXPECT_THAT(help, HasSubstr("--growth "));
  EXPECT_THAT(help, HasSubstr("; only with --growth; not with --every\n"));
  EXPECT_THAT(help, HasSubstr("--between N N "));
  EXPECT_THAT(run_vramlab({"replay", "--help"}).output,
              HasSubstr("--device-memory SIZE        Memory of each device"));
}

TEST(HelpCommand, lists_gpus_with_their_memory_for_every_command_that_takes_one) {
  for (const char* const command :
       {"dry-run", "replay", "advise", "sweep", "snapshot", "steps", "report"}) {
    const ProgramResult result = run_vramlab({command, "--list-gpus"});
    EXPECT_EQ(result.exit_status, 0) << command;
    EXPECT_THAT(result.output, StartsWith("data centre "));
    EXPECT_THAT(result.output, HasSubstr("\nh20 "));
    EXPECT_THAT(result.output, HasSubstr("\nGeForce "));
    EXPECT_THAT(result.output, HasSubstr(" 139.80 GiB "));
  }
}

TEST(ManualCommand, shows_a_page_as_text) {
  const ProgramResult result = run_vramlab({"manual", "advise"});
  EXPECT_THAT(result.output, StartsWith("VRAMLAB-ADVISE(1) "));
  EXPECT_THAT(result.output, HasSubstr("\nSYNOPSIS\n       vramlab advise [options] FILE...\n"));
  EXPECT_THAT(result.output, HasSubstr("\n       --gpu NAME\n              Memory of a known GPU"));
  EXPECT_THAT(result.output, Not(HasSubstr("\\f")));
  EXPECT_THAT(result.output, Not(HasSubstr("\n.")));
}

using ReportBeside = FolderTest;

TEST_F(ReportBeside, a_report_without_a_name_lies_beside_its_recording) {
  const std::string file = write("a.vtrace.gz", content_of(leak));
  const ProgramResult written = run_vramlab({"report", file});
  EXPECT_EQ(written.exit_status, 0) << written.errors;
  EXPECT_EQ(written.output, in_folder("a.html") + "\n");
  EXPECT_THAT(content_of(in_folder("a.html")), HasSubstr("class=\"run\""));
  expect_refused({"report", file}, "a.html: expected");
  EXPECT_EQ(run_vramlab({"report", file, "--force"}).exit_status, 0);
  expect_refused({"report", "-"}, "-o: expected the name of the page", content_of(leak));
}

}  // namespace
}  // namespace vramlab::tests
