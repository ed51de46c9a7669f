// `vramlab manual`: the manual pages of all commands.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/outputs.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

/// In roff a line that begins with a dot or a quote is an instruction, so these are escaped.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '\\')
      escaped += "\\e";
    else if (letter == '-')
      escaped += "\\-";
    else
      escaped += letter;
  }
  return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }

std::string section(const std::string& title) { return ".SH " + title + "\n"; }

std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr
             ? command.get_name()
             : full_name(*command.get_parent()) + " " + command.get_name();
}

std::vector<const CLI::Option*> options_of(const CLI::App& command, bool are_positional) {
  std::vector<const CLI::Option*> options = command.get_options();
  std::erase_if(options, [&](const CLI::Option* option) {
    return option->get_positional() != are_positional;
  });
  return options;
}

std::string synopsis(const CLI::App& command) {
  std::string text = ".nf\n" + bold(full_name(command));
  if (!options_of(command, false).empty()) text += " [\\fIoptions\\fR]";
  if (!listed_commands(command).empty()) text += " \\fIcommand\\fR";
  for (const CLI::Option* positional : options_of(command, true)) {
    const std::string name = "\\fI" + roff(positional->get_name(true)) + "\\fR" +
                             (positional->get_expected_max() > 1 ? "..." : "");
    text += positional->get_required() ? " " + name : " [" + name + "]";
  }
  return text + "\n.fi\n";
}

std::string option_entry(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames())
    names += (names.empty() ? "" : ", ") + bold("-" + name);
  for (const std::string& name : option.get_lnames())
    names += (names.empty() ? "" : ", ") + bold("--" + name);
  const std::string value = value_name(option);
  return ".TP\n" + names + (value.empty() ? "" : " \\fI" + roff(value) + "\\fR") + "\n" +
         roff(option.get_description()) + "\n";
}

std::string arguments_section(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* positional : options_of(command, true))
    text += ".TP\n\\fI" + roff(positional->get_name(true)) + "\\fR\n" +
            roff(positional->get_description()) + "\n";
  return text.empty() ? "" : section("ARGUMENTS") + text;
}

std::string options_section(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : options_of(command, false)) text += option_entry(*option);
  return text.empty() ? "" : section("OPTIONS") + text;
}

std::string commands_section(const CLI::App& command) {
  std::string text;
  std::string group;
  for (const CLI::App* below : listed_commands(command)) {
    if (below->get_group() != group) text += ".SS " + roff(group = below->get_group()) + "\n";
    text += ".TP\n" + bold(below->get_name()) + "\n" + roff(below->get_description()) + "\n";
  }
  return text.empty() ? "" : section("COMMANDS") + text;
}

std::string example_section(const CLI::App& command) {
  const std::string mark = "Example: ";
  std::string example = command.get_footer();
  if (example.starts_with(mark)) example.erase(0, mark.size());
  return example.empty() ? "" : section("EXAMPLE") + ".nf\n" + roff(example) + "\n.fi\n";
}

std::string status_section() {
  return section("EXIT STATUS") +
         ".TP\n.B 0\nDone, and what was asked holds.\n"
         ".TP\n.B 1\nWhat was asked does not hold: a limit is broken, a history is not exact.\n"
         ".TP\n.B 2\nWrong usage or bad input, with one line that says what was expected.\n"
         ".PP\n\\fBdry\\-run\\fR, \\fBrun\\fR and \\fBrecord\\fR end with the status of the "
         "program that they run.\n";
}

std::string see_also(const CLI::App& command) {
  const std::string page = command.get_parent() == nullptr ? "" : bold("vramlab") + "(1), ";
  return section("SEE ALSO") + page + "the pages in the documentation folder of vramlab\n";
}

/// `vramlab-replay` for `replay`; `vramlab` for the program itself.
std::string page_name(const CLI::App& command) {
  std::string name = full_name(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

/// The page in roff. Text that people type is never broken or hyphenated.
std::string man_page(const CLI::App& command) {
  std::string title = page_name(command);
  std::ranges::transform(title, title.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return ".TH \"" + roff(title) + "\" 1 \"\" \"vramlab " VRAMLAB_VERSION "\"\n.nh\n.ad l\n" +
         section("NAME") + roff(page_name(command)) + " \\- " + roff(command.get_description()) +
         "\n" + section("SYNOPSIS") + synopsis(command) + arguments_section(command) +
         commands_section(command) + options_section(command) + status_section() +
         example_section(command) + see_also(command);
}

struct ManualArguments {
  const CLI::App* program = nullptr;
  std::string command;
  std::string folder;
  bool may_overwrite = false;
};

/// The program, then all commands with a page, nested ones too.
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
