// What `vramlab snapshot --host` shows: the blocks of pinned host memory at a moment.
#pragma once

#include <cstdint>
#include <string>

#include "replay/replayer/replayed_states.h"

namespace vramlab::tools {

struct HostStateOutcome {
  std::string file;
  /// Such as `at the end`.
  std::string moment;
  replay::HostState found;
  const traces::SnapshotTables& tables;
  /// Blocks to show, the largest; 0 for all.
  std::uint64_t block_limit = 0;
};

std::string host_state_text(const HostStateOutcome& outcome);
std::string host_state_json(const HostStateOutcome& outcome);

}  // namespace vramlab::tools
