// What `vramlab replay --json` prints.
#pragma once

#include <string>

#include "tools/commands/replay/replay_outcome.h"

namespace vramlab::tools {

/// With a line break at its end.
std::string replay_json(const ReplayOutcome& outcome);

}  // namespace vramlab::tools
