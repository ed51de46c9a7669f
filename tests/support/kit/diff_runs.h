// Parts that tests of `vramlab diff` share: the program run in a folder of its own, and programs
// whose blocks come from known call sites.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/kit/command_test.h"
#include "tests/support/kit/text_program.h"

namespace vramlab::tests {

using support::mebibyte;

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

/// Runs the command in a folder of its own, which has no budget unless a test puts one there.
class DiffRuns : public FolderTest {
 protected:
  ProgramResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"/usr/bin/env", "-C", folder, vramlab_path});
    return run_program(arguments);
  }
  ProgramResult diff(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "diff");
    return run(arguments);
  }
  void expect_refused(const std::vector<std::string>& arguments, const std::string& reason) const {
    expect_refused_in_one_line(diff(arguments), reason);
  }
};

}  // namespace vramlab::tests
