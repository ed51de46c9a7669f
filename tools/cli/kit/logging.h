// Warnings and details on standard error, beside what a command prints.
#pragma once

#include <string>

#include "tools/cli/kit/arguments.h"

namespace vramlab::tools {

/// Logs go to standard error: warnings, all with --verbose, errors only with --quiet.
void start_logging(const CommonFlags& flags);

void log_warning(const std::string& text);
/// Shown with --verbose only.
void log_detail(const std::string& text);

}  // namespace vramlab::tools
