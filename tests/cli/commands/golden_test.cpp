// The output of the program for the bundled samples equals tests/golden, letter by letter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/kit/command_test.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;

const std::string golden_folder = support::source_dir() + "/tests/golden";

struct GoldenRow {
  std::string file;
  int exit_status = 0;
  std::vector<std::string> command;
};

/// tests/golden/write.sh reads the same table.
std::vector<GoldenRow> golden_rows() {
  std::vector<GoldenRow> rows;
  std::ifstream table(golden_folder + "/commands.txt");
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    GoldenRow& row = rows.emplace_back();
    words >> row.file >> row.exit_status;
    for (std::string word; words >> word;) row.command.push_back(word);
  }
  return rows;
}

TEST(Golden, outputs_are_as_they_were) {
  for (const GoldenRow& row : golden_rows()) {
    std::vector<std::string> command = {"/usr/bin/env", "-C", support::source_dir(),
                                        "LC_ALL=C.UTF-8", support::binary_dir() + "/vramlab"};
    command.insert(command.end(), row.command.begin(), row.command.end());
    const ProgramResult result = run_program(command);
    EXPECT_EQ(result.exit_status, row.exit_status) << row.file << ": " << result.errors;
    EXPECT_EQ(result.output, content_of(golden_folder + "/" + row.file)) << row.file;
  }
}

/// tests/golden/memory is for tools/dev/check_memory.sh.
TEST(Golden, every_output_has_a_row) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(golden_folder)) {
    const std::string file = fs::relative(entry.path(), golden_folder).string();
    const bool is_output = file.find('/') != std::string::npos && !file.starts_with("memory/");
    if (entry.is_regular_file() && is_output) files.push_back(file);
  }
  std::vector<std::string> listed;
  for (const GoldenRow& row : golden_rows()) listed.push_back(row.file);
  EXPECT_THAT(files, testing::UnorderedElementsAreArray(listed));
}

}  // namespace
}  // namespace vramlab::tests
