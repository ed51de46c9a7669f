// What `vramlab diff` prints: for people, for programs, for a pull request's comments, for CI.
#pragma once

#include <cstdint>
#include <string>

#include "replay/compare/comparison.h"

namespace vramlab::tools {

struct DiffOutcome {
  replay::Comparison comparison;
  /// Such as `the peak`: when groups are compared.
  std::string moment;
  /// Groups to show; 0 for all.
  std::uint64_t limit = 0;
};

// Each with a line break at its end.
std::string diff_text(const DiffOutcome& outcome);
std::string diff_json(const DiffOutcome& outcome);
std::string diff_markdown(const DiffOutcome& outcome);
/// One test case for each limit.
std::string diff_junit(const DiffOutcome& outcome);

}  // namespace vramlab::tools
