// `vramlab bench streams`: what a call on simulated streams costs, beside a yardstick.
#pragma once

#include "tools/kit/arguments.h"

namespace vramlab::tools {

void add_bench_streams_command(CLI::App& bench, CommandAction& action);

}  // namespace vramlab::tools
