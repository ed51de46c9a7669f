// What `vramlab live` found, for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "replay/conformance/live_beside_simulated.h"
#include "replay/replayer/replay_report.h"
#include "tools/cli/commands/live/live_gpu.h"

namespace vramlab::tools {

struct LiveOutcome {
  std::string file;
  streams::GpuFacts gpu;
  replay::ReplayReport report;
  /// One for each device of the file.
  std::vector<replay::DecisionComparison> comparisons;
  std::vector<streams::DriverCallRow> calls;
  DriverMemory memory;

  bool is_same() const;
};

std::string live_text(const LiveOutcome& outcome);
std::string live_json(const LiveOutcome& outcome);

struct Calibration {
  streams::GpuFacts gpu;
  /// Such as `2026-11-22`.
  std::string date;
  std::vector<streams::DriverCallRow> calls;
};

std::string calibration_text(const Calibration& calibration);
std::string calibration_json(const Calibration& calibration);

}  // namespace vramlab::tools
