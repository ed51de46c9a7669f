// Attempt: one run of a program on the stand-ins, from its start to the histories that it left,
// read and judged. `dry-run` makes one or a few of them, `fit` many.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/compare/limit.h"
#include "tools/cli/commands/dry_run/dry_run_job.h"
#include "tools/cli/commands/dry_run/dry_run_outcome.h"
#include "traces/io/byte_sink.h"

namespace vramlab::tools {

/// A run of the program, whose notes and histories lie in its folder.
struct Attempt {
  DryRunArguments arguments;
  std::unique_ptr<NumberedFolder> folder;
  JobEnd end;
  /// How the attempts before ended, for a sentence.
  std::string retried_because;
  /// The attempts with other values led no further.
  bool was_retried_in_vain = false;
};

traces::Overwrite overwrite_of(const DryRunArguments& arguments);

/// Runs the program to its end.
Attempt attempt(const DryRunArguments& arguments, const RunProgram& run = run_preloaded);

/// Reads the notes and the histories of a run, and copies the histories that were asked for to
/// their names. Nothing is replayed. Throws InputError.
DryRunOutcome outcome_of(const Attempt& made);

/// The limits of --fail-if. Throws InputError.
std::vector<replay::Limit> limits_of(const DryRunArguments& arguments);
/// Adds the limits that do not hold to the outcome. Throws InputError.
void judge(const std::vector<replay::Limit>& limits, DryRunOutcome& outcome);

}  // namespace vramlab::tools
