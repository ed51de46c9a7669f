// The page shows standard error, and needs no library to write it.
#include <cstdio>

#include "tools/cli/kit/logging.h"
#include "tools/cli/printers/shown_text.h"

namespace vramlab::tools {

void start_logging(const CommonFlags& flags) { static_cast<void>(flags); }

void log_warning(const std::string& text) {
  std::fprintf(stderr, "vramlab: warning: %s\n", shown_name(text).c_str());
}

void log_detail(const std::string& text) { static_cast<void>(text); }

}  // namespace vramlab::tools
