// How the answers of a run and of a recorded case differ: the first difference of each part of the
// answers, for the caching allocator and for the allocator of pinned memory.
#pragma once

#include <vector>

#include "replay/conformance/case_run.h"
#include "replay/conformance/snapshot_differences.h"

namespace vramlab::replay {

/// Empty where all answers agree. Begins with a call that could not be made.
std::vector<Difference> find_differences(const traces::RecordedCase& recorded,
                                         const CaseAnswers& actual);
std::vector<Difference> find_differences(const traces::HostCase& recorded,
                                         const traces::HostAnswers& actual);

}  // namespace vramlab::replay
