// The counters of a replay as a table: a row for each, with its value at the end, its peak, and
// what was added and taken away in all.
#pragma once

#include <string>

#include "replay/run/replay_report.h"

namespace vramlab::tools {

std::string replay_figures_text(const replay::DeviceReport& device);

}  // namespace vramlab::tools
