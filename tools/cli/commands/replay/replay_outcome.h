// What came of `vramlab replay`, and how it is printed: for people memory over time, figures in a
// table and what went wrong; for programs JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "replay/replayer/replay_report.h"

namespace vramlab::tools {

struct ReplayOutcome {
  std::string file;
  replay::ReplayReport report;
  /// The figures of each failed request, instead of the first only.
  bool shows_all_failures = false;
  /// Why the first request of each device that failed did, for people and as JSON; empty where that
  /// was not asked for.
  std::string explained_text = {};
  nlohmann::ordered_json explained = nlohmann::ordered_json::array();
};

std::string replay_json(const ReplayOutcome& outcome);
std::string replay_text(const ReplayOutcome& outcome);

}  // namespace vramlab::tools
