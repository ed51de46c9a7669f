// DryRunOutcome: what a dry run came to, as a value; and how it is printed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/commands/dry_run/dry_run_arguments.h"
#include "tools/cli/commands/dry_run/history_findings.h"
#include "tools/cli/commands/dry_run/process_notes.h"

namespace vramlab::tools {

struct DryRunProcess {
  ProcessNotes notes;
  /// As it was asked for; empty where it was not.
  std::string history;
  HistoryFindings findings;
};

struct BrokenLimit {
  std::string text;
  int process = 0;
  /// As people read it.
  std::string value;
};

/// How the program ended as one rank of a job.
struct RankEnd {
  unsigned rank = 0;
  int status = 0;
};

struct DryRunOutcome {
  /// The program's own; of a job that of the first rank that failed.
  int status = 0;
  /// In the order in which they ran; empty where the program is no job.
  std::vector<RankEnd> ranks;
  std::vector<DryRunProcess> processes;
  /// For the process that reserves most.
  std::optional<SmallestGpu> smallest;
  std::optional<FoundAdvice> advice;
  std::vector<BrokenLimit> broken;
  /// Sentences: what could not be found out.
  std::vector<std::string> troubles;

  /// Null where nothing has a history.
  const DryRunProcess* worst() const;
  bool ran_out_of_memory() const;
};

/// A place in the program and how often it was there, over all processes; most first.
struct CountedSubject {
  std::string text;
  std::uint64_t count = 0;
};
/// The places of all notes of a kind, or their subjects.
std::vector<CountedSubject> places_of(const DryRunOutcome& outcome, const std::string& kind);
std::vector<CountedSubject> subjects_of(const DryRunOutcome& outcome, const std::string& kind);
/// Functions that were added for this run.
std::vector<CountedSubject> missing_functions_of(const DryRunOutcome& outcome);
/// Kinds that nothing else is said of.
std::vector<std::string> other_kinds_of(const DryRunOutcome& outcome);

/// At most 15 lines.
std::string dry_run_text(const DryRunOutcome& outcome, const DryRunArguments& arguments);
/// Every place and every function, for --explain.
std::string explained_text(const DryRunOutcome& outcome);
std::string dry_run_json(const DryRunOutcome& outcome, const DryRunArguments& arguments);

}  // namespace vramlab::tools
