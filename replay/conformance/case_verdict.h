// The verdict over one recorded case: runs it on an allocator, compares every answer, and where
// they differ, looks at the moment where they first did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/conformance/case_differences.h"

namespace vramlab::replay {

struct CaseVerdict {
  std::string name;
  /// Empty where the case passed. Those of the trace know their call, too.
  std::vector<Difference> differences;
  /// The earliest call that a difference belongs to; -1 for the settings at the start.
  std::optional<std::int64_t> first_call;
  /// That call in words.
  std::string call_text;
  /// The segments just before that call, near the address in question; or at the end.
  std::string segments;

  bool passed() const { return differences.empty(); }
};

CaseVerdict judge_case(const traces::RecordedCase& recorded, const CaseSetup& setup);

/// Several lines for people, each with a line break.
std::string verdict_text(const CaseVerdict& verdict);

}  // namespace vramlab::replay
