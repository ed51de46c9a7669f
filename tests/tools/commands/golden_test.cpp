// What the program prints of the bundled samples is what tests/golden says, letter by letter.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/processes/places.h"
#include "tests/support/processes/run_program.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;

/// tests/golden/memory is for tools/check_memory.sh.
bool is_output(const fs::path& file) {
  const fs::path folder = file.parent_path().filename();
  return folder != "golden" && folder != "memory";
}

std::vector<fs::path> golden_files() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(support::source_dir() + "/tests/golden"))
    if (entry.is_regular_file() && is_output(entry.path())) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

TEST(Golden, outputs_are_as_they_were) {
  const std::string prompt = "$ vramlab ";
  const std::string status_note = "  # exit status ";
  const std::vector<fs::path> files = golden_files();
  EXPECT_GE(files.size(), 12U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.string());
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    ASSERT_EQ(line.substr(0, prompt.size()), prompt);
    std::vector<std::string> command = {"/usr/bin/env", "-C", support::source_dir(),
                                        support::binary_dir() + "/vramlab"};
    const std::size_t note = line.find(status_note);
    const int status =
        note == std::string::npos ? 0 : std::stoi(line.substr(note + status_note.size()));
    std::istringstream words(line.substr(0, note).substr(prompt.size()));
    for (std::string word; words >> word;) command.push_back(word);
    std::ostringstream expected;
    expected << stream.rdbuf();
    const ProgramResult result = run_program(command);
    EXPECT_EQ(result.exit_status, status) << result.errors;
    EXPECT_EQ(result.output, expected.str());
  }
}

}  // namespace
}  // namespace vramlab::tests
