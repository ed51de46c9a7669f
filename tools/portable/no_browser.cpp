// This program starts no other one, a browser neither; the command says which file to open.
#include "tools/cli/commands/page/browser.h"

namespace vramlab::tools {

bool has_opened_in_browser(const std::string&) { return false; }

}  // namespace vramlab::tools
