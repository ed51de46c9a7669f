// StrandingSites: the lines whose live blocks keep free memory from being released.
#pragma once

#include <string>
#include <vector>

#include "replay/metrics/device_state.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

struct StrandingSite {
  /// Such as `train.py:12 step`, or the reason why that is not known, as group_blocks() has it.
  std::string place;
  Bytes strands;
  std::uint64_t blocks = 0;
};

/// The lines that strand most come first; those that strand nothing are left out.
std::vector<StrandingSite> stranding_sites(const DeviceState& state,
                                           const traces::SnapshotTables& tables);

}  // namespace vramlab::replay
