// Options of a dry run that every command has that makes dry runs.
#pragma once

#include "tools/cli/commands/dry_run/dry_run_job.h"

namespace vramlab::tools {

// The arguments must outlive the parsing.

/// --gpus, --held-by-others, --values-from, --segments and --kernel-time.
void add_machine_options(CLI::App& command, DryRunArguments& arguments);
/// --rank, --ranks and --world-size.
void add_job_options(CLI::App& command, DryRunArguments& arguments);
/// --steps and --keep-compiled.
void add_course_options(CLI::App& command, DryRunArguments& arguments);
/// --fail-if, whose description it takes.
void add_fail_if(CLI::App& command, DryRunArguments& arguments, const std::string& description);

}  // namespace vramlab::tools
