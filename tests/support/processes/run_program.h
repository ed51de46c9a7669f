// Runs a program as a user would, and keeps what it said.
#pragma once

#include <string>
#include <vector>

namespace vramlab::tests {

struct ProgramResult {
  int exit_status = -1;
  std::string output;
  std::string errors;
};

/// Replaces this process, a child made by fork, with the program. Signals have their default
/// handling there: tests that run in the background are started with interrupts ignored, and a
/// program inherits that.
[[noreturn]] void become_program(const std::vector<std::string>& command);

/// Without a shell. `input` is what stands on its standard input.
ProgramResult run_program(const std::vector<std::string>& command, const std::string& input = "");

}  // namespace vramlab::tests
