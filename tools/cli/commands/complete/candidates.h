// What can follow on a command line that is not finished.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace vramlab::tools {

struct Candidate {
  std::string text;
  std::string sentence;
};

struct Candidates {
  std::vector<Candidate> words;
  /// Names of files, or a program's own words.
  bool are_files = false;
};

/// Requires: `words` has at least one, the last of which is being typed and may be empty.
Candidates candidates_after(const CLI::App& program, const std::vector<std::string>& words);

}  // namespace vramlab::tools
