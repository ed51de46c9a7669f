// Settings that the sizes in a history speak for: options that a program may have set while it ran,
// to values that are no usual ones. Where a history lets several values do the same, one of them
// stands for all.
#pragma once

#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/reference_version.h"
#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

/// The recorded settings with large segments of the sizes that the history has, with split limits
/// between the sizes that it has, and with rounding in finer steps than usual.
std::vector<allocator::Settings> settings_by_sizes(const allocator::Settings& recorded,
                                                   const DeviceHistory& history,
                                                   const ReferenceVersion& version);

}  // namespace vramlab::replay
