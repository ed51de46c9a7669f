// The best packings of what shares a range of addresses, each checked before anybody believes it.
#pragma once

#include <vector>

#include "replay/packing/best_packing.h"
#include "replay/packing/pack_input.h"

namespace vramlab::tools {

/// One for each group.
std::vector<replay::PackingResult> checked_packings(const replay::PackInput& input,
                                                    const replay::PackingLimits& limits);

}  // namespace vramlab::tools
