// What the tests of `vramlab diff` share: the program run in a folder of its own, and programs
// whose blocks come from known call sites.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/kit/own_folder.h"
#include "tests/support/kit/text_program.h"
#include "tests/support/processes/places.h"
#include "tests/support/processes/run_program.h"

namespace vramlab::tests {

inline constexpr std::uint64_t mebibyte = 1U << 20;

/// A program whose blocks come from call sites `train.py:LINE work`.
inline std::string program_of(
    const std::vector<std::pair<int, std::vector<std::uint64_t>>>& sites) {
  std::string text = "{\"format\":\"vramlab-trace\",\"version\":1}\n";
  std::uint64_t id = 0;
  std::uint64_t stack = 0;
  for (const auto& [line, sizes] : sites) {
    const std::string number = std::to_string(++stack);
    text +=
        "{\"frame\":" + number +
        ",\"is\":{\"name\":\"work\",\"filename\":\"train.py\",\"line\":" + std::to_string(line) +
        "}}\n{\"stack\":" + number + ",\"frames\":[" + number + "]}\n";
    for (const std::uint64_t size : sizes)
      text += support::malloc_line(++id, size, ",\"stack\":" + number);
  }
  return text;
}

/// In a folder of its own, in which there is no budget unless a test puts one there.
class DiffRuns : public testing::Test {
 protected:
  void SetUp() override {
    folder = support::own_folder() + "diff_test_" +
             testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  ProgramResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {"/usr/bin/env", "-C", folder, support::binary_dir() + "/vramlab"});
    return run_program(arguments);
  }
  ProgramResult diff(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "diff");
    return run(arguments);
  }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder + "/" + name) << content;
    return name;
  }
  /// Refused in one line, which has these words.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& reason) const {
    const ProgramResult result = diff(arguments);
    EXPECT_EQ(result.exit_status, 2) << reason;
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.errors, testing::HasSubstr(reason));
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  }
  std::string folder;
};

}  // namespace vramlab::tests
