// The columns of a sweep's table.
#pragma once

#include <string>
#include <vector>

#include "replay/whatif/sweep_row.h"

namespace vramlab::tools {

/// What stands above the columns before the options.
const std::vector<std::string>& sweep_headings();
/// One text for each of them. Requires: the row was run.
std::vector<std::string> sweep_cells(const replay::SweepRow& row);
/// The options, or what stands for none of them.
std::string conf_text(const replay::SweepRow& row);
/// Where it ran out of memory or why it was refused; empty where neither.
std::string remark_text(const replay::SweepRow& row);

}  // namespace vramlab::tools
