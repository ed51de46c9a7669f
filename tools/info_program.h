// What `vramlab info` prints about a native trace: its header, and a program's own events.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "traces/program_summary.h"

namespace vramlab::tools {

/// Lines for people; empty where there is nothing to say.
std::string program_text(const traces::ProgramSummary& summary);
nlohmann::ordered_json program_json(const traces::ProgramSummary& summary);

}  // namespace vramlab::tools
