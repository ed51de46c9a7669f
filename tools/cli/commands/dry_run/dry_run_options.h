// What `vramlab dry-run` can be told, as options of the command line.
#pragma once

#include "tools/cli/commands/dry_run/dry_run_arguments.h"

namespace CLI {
class App;
}

namespace vramlab::tools {

void add_dry_run_options(CLI::App& command, DryRunArguments& arguments);

}  // namespace vramlab::tools
