// How a run and a recorded case differ: the first difference of each part of the answers.
#pragma once

#include <vector>

#include "replay/conformance/case_run.h"
#include "replay/conformance/snapshot_differences.h"

namespace vramlab::replay {

/// In the order: a call that could not be made, results, trace, snapshots, restores, statistics,
/// device calls, messages. Empty where all agree.
std::vector<Difference> find_differences(const traces::RecordedCase& recorded,
                                         const CaseAnswers& actual);

}  // namespace vramlab::replay
