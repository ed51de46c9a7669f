// What `vramlab conform` prints, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/cases/case_verdict.h"

namespace vramlab::tools {

/// One file's outcome: a verdict, or why there is none.
struct ConformOutcome {
  std::string file;
  std::optional<replay::CaseVerdict> verdict;
  /// Names the file itself; empty where there is a verdict.
  std::string error;
};

struct ConformCounts {
  std::size_t passed = 0;
  std::size_t failed = 0;
  /// Files that are no recorded case.
  std::size_t unreadable = 0;
};

ConformCounts count_outcomes(const std::vector<ConformOutcome>& outcomes);

/// Such as `396 passed, 0 failed`, without a line break; unreadable files only where there are
/// some.
std::string counts_text(const ConformCounts& counts);

/// One document with a line break at its end.
std::string outcomes_json(const std::vector<ConformOutcome>& outcomes);

}  // namespace vramlab::tools
