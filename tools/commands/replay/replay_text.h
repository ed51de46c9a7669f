// What `vramlab replay` prints for people: what was held over time, figures in a table, and what
// went wrong.
#pragma once

#include <string>

#include "tools/commands/replay/replay_curve_text.h"
#include "tools/commands/replay/replay_outcome.h"

namespace vramlab::tools {

std::string replay_text(const ReplayOutcome& outcome, const CurveStyle& style);

}  // namespace vramlab::tools
