// Parts that tests of the program's commands share: the program as a user runs it, the bundled
// samples, and a folder for the files of one test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/kit/own_folder.h"
#include "tests/support/processes/places.h"
#include "tests/support/processes/run_program.h"

namespace vramlab::tests {

using support::content_of;

inline const std::string vramlab_path = support::binary_dir() + "/vramlab";
inline const std::string samples = support::source_dir() + "/traces/samples/";
inline const std::string leak = samples + "leak.vtrace";
/// Two free blocks of one size: the lower one is in the first segment, or in the second where
/// segments lie downwards; then only the second way leaves room for the last request.
inline const std::string program_with_a_tie =
    R"({"format":"vramlab-trace","version":1,"origin":"test","has_end":true}
{"malloc":1,"bytes":8388608}
{"malloc":2,"bytes":12582912}
{"malloc":3,"bytes":8388608}
{"free":2}
{"malloc":4,"bytes":9437184}
{"free":1}
{"malloc":5,"bytes":20971520}
{"end":true}
)";
inline const std::string training = samples + "training.vtrace";
/// Five buffers that fit into 12 bytes, but not into 11.
inline const std::string buffer_list =
    "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n";

inline ProgramResult run_vramlab(std::vector<std::string> arguments,
                                 const std::string& input = "") {
  arguments.insert(arguments.begin(), vramlab_path);
  return run_program(arguments, input);
}

/// The JSON that a command prints with --json. The command has to succeed.
inline nlohmann::json run_json(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.emplace_back("--json");
  const ProgramResult result = run_vramlab(std::move(arguments), input);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  return nlohmann::json::parse(result.output, nullptr, false);
}

/// Expects a refusal with exit status 2 and one printable line, which has these words.
inline void expect_refused_in_one_line(const ProgramResult& result, const std::string& reason) {
  EXPECT_EQ(result.exit_status, 2) << reason;
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors, testing::HasSubstr(reason));
  EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  EXPECT_TRUE(std::ranges::all_of(result.errors, [](unsigned char letter) {
    return letter == '\n' || letter >= ' ';
  })) << result.errors;
}

inline void expect_refused(std::vector<std::string> arguments, const std::string& reason,
                           const std::string& input = "") {
  expect_refused_in_one_line(run_vramlab(std::move(arguments), input), reason);
}

/// A test with an empty folder of its own, which goes with it.
class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder = support::own_folder() + test->test_suite_name() + "." + test->name();
    std::filesystem::create_directory(folder);
  }
  ~FolderTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  /// The path of a file in the folder.
  std::string in_folder(const std::string& name) const { return folder + "/" + name; }
  /// The path of the file that was written.
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(in_folder(name), std::ios::binary) << content;
    return in_folder(name);
  }

  std::string folder;
};

}  // namespace vramlab::tests
