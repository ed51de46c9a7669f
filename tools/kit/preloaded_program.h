// A program of the user's with our library loaded into it (docs/preload.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace vramlab::tools {

struct PreloadedProgram {
  /// The program, as a shell finds it, and its arguments.
  std::vector<std::string> words;
  /// What is set in its environment besides LD_PRELOAD.
  std::vector<std::pair<std::string, std::string>> variables;
};

struct ProgramEnd {
  int process = 0;
  /// As a shell says it: the program's own, 128 and the signal that ended it, 127 where there is no
  /// such program, 126 where it can't be run.
  int status = 0;
};

/// Runs it to its end. Signals that somebody sends us are sent on to it; those of the terminal
/// reach it anyway. Throws InputError where the library is missing.
ProgramEnd run_preloaded(const PreloadedProgram& program);

}  // namespace vramlab::tools
