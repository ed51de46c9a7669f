// The browser of the desktop.
#pragma once

#include <string>

namespace vramlab::tools {

/// Starts it with a file, and does not wait for it; false where there is no desktop, or no browser.
bool has_opened_in_browser(const std::string& path);

}  // namespace vramlab::tools
