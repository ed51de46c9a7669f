// Parts that tests of `vramlab dry-run` share: runs whose files stay in the test's own folder.
#pragma once

#include <string>
#include <vector>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {

class DryRunTest : public FolderTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(support::binary_dir() + "/dry_run/lib"))
      GTEST_SKIP() << "the stand-ins for CUDA's libraries are not built";
    std::filesystem::create_directory(in_folder("scratch"));
  }

  /// Options, and the command behind `--`.
  ProgramResult dry_run(const std::vector<std::string>& options,
                        const std::vector<std::string>& program) const {
    std::vector<std::string> words = {"/usr/bin/env", "TMPDIR=" + in_folder("scratch"),
                                      vramlab_path, "dry-run"};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
    return run_program(words);
  }

  ProgramResult dry_run_shell(const std::string& script) const {
    return dry_run({}, {"sh", "-c", script});
  }

  std::vector<std::string> files_left() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(in_folder("scratch")))
      files.push_back(entry.path().filename());
    return files;
  }
};

}  // namespace vramlab::tests
