// The recordings of a job as a page of HTML: a small drawing of memory over time for each row, all
// on one scale, with what sets a row apart. It needs no other file and no script.
#pragma once

#include <string>

#include "tools/cli/commands/ranks/job_rows.h"

namespace vramlab::tools {

/// `summary`: lines that stand above the drawings.
std::string ranks_page(const JobRows& ranks, const std::string& summary);

}  // namespace vramlab::tools
