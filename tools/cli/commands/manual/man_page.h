// A command as a manual page (man 7 man), from what it declares.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace vramlab::tools {

/// `vramlab-replay` for `replay`; `vramlab` for the program itself.
std::string page_name(const CLI::App& command);

/// In roff. What people type is never broken or hyphenated.
std::string man_page(const CLI::App& command);

}  // namespace vramlab::tools
