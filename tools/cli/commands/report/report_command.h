// The HTML report of `vramlab report`, for other commands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/recording/recording.h"
#include "tools/cli/kit/outputs.h"

namespace vramlab::tools {

/// Writes a page with the recordings side by side, each under its name. Throws InputError.
void write_report_page(const std::vector<std::string>& names,
                       const std::vector<std::shared_ptr<replay::Recording>>& recordings,
                       const OutputArguments& output);

}  // namespace vramlab::tools
