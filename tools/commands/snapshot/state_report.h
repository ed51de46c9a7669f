// What `vramlab snapshot` prints, as text and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/moments/snapshot_values_of.h"
#include "tools/kit/out_of_memory_report.h"

namespace vramlab::tools {

struct StateOutcome {
  std::string file;
  /// Such as `at the end`.
  std::string moment;
  std::vector<replay::DeviceState> states;
  std::vector<std::string> notes;
  /// Segments to show of each device, the largest; 0 for all.
  std::uint64_t segment_limit = 0;
  /// Pinners to show of each device.
  std::uint64_t pinner_limit = 0;
  /// The tables of the states' stacks.
  const traces::SnapshotTables& tables;
  /// Set if the moment is an out-of-memory.
  std::vector<ToldOutOfMemory> told = {};
};

std::string state_text(const StateOutcome& outcome);
/// All segments and blocks, with a line break at its end.
std::string state_json(const StateOutcome& outcome);

}  // namespace vramlab::tools
