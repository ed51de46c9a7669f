// `vramlab manual`: the manual pages of all commands.
#include <filesystem>
#include <string>
#include <vector>

#include "tools/cli/commands/manual/man_page.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/declared_commands.h"
#include "tools/cli/kit/outputs.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

struct ManualArguments {
  const CLI::App* program = nullptr;
  std::string command;
  std::string folder;
  bool may_overwrite = false;
};

/// The program, then all commands with a page, those below others too.
void add_pages(const CLI::App& command, std::vector<const CLI::App*>& pages) {
  pages.push_back(&command);
  for (const CLI::App* below : listed_commands(command)) add_pages(*below, pages);
}

std::vector<const CLI::App*> asked_pages(const ManualArguments& arguments) {
  std::vector<const CLI::App*> pages;
  add_pages(*arguments.program, pages);
  if (arguments.command.empty()) return pages;
  const std::string wanted = "vramlab-" + arguments.command;
  for (const CLI::App* page : pages)
    if (page_name(*page) == wanted) return {page};
  throw traces::InputError(
      {"manual", "", "a command that vramlab --help lists", arguments.command});
}

ExitStatus write_pages(const ManualArguments& arguments) {
  const std::vector<const CLI::App*> pages = asked_pages(arguments);
  if (arguments.folder.empty()) {
    print(man_page(*pages.front()));
    return ExitStatus::done;
  }
  std::filesystem::create_directories(arguments.folder);
  for (const CLI::App* page : pages) {
    traces::OutputFile file(
        arguments.folder + "/" + page_name(*page) + ".1",
        arguments.may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused);
    file.write(man_page(*page));
    file.finish();
  }
  return ExitStatus::done;
}

void add_options(CLI::App& command, ManualArguments& arguments) {
  arguments.program = command.get_parent();
  command.add_option("COMMAND", arguments.command,
                     "The command, such as replay or dry-run (default: the program)");
  command.add_option("-o,--output", arguments.folder,
                     "A folder for the pages of all commands, or of the named one");
  command.add_flag("--force", arguments.may_overwrite, "Overwrite outputs");
}

}  // namespace

Command manual_command() {
  return {"manual", "Print the manual page of a command, or write those of all to a folder",
          "Example: vramlab manual replay | man -l -",
          with<ManualArguments>(add_options, write_pages)};
}

}  // namespace vramlab::tools
