// The page of `vramlab report` for other commands.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/kit/outputs.h"

namespace vramlab::tools {

/// The files side by side, as they are. Throws InputError.
void write_report_page(const std::vector<std::string>& files, const OutputArguments& output);

}  // namespace vramlab::tools
