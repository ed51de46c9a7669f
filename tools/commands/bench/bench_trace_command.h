// `vramlab bench trace`: how fast the events of a binary native trace can be gone through.
#pragma once

#include "tools/kit/arguments.h"

namespace vramlab::tools {

void add_bench_trace_command(CLI::App& bench, CommandAction& action);

}  // namespace vramlab::tools
