// `vramlab help`: the list of commands, or the help of one.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "replay/metrics/nearest_name.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/help_text.h"
#include "tools/cli/kit/outputs.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

struct HelpArguments {
  const CLI::App* program = nullptr;
  std::string command;
};

const CLI::App& asked_command(const HelpArguments& arguments) {
  if (arguments.command.empty()) return *arguments.program;
  const std::vector<const CLI::App*> commands = listed_commands(*arguments.program);
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  const auto found = std::ranges::find(names, arguments.command);
  if (found != names.end()) return *commands[static_cast<std::size_t>(found - names.begin())];
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw traces::InputError(
      {"help", "", "a command that vramlab help lists",
       "'" + arguments.command + "'" + replay::nearest_hint(arguments.command, known)});
}

ExitStatus show_help(const HelpArguments& arguments) {
  print(help_of(asked_command(arguments)));
  return ExitStatus::done;
}

void add_options(CLI::App& command, HelpArguments& arguments) {
  arguments.program = command.get_parent();
  command.add_option("COMMAND", arguments.command,
                     "The command, such as replay or dry-run (default: the list of commands)");
}

}  // namespace

Command help_command() {
  return {"help", "Show the list of commands, or the help of one", "Example: vramlab help advise",
          with<HelpArguments>(add_options, show_help)};
}

}  // namespace vramlab::tools
