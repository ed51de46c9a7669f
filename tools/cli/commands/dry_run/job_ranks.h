// The ranks of a job that run alone, one after another (--rank, --ranks, --world-size).
#pragma once

#include <vector>

#include "tools/cli/commands/dry_run/dry_run_arguments.h"
#include "tools/cli/commands/dry_run/dry_run_outcome.h"
#include "tools/cli/commands/dry_run/numbered_folder.h"
#include "tools/cli/commands/dry_run/stand_ins.h"
#include "tools/cli/kit/preloaded_program.h"

namespace vramlab::tools {

/// In their order; empty where the program is no job. Throws InputError.
std::vector<unsigned> asked_ranks(const DryRunArguments& arguments);

/// What a launcher of jobs tells a rank. A node has as many GPUs as the dry run.
Variables rank_variables(unsigned rank, const DryRunArguments& arguments);

/// A program, or all asked ranks of a job.
struct JobEnd {
  int process = 0;
  int status = 0;
  std::vector<RankEnd> ranks;
};

/// Ranks run one after another, each alone.
JobEnd run_job(const PreloadedProgram& program, const std::vector<unsigned>& ranks,
               const DryRunArguments& arguments, const NumberedFolder& folder);

/// A line for each rank, the one that reserves most first; empty for a single one.
std::string rank_table(const DryRunOutcome& outcome);

}  // namespace vramlab::tools
