// DryRunOutcome: the result of a dry run as a value, and its summary: text for people, JSON for
// programs (docs/reference/schemas/dry-run.schema.json).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/explain/ways_out.h"
#include "tools/cli/commands/dry_run/dry_run_job.h"
#include "tools/cli/commands/dry_run/history_findings.h"
#include "tools/cli/commands/dry_run/process_notes.h"
#include "tools/cli/commands/dry_run/shared_memory.h"
#include "tools/cli/kit/explanation_report.h"

namespace vramlab::tools {

struct DryRunProcess {
  ProcessNotes notes;
  /// The name that was asked for; empty without one.
  std::string history;
  HistoryFindings findings;
};

struct BrokenLimit {
  std::string text;
  int process = 0;
  /// The value as text for people.
  std::string value;
};

struct DryRunOutcome {
  /// The program's exit status; for a job that of the first rank that failed.
  int status = 0;
  /// In the order in which they ran; empty if the program is not a job.
  std::vector<RankEnd> ranks;
  std::vector<DryRunProcess> processes;
  /// The values that the program read: zeros, ones, random or computed.
  std::string values;
  /// How it ended with other values before, for a sentence; empty if it was run once.
  std::string retried_because;
  /// Zeros, ones and random values led no further.
  bool was_retried_in_vain = false;
  /// For the process that reserves most.
  std::optional<replay::SmallestGpu> smallest;
  /// The one on which managed memory does not page, if there is some.
  std::optional<replay::SmallestGpu> smallest_without_paging;
  std::optional<replay::FoundAdvice> advice;
  /// By device of that process, where it is more than one figure.
  std::map<std::int64_t, replay::ReservedRange> reserved;
  /// The answer about a failed request, as `vramlab explain` gives it of the history.
  std::optional<AnswerText> explanation;
  std::vector<BrokenLimit> broken;
  /// Empty unless the processes shared the devices.
  SharedMemory shared;
  /// Sentences about facts that could not be found out.
  std::vector<std::string> troubles;

  /// The process that reserves most; null if none has a history.
  const DryRunProcess* worst() const;
  bool ran_out_of_memory() const;
  /// A copy or a memset was refused for its addresses.
  bool went_out_of_bounds() const;
};

/// The GPUs and their memory for the allocator, such as `2 x a100-80gb, 78.66 GiB for the
/// allocator`.
std::string gpu_text(const DryRunArguments& arguments);
/// The summary in at most 15 lines.
std::string dry_run_text(const DryRunOutcome& outcome, const DryRunArguments& arguments);
/// Every place and every function, for --explain.
std::string explained_text(const DryRunOutcome& outcome);
std::string dry_run_json(const DryRunOutcome& outcome, const DryRunArguments& arguments);

}  // namespace vramlab::tools
