// The help of a command in plain words: `--device-memory SIZE`, and which options go together, in
// place of the library's own language.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace vramlab::tools {

/// The subcommands that help lists. A command without a group is for scripts.
std::vector<const CLI::App*> listed_commands(const CLI::App& command);

/// The values that the option takes, if these are few and known.
std::vector<std::string> values_of(const CLI::Option& option);

/// The placeholder of the value, such as SIZE or stop|skip|report; empty for a flag.
std::string value_name(const CLI::Option& option);

/// The description, with the default and with the options that go with it or not.
std::string option_text(const CLI::Option& option);

/// The whole help of a command or, for the program, the list of its commands.
std::string help_of(const CLI::App& command);

/// Makes `program` and the commands that are added to it later print such help.
void speak_plainly(CLI::App& program);

}  // namespace vramlab::tools
