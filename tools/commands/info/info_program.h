// What `vramlab info` prints about a program: the header of its trace, its own events, and how a
// log that it was taken from differs from it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "traces/logs/address_program.h"
#include "traces/values/program_summary.h"

namespace vramlab::tools {

/// Lines for people; empty where there is nothing to say.
std::string program_text(const traces::ProgramSummary& summary);
nlohmann::ordered_json program_json(const traces::ProgramSummary& summary);

/// Lines for people; empty where nothing was left out or assumed.
std::string log_text(const traces::LogFacts& log);
nlohmann::ordered_json log_json(const traces::LogFacts& log);

}  // namespace vramlab::tools
