// What `vramlab steps` prints: text and JSON.
#pragma once

#include <string>
#include <vector>

#include "replay/replayer/replay_report.h"
#include "replay/replayer/step.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::tools {

struct StepsOutcome {
  std::string file;
  replay::ReplayReport report;
  std::vector<replay::Step> steps;
  replay::StepRange range;
};

/// The event as its record in a native trace, with its text in place and without its stack.
std::string record_text(const traces::ProgramEvent& event, const traces::SnapshotTables& tables);

std::string steps_text(const StepsOutcome& outcome, const traces::SnapshotTables& tables);
std::string steps_json(const StepsOutcome& outcome, const traces::SnapshotTables& tables);

}  // namespace vramlab::tools
