// What an option takes, for manuals and completions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace vramlab::tools {

/// The only texts that it takes, where these are few and known.
std::vector<std::string> values_of(const CLI::Option& option);

/// What stands for the value in a manual, such as SIZE; empty of a flag.
std::string value_name(const CLI::Option& option);

}  // namespace vramlab::tools
