// The verdict over one recorded case of any kind: runs it, compares every answer, and where answers
// differ, looks at the moment of the first difference. Cases of the option parser have no run:
// their strings are parsed one after another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/conformance/case_differences.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::replay {

struct CaseVerdict {
  std::string name;
  /// Empty where the case passed. Differences of the trace also know their call.
  std::vector<Difference> differences;
  /// The earliest call that a difference belongs to; -1 for the settings at the start.
  std::optional<std::int64_t> first_call;
  /// The earliest call in words.
  std::string call_text;
  /// The memory just before that call, near the address in question; or at the end.
  std::string segments;

  bool passed() const { return differences.empty(); }
};

CaseVerdict judge_case(const traces::RecordedCase& recorded, const CaseSetup& setup);
CaseVerdict judge_case(const traces::HostCase& recorded, const HostSubjectFactory& make_subject);
CaseVerdict judge_case(const traces::OptionCase& recorded);
/// The verdict over the engine.
CaseVerdict judge_case(const traces::AnyCase& recorded, CaseStreams streams);

/// Several lines for people, each with a line break.
std::string verdict_text(const CaseVerdict& verdict);

}  // namespace vramlab::replay
