// How a run and a recorded case of pinned memory differ: the first difference of each part.
#pragma once

#include <vector>

#include "replay/conformance/snapshot_differences.h"
#include "traces/cases/host_case.h"

namespace vramlab::replay {

/// Empty where all agree.
std::vector<Difference> find_host_differences(const traces::HostCase& recorded,
                                              const traces::HostAnswers& actual);
std::string host_block_text(const HostBlockState& block);

}  // namespace vramlab::replay
