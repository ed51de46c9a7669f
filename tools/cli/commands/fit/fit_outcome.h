// The answer of `fit` for people, as JSON (docs/reference/schemas/fit.schema.json), CSV and
// Markdown.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/commands/fit/fit_search.h"

namespace vramlab::tools {

struct FitOutcome {
  const FitSearch* search = nullptr;
  /// The words of the command with its placeholders.
  std::vector<std::string> command;
  double seconds = 0;
  /// The names of the histories that were kept, by run.
  std::map<FitRunKey, std::string> histories;
  bool was_interrupted = false;
  /// Why runs that could have shared an interpreter did not; empty mostly.
  std::string own_processes_because;
  /// Why figures were not kept for the next command; empty mostly.
  std::string cache_trouble;
  /// Why histories were not kept; empty if they were, or nobody asked for them.
  std::string history_trouble;
  /// The same of the HTML report.
  std::string report_trouble;
};

/// The table of what is known: a row for each point of the grid and option string, a column for
/// each GPU.
std::string fit_table(const FitSearch& search);

/// Whether some value fits in some cell.
bool something_fits(const FitSearch& search);
/// Whether a cell that was asked for has no answer because of a problem.
bool has_problem(const FitSearch& search);

/// Requires: the format is text, json, csv or markdown.
std::string fit_printed(const FitOutcome& outcome, const std::string& format);

}  // namespace vramlab::tools
