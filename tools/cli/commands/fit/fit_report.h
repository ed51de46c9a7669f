// The page of `fit --report`: the answer, the peaks by value with a line for each GPU's memory,
// stacked by kind of memory or by line of the program, and a table of all runs. One file of HTML
// with its pictures in it, and no script.
#pragma once

#include <string>

#include "tools/cli/commands/fit/fit_outcome.h"

namespace vramlab::tools {

std::string fit_report(const FitOutcome& outcome);

}  // namespace vramlab::tools
