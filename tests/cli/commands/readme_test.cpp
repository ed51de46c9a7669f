// README.md, docs/guide/first_steps.md and tools/demo.sh show what the program does today: the
// output that they quote is the program's, the commands that they recommend for a snapshot run, and
// README and the demo are short.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/support/kit/own_folder.h"
#include "tests/support/processes/places.h"
#include "tests/support/processes/run_program.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using support::own_folder;
using testing::HasSubstr;

const std::string sources = support::source_dir();
const std::string gpt_recording = sources + "/traces/samples/gpt_training.pickle.gz";
const std::string prompt = "$ build/";

std::vector<std::string> lines_of(const std::string& page) {
  std::ifstream file(sources + page);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// The lines that a new user reads first.
std::vector<std::string> first_lines() {
  std::vector<std::string> lines = lines_of("/README.md");
  const std::vector<std::string> more = lines_of("/docs/guide/first_steps.md");
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

TEST(Readme, is_a_page_of_thirty_lines) { EXPECT_LE(lines_of("/README.md").size(), 30U); }

/// Runs the command as typed into a shell in that folder, with the built program on the path.
ProgramResult run_typed(const std::string& folder, const std::string& command) {
  return run_program({"/usr/bin/env", "-C", folder, "bash", "-c",
                      "PATH=" + support::binary_dir() + ":$PATH; " + command});
}

TEST(Readme, quotes_what_the_program_prints) {
  const std::vector<std::string> lines = first_lines();
  int quoted = 0;
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    if (!line->starts_with(prompt)) continue;
    std::string expected;
    auto next = line + 1;
    for (; next != lines.end() && *next != "```" && !next->starts_with("$"); ++next)
      expected += *next + "\n";
    const ProgramResult result = run_typed(sources, line->substr(prompt.size()));
    EXPECT_EQ(result.output, expected) << *line << result.errors;
    ++quoted;
  }
  EXPECT_GE(quoted, 1);
}

TEST(Readme, recommends_commands_that_run) {
  const std::string folder = own_folder() + "readme";
  fs::create_directory(folder);
  for (const char* name : {"snapshot.pickle", "before.pickle", "after.pickle"})
    fs::create_symlink(gpt_recording, fs::path(folder) / name);
  const std::regex command("`(vramlab [^`]*\\.pickle[^`]*)`");
  int recommended = 0;
  for (const std::string& line : first_lines()) {
    std::smatch match;
    if (!std::regex_search(line, match, command)) continue;
    const ProgramResult result = run_typed(folder, match[1]);
    EXPECT_EQ(result.exit_status, 0) << match[1] << "\n" << result.errors;
    ++recommended;
  }
  EXPECT_GE(recommended, 8);
}

TEST(Demo, is_short_and_leaves_a_page) {
  const std::string program = own_folder() + "vramlab";
  fs::create_symlink(support::binary_dir() + "/vramlab", program);
  const ProgramResult result =
      run_program({"/usr/bin/env", "bash", sources + "/tools/demo.sh", program});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_LE(std::count(result.output.begin(), result.output.end(), '\n'), 60);
  EXPECT_THAT(result.output, HasSubstr("gpt_training.pickle.gz: exact\n"));
  EXPECT_THAT(result.output, HasSubstr("PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n"));
  const std::string page = own_folder() + "demo.html";
  EXPECT_THAT(result.output, HasSubstr(fs::canonical(page).string()));
  EXPECT_GT(fs::file_size(page), 100'000U);
}

}  // namespace
}  // namespace vramlab::tests
