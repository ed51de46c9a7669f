// What commands and options declare, for manuals and completions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace vramlab::tools {

/// Those below it that help lists; a command without a group is for scripts.
std::vector<const CLI::App*> listed_commands(const CLI::App& command);

/// The only texts that it takes, where these are few and known.
std::vector<std::string> values_of(const CLI::Option& option);

/// What stands for the value in a manual, such as SIZE; empty of a flag.
std::string value_name(const CLI::Option& option);

}  // namespace vramlab::tools
