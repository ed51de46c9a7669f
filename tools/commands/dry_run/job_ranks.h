// The ranks of a job that run alone, one after another (--rank, --ranks, --world-size).
#pragma once

#include <vector>

#include "tools/commands/dry_run/dry_run_arguments.h"
#include "tools/commands/dry_run/dry_run_outcome.h"
#include "tools/commands/dry_run/stand_ins.h"

namespace vramlab::tools {

/// In their order; empty where the program is no job. Throws InputError.
std::vector<unsigned> asked_ranks(const DryRunArguments& arguments);

/// What a launcher of jobs tells a rank. A node has as many GPUs as the dry run.
Variables rank_variables(unsigned rank, const DryRunArguments& arguments);

/// A line for each rank, the one that reserves most first; empty for a single one.
std::string rank_table(const DryRunOutcome& outcome);

}  // namespace vramlab::tools
