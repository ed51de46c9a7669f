// Command: a subcommand as a row: its name, a sentence, an example, and the functions that declare
// its options and run it.
//
// The source NAME_command.cpp of a subcommand defines `Command NAME_command()`. The build collects
// these functions by the names of the files (cmake/CommandRows.cmake), so a new subcommand needs no
// line elsewhere.
//
// Manuals and completions ask for the declared options.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/logging.h"

namespace vramlab::tools {

/// The work of a subcommand, once its arguments are read.
using CommandAction = std::function<ExitStatus()>;

struct Command {
  /// As it is typed: `replay`.
  std::string name;
  /// The sentence of the help. Begins with a verb that users would search for.
  std::string sentence;
  /// The end of the command's own help: `Example: vramlab replay ...`.
  std::string example;
  /// Declares the options.
  std::function<CommandAction(CLI::App& command)> declare;
};

/// All commands that have a source, by name. The build writes this function.
std::vector<Command> all_commands();

/// Joins the functions of a command. If its arguments have `flags`, these are the common flags:
/// they come last unless `add_options` adds them, and decide how the command logs.
template <class Arguments>
std::function<CommandAction(CLI::App&)> with(void (*add_options)(CLI::App&, Arguments&),
                                             ExitStatus (*run)(const Arguments&)) {
  return [add_options, run](CLI::App& command) -> CommandAction {
    const auto arguments = std::make_shared<Arguments>();
    add_options(command, *arguments);
    if constexpr (requires { arguments->flags; })
      if (command.get_option_no_throw("--json") == nullptr)
        add_common_flags(command, arguments->flags);
    return [arguments, run] {
      if constexpr (requires { arguments->flags; }) start_logging(arguments->flags);
      return run(*arguments);
    };
  };
}

}  // namespace vramlab::tools
