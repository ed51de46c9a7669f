// Runs a program as a user would, and keeps its output.
#pragma once

#include <string>
#include <vector>

namespace vramlab::tests {

struct ProgramResult {
  int exit_status = -1;
  std::string output;
  std::string errors;
};

/// Replaces this process, a child made by fork, with the program. Signals get their default
/// handling: tests that run in the background are started with interrupts ignored, and a program
/// inherits that.
[[noreturn]] void become_program(const std::vector<std::string>& command);

/// Runs a program without a shell. `input` is its standard input.
ProgramResult run_program(const std::vector<std::string>& command, const std::string& input = "");

}  // namespace vramlab::tests
