// The program: reads the command line, runs the subcommand, and turns errors into messages and exit
// statuses.
#include <signal.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "allocator/types/reference_version.h"
#include "replay/metrics/nearest_name.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/help_text.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"

namespace vramlab::tools {
namespace {

struct HelpRow {
  std::string_view command;
  /// A task of users, as a heading of the help.
  std::string_view task;
};

constexpr std::string_view run_programs = "Run a program";
constexpr std::string_view look = "Look at a recording";
constexpr std::string_view other_conditions = "Find better settings, or another GPU";
constexpr std::string_view files = "Compare and convert";
constexpr std::string_view project = "About vramlab itself";

/// The order of the help. Commands that are not named here follow, in order of their names.
constexpr std::array<HelpRow, 35> help_order = {{
    {"dry-run", run_programs},
    {"watch", run_programs},
    {"run", run_programs},
    {"record", run_programs},
    {"live", run_programs},
    {"sample", look},
    {"explain", look},
    {"info", look},
    {"verify", look},
    {"top", look},
    {"snapshot", look},
    {"steps", look},
    {"ranks", look},
    {"report", look},
    {"page", look},
    {"streams", look},
    {"advise", other_conditions},
    {"replay", other_conditions},
    {"sweep", other_conditions},
    {"merge", other_conditions},
    {"capacity", other_conditions},
    {"fit", other_conditions},
    {"serve", other_conditions},
    {"bisect", other_conditions},
    {"pack", other_conditions},
    {"policies", other_conditions},
    {"diff", files},
    {"convert", files},
    {"table", files},
    {"generate", files},
    {"mcp", project},
    {"conform", project},
    {"help", project},
    {"manual", project},
    {"complete", ""},
}};

constexpr const char* more_help = " (--help says more)";

std::vector<Command> commands_in_order() {
  std::vector<Command> commands = all_commands();
  std::ranges::stable_sort(commands, {}, [](const Command& command) {
    return std::ranges::find(help_order, command.name, &HelpRow::command) - help_order.begin();
  });
  return commands;
}

/// Empty for commands that only shells call; help leaves these out.
std::string task_of(const std::string& command) {
  const auto row = std::ranges::find(help_order, command, &HelpRow::command);
  return std::string(row == help_order.end() ? "More" : row->task);
}

/// `chosen` receives the action if the command is the one on the command line.
void declare(const Command& command, CLI::App& program, CommandAction& chosen) {
  CLI::App* declared = program.add_subcommand(command.name, command.sentence);
  declared->footer(command.example);
  declared->group(task_of(command.name));
  declared->callback([action = command.declare(*declared), &chosen] { chosen = action; });
}

std::string version_text() {
  std::string text = "vramlab " VRAMLAB_VERSION "\nallocators that --reference knows:";
  for (const ReferenceVersion& row : allocator::reference_versions())
    text += " " + std::string(row.name) + " (" + std::string(row.description) + ")";
  return text;
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string hint_among(const std::vector<std::string>& names, const std::string& word) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  return replay::nearest_hint(word, known);
}

bool is_among(const std::vector<std::string>& names, const std::string& word) {
  return std::ranges::find(names, word) != names.end();
}

/// The sentence about a first word that begins like an option; empty if the program has it.
std::string unknown_first_option(const CLI::App& program, const std::string& word) {
  const std::string option = word.substr(0, word.find('='));
  if (is_among(option_names(program), option)) return {};
  std::error_code error;
  if (std::filesystem::exists(word, error))
    return "'" + word + "' begins like an option; ./" + word + " is the file";
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    if (is_among(option_names(*command), option))
      return "'" + option + "' stands before the command; options of a command follow it";
  return "vramlab has no option '" + option + "'" + hint_among(option_names(program), option);
}

/// A command that this build leaves out: a program that Node.js runs starts no other.
bool is_elsewhere(const std::string& word) {
  return std::ranges::find(help_order, word, &HelpRow::command) != help_order.end();
}

/// The sentence about a first word that is no command, by what it seems to be; empty for a command
/// or an option of the program.
std::string unknown_first_word(const CLI::App& program, const std::string& word) {
  const std::vector<std::string> commands = command_names(program);
  if (word.empty()) return "the first word is empty, where a command or a file is expected";
  if (is_among(commands, word)) return {};
  if (is_elsewhere(word))
    return "vramlab " + word +
           " starts or follows other programs, which only the program for Linux does; this one is "
           "for any system";
  const std::string quoted = "'" + word + "'";
  std::error_code error;
  if (word.starts_with('-')) return unknown_first_option(program, word);
  if (word.find("://") != std::string::npos)
    return quoted + " is an address, and only files are read: download it first";
  if (std::filesystem::is_directory(word, error))
    return quoted + " is a folder, and a recording is a file";
  if (word.find('/') != std::string::npos) return "there is no file " + quoted;
  return "there is no command " + quoted +
         (word.find('.') == std::string::npos ? hint_among(commands, word)
                                              : ", and no file of that name");
}

/// Refuses an option that no command has or, if there is none, an argument too many; does nothing
/// without either.
void refuse_unexpected_argument(const CLI::App& program) {
  std::string sentence;
  for (const CLI::App* command : program.get_subcommands())
    for (const std::string& word : command->remaining()) {
      // A program's own words follow.
      if (word == "--") break;
      if (word.starts_with('-') && word.size() > 1) {
        const std::string option = word.substr(0, word.find('='));
        throw UnknownOption("vramlab " + command->get_name() + " has no option '" + option + "'" +
                            hint_among(option_names(*command), option) + more_help);
      }
      if (sentence.empty())
        sentence =
            "vramlab " + command->get_name() + " takes no further argument, found '" + word + "'";
    }
  if (!sentence.empty()) throw std::runtime_error(sentence + more_help);
}

// A program's own words in brackets, as `--topks [5,20]`. The library for arguments takes such a
// word for a list, so it gets a sign in front for as long as the library has it.

constexpr char sign_of_brackets = '\x01';

bool is_in_brackets(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of(sign_of_brackets), word.size()));
  return word.starts_with('[') && word.ends_with(']');
}

std::string with_sign(const std::string& word) {
  return is_in_brackets(word) ? sign_of_brackets + word : word;
}

void take_signs_away(CLI::App& program) {
  for (CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    for (CLI::Option* option : command->get_options())
      if (option->get_positional())
        option->transform(CLI::Validator(
            [](std::string& word) {
              if (word.starts_with(sign_of_brackets) && is_in_brackets(word)) word.erase(0, 1);
              return std::string();
            },
            ""));
}

/// `--conf=` is an option with an empty value. The library for arguments would take the next word.
/// Words of a program in brackets get their sign.
std::vector<std::string> as_the_library_takes(const std::vector<std::string>& words) {
  std::vector<std::string> apart;
  bool is_of_program = false;
  for (const std::string& word : words) {
    is_of_program = is_of_program || word == "--";
    if (is_of_program) {
      apart.push_back(with_sign(word));
    } else if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      apart.push_back(word.substr(0, word.size() - 1));
      apart.emplace_back();
    } else {
      apart.push_back(word);
    }
  }
  return apart;
}

/// The words of the command line without the program's name. A file in place of a command asks for
/// its explanation. Throws an error about a first word that is neither.
std::vector<std::string> words_of(int argument_count, char** arguments, const CLI::App& program) {
  const std::vector<std::string> words(arguments + 1, arguments + argument_count);
  std::vector<std::string> apart = as_the_library_takes(words);
  const std::string& first = words.front();
  const std::string unknown = first == "-" ? first : unknown_first_word(program, first);
  if (unknown.empty()) return apart;
  std::error_code error;
  const bool is_file = !first.starts_with('-') && std::filesystem::exists(first, error) &&
                       !std::filesystem::is_directory(first, error);
  if (first != "-" && !is_file) throw std::runtime_error(unknown + more_help);
  apart.insert(apart.begin(), "explain");
  return apart;
}

/// The library's sentence, but in plain words where a text is no number.
std::string plain_sentence(const CLI::Error& error) {
  std::string sentence = error.what();
  constexpr std::string_view no_number = "Could not convert: ";
  const std::size_t sign = sentence.find(" = ");
  if (!sentence.starts_with(no_number) || sign == std::string::npos) return sentence;
  return sentence.substr(no_number.size(), sign - no_number.size()) +
         ": expected a number, found " + sentence.substr(sign + 3);
}

/// The library for arguments reads a negative count as a very large number.
void refuse_negative_counts(CLI::App& command) {
  for (CLI::Option* option : command.get_options())
    if (option->get_type_name().starts_with("UINT"))
      option->check([](const std::string& text) {
        return text.starts_with('-') ? "expected a number from 0 on, found " + text : std::string();
      });
  for (CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; }))
    refuse_negative_counts(*below);
}

ExitStatus run(int argument_count, char** arguments, MessageForm form) {
  CLI::App program("A faithful simulator of PyTorch's CUDA caching allocator.", "vramlab");
  speak_plainly(program);
  program.set_version_flag("--version", version_text());
  program.require_subcommand(1);
  program.footer("Example: vramlab snapshot.pickle");
  program.failure_message([form](const CLI::App*, const CLI::Error& error) {
    const std::runtime_error wrong_use(plain_sentence(error) + more_help);
    return error_message(wrong_use, form);
  });
  CommandAction action;
  for (const Command& command : commands_in_order()) declare(command, program, action);
  refuse_negative_counts(program);
  take_signs_away(program);
  if (argument_count < 2) {
    print(help_of(program));
    return ExitStatus::done;
  }
  std::vector<std::string> words = words_of(argument_count, arguments, program);
  // The library takes them from the back.
  std::ranges::reverse(words);
  try {
    program.parse(std::move(words));
    return action();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) refuse_unexpected_argument(program);
    return program.exit(error) == 0 ? ExitStatus::done : ExitStatus::bad_input;
  }
}

/// A file that grows beyond the limit of the shell is one that can't be written to, and not the end
/// of the program. A handler and not the wish to ignore it: programs that are started inherit that.
void go_on_at_file_limit() {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  ::sigaction(SIGXFSZ, &action, nullptr);
}

constexpr const char* lack_of_memory =
    "expected enough memory for this, found that the system gives no more (ulimit -v or a "
    "container may limit it)";

/// The sentence about what the system refused; empty for other errors. Requires: an exception is
/// being handled.
std::string lack_of_system() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return lack_of_memory;
  } catch (const std::length_error&) {
    return lack_of_memory;
  } catch (const std::system_error& refused) {
    if (refused.code() != std::errc::resource_unavailable_try_again) return {};
    return "expected one more thread, found that the system starts none: " +
           refused.code().message() + " (ulimit -u, ulimit -v or a container may limit it)";
  } catch (...) {
    return {};
  }
}

}  // namespace
}  // namespace vramlab::tools

int main(int argument_count, char** arguments) {
  using vramlab::tools::ExitStatus;
  using vramlab::tools::MessageForm;
  MessageForm form = MessageForm::text;
  vramlab::tools::hold_closed_streams();
  vramlab::tools::go_on_at_file_limit();
  try {
    form = vramlab::tools::asked_message_form();
    const ExitStatus status = vramlab::tools::run(argument_count, arguments, form);
    vramlab::tools::flush_output();
    return static_cast<int>(status);
  } catch (const vramlab::tools::ReaderGone&) {
    return static_cast<int>(ExitStatus::bad_input);
  } catch (const vramlab::traces::InputError& error) {
    std::fputs(vramlab::tools::error_message(error, form).c_str(), stderr);
  } catch (const vramlab::tools::UnknownOption& error) {
    std::fputs(vramlab::tools::error_message(error, form).c_str(), stderr);
  } catch (const std::exception& error) {
    const std::string lack = vramlab::tools::lack_of_system();
    const std::string message = lack.empty()
                                    ? vramlab::tools::error_message(error, form)
                                    : vramlab::tools::error_message(std::runtime_error(lack), form);
    std::fputs(message.c_str(), stderr);
  }
  return static_cast<int>(ExitStatus::bad_input);
}
