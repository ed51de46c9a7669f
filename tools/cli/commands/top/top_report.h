// What `vramlab top` prints of who held memory at a moment: text, JSON, folded stacks.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "replay/call_sites/call_sites.h"
#include "replay/call_sites/growth.h"
#include "replay/call_sites/holdings.h"
#include "traces/formats/open_trace.h"
#include "traces/model/user_frame.h"

namespace vramlab::tools {

struct TopOutcome {
  std::string file;
  /// As it was asked for: `peak`, `end`, `oom`, an event or a time.
  std::string moment;
  bool at_time = false;
  traces::ShownMemory memory = traces::ShownMemory::device;
  /// Only what was allocated after this event.
  std::optional<std::uint64_t> allocated_after;
  /// Such as `site`.
  std::string grouped_by;
  replay::GroupBy by = replay::GroupBy::site;
  /// The frames of trees and folded stacks.
  traces::FrameChoice frames = traces::FrameChoice::readable;
  bool is_program = false;
  replay::FoundHoldings found;
  /// Groups to show of each device; 0 for all.
  std::uint64_t limit = 0;
};

std::string top_text(const TopOutcome& outcome, const traces::SnapshotTables& tables);
std::string top_json(const TopOutcome& outcome, const traces::SnapshotTables& tables);
std::string top_folded(const TopOutcome& outcome, const traces::SnapshotTables& tables);

/// The frames of a stack, innermost first, as JSON.
nlohmann::ordered_json stack_json(traces::StackId stack, const traces::SnapshotTables& tables);

/// A text that is too long for a line: its beginning and its end.
std::string shortened(const std::string& text, std::size_t width);

struct GrowthOutcome {
  std::string file;
  replay::FoundGrowth found;
  const traces::SnapshotTables& tables;
  /// Sites to show of each device; 0 for all.
  std::uint64_t limit = 0;
};

std::string growth_text(const GrowthOutcome& outcome);
std::string growth_json(const GrowthOutcome& outcome);

}  // namespace vramlab::tools
