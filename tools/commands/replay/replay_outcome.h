// ReplayOutcome: what came of `vramlab replay`, to be printed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "replay/run/replay_report.h"

namespace vramlab::tools {

struct ReplayOutcome {
  std::string file;
  replay::ReplayReport report;
  /// Of each failed request, instead of the first only.
  bool shows_all_failures = false;
  /// Why the first request of each device that failed did, for people and as JSON; empty where that
  /// was not asked for.
  std::string explained_text = {};
  nlohmann::ordered_json explained = nlohmann::ordered_json::array();
};

}  // namespace vramlab::tools
