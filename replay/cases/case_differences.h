// How a run and a recorded case differ: the first difference of each part of the answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/cases/case_run.h"

namespace vramlab::replay {

struct Difference {
  /// Such as `results[12]` or `final_stats.segment.all`.
  std::string where;
  std::string expected;
  std::string actual;
  /// The call that caused it; -1 for the settings at the start, nothing where it shows at the end.
  std::optional<std::int64_t> call;
  /// The place in memory to look at.
  std::optional<Address> address;
  /// For a difference in the trace, whose call the answers alone do not tell.
  std::optional<std::size_t> trace_entry;
};

/// In the order: a call that could not be made, results, trace, snapshots, restores, statistics,
/// device calls, messages. Empty where all agree.
std::vector<Difference> find_differences(const traces::RecordedCase& recorded,
                                         const CaseAnswers& actual);

}  // namespace vramlab::replay
