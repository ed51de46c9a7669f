// ReplayOutcome: what came of `vramlab replay`, to be printed.
#pragma once

#include <string>

#include "replay/replay_report.h"

namespace vramlab::tools {

struct ReplayOutcome {
  std::string file;
  replay::ReplayReport report;
  /// Of each failed request, instead of the first only.
  bool shows_all_failures = false;
};

}  // namespace vramlab::tools
