// `vramlab manual`: the manual pages of all commands.
#include <sys/wait.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "replay/metrics/nearest_name.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/help_text.h"
#include "tools/cli/kit/outputs.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

enum class Style : std::uint8_t { plain, bold, placeholder };

/// A piece of a line.
struct Piece {
  std::string text;
  Style style = Style::plain;
};

enum class PartKind : std::uint8_t {
  section,
  subsection,
  /// A line as it is typed, never broken.
  typed,
  paragraph,
  /// The head of an entry; its text follows as a paragraph.
  entry,
};

struct Part {
  PartKind kind;
  std::vector<Piece> pieces;
};

using Page = std::vector<Part>;

Part section(const std::string& title) { return {PartKind::section, {{title}}}; }
Part paragraph(const std::string& text) { return {PartKind::paragraph, {{text}}}; }
Piece bold(const std::string& text) { return {text, Style::bold}; }
Piece placeholder(const std::string& text) { return {text, Style::placeholder}; }

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

Part synopsis(const CLI::App& command) {
  Part part{PartKind::typed, {bold(full_name(command))}};
  const auto add = [&part](const std::string& before, const std::string& name,
                           const std::string& behind) {
    part.pieces.insert(part.pieces.end(), {{before}, placeholder(name), {behind}});
  };
  if (!options_of(command, false).empty()) add(" [", "options", "]");
  if (!listed_commands(command).empty()) add(" ", "command", "");
  for (const CLI::Option* positional : options_of(command, true)) {
    const std::string many = positional->get_expected_max() > 1 ? "..." : "";
    if (positional->get_required())
      add(" ", positional->get_name(true), many);
    else
      add(" [", positional->get_name(true), many + "]");
  }
  return part;
}

Part option_head(const CLI::Option& option) {
  Part head{PartKind::entry, {}};
  const auto add = [&head](const std::string& name) {
    if (!head.pieces.empty()) head.pieces.push_back({", "});
    head.pieces.push_back(bold(name));
  };
  for (const std::string& name : option.get_snames()) add("-" + name);
  for (const std::string& name : option.get_lnames()) add("--" + name);
  if (const std::string value = value_name(option); !value.empty())
    head.pieces.insert(head.pieces.end(), {{" "}, placeholder(value)});
  return head;
}

void add_arguments(Page& page, const CLI::App& command) {
  const auto positionals = options_of(command, true);
  if (!positionals.empty()) page.push_back(section("ARGUMENTS"));
  for (const CLI::Option* positional : positionals) {
    page.push_back({PartKind::entry, {placeholder(positional->get_name(true))}});
    page.push_back(paragraph(option_text(*positional)));
  }
}

void add_options_section(Page& page, const CLI::App& command) {
  const auto options = options_of(command, false);
  if (!options.empty()) page.push_back(section("OPTIONS"));
  for (const CLI::Option* option : options) {
    page.push_back(option_head(*option));
    page.push_back(paragraph(option_text(*option)));
  }
}

void add_commands(Page& page, const CLI::App& command) {
  const auto commands = listed_commands(command);
  if (!commands.empty()) page.push_back(section("COMMANDS"));
  std::string group;
  for (const CLI::App* below : commands) {
    if (below->get_group() != group)
      page.push_back({PartKind::subsection, {{group = below->get_group()}}});
    page.push_back({PartKind::entry, {bold(below->get_name())}});
    page.push_back(paragraph(below->get_description()));
  }
}

void add_statuses(Page& page) {
  page.push_back(section("EXIT STATUS"));
  constexpr std::pair<const char*, const char*> statuses[] = {
      {"0", "Done, and what was asked holds."},
      {"1", "What was asked does not hold: a limit is broken, a history is not exact."},
      {"2", "Wrong usage or bad input, with one line that says what was expected."}};
  for (const auto& [status, meaning] : statuses) {
    page.push_back({PartKind::entry, {bold(status)}});
    page.push_back(paragraph(meaning));
  }
  page.push_back({PartKind::typed, {{""}}});
  page.push_back({PartKind::paragraph,
                  {bold("dry-run"),
                   {", "},
                   bold("run"),
                   {" and "},
                   bold("record"),
                   {" end with the status of the program that they run."}}});
}

void add_example(Page& page, const CLI::App& command) {
  const std::string mark = "Example: ";
  std::string example = command.get_footer();
  if (example.starts_with(mark)) example.erase(0, mark.size());
  if (example.empty()) return;
  page.push_back(section("EXAMPLE"));
  page.push_back({PartKind::typed, {{example}}});
}

/// `vramlab-replay` for `replay`; `vramlab` for the program itself.
std::string page_name(const CLI::App& command) {
  std::string name = full_name(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

Page page_of(const CLI::App& command) {
  Page page = {section("NAME"), paragraph(page_name(command) + " - " + command.get_description()),
               section("SYNOPSIS"), synopsis(command)};
  add_arguments(page, command);
  add_commands(page, command);
  add_options_section(page, command);
  add_statuses(page);
  add_example(page, command);
  page.push_back(section("SEE ALSO"));
  Part others{PartKind::paragraph, {}};
  if (command.get_parent() != nullptr) others.pieces = {bold("vramlab"), {"(1), "}};
  others.pieces.push_back({"the pages in the documentation folder of vramlab"});
  page.push_back(std::move(others));
  return page;
}

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return text;
}

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

std::string roff_line(const std::vector<Piece>& pieces) {
  std::string line;
  for (const Piece& piece : pieces) {
    // A dot within a line is no instruction.
    const std::string text = line.empty() ? roff(piece.text) : roff("x" + piece.text).substr(1);
    if (piece.style == Style::plain)
      line += text;
    else
      line += (piece.style == Style::bold ? "\\fB" : "\\fI") + text + "\\fR";
  }
  return line + "\n";
}

/// The page for `man`. Text that people type is never broken or hyphenated.
std::string roff_page(const CLI::App& command) {
  std::string text = ".TH \"" + roff(upper_case(page_name(command))) +
                     "\" 1 \"\" \"vramlab " VRAMLAB_VERSION "\"\n.nh\n.ad l\n";
  for (const auto& [kind, pieces] : page_of(command)) {
    const std::string line = roff_line(pieces);
    if (kind == PartKind::section) text += ".SH " + line;
    if (kind == PartKind::subsection) text += ".SS " + line;
    if (kind == PartKind::typed) text += line == "\n" ? ".PP\n" : ".nf\n" + line + ".fi\n";
    if (kind == PartKind::entry) text += ".TP\n" + line;
    if (kind == PartKind::paragraph) text += line;
  }
  return text;
}

enum class PageLetters : std::uint8_t {
  plain,
  /// A bold letter is printed over itself, as pagers know it.
  overstruck,
};

std::string shown_piece(const Piece& piece, PageLetters letters) {
  if (piece.style == Style::plain || letters == PageLetters::plain) return piece.text;
  std::string text;
  for (const char letter : piece.text)
    text += piece.style == Style::bold ? std::string{letter, '\b', letter}
                                       : std::string{'_', '\b', letter};
  return text;
}

/// Words up to a width. An overstruck letter counts once.
std::string filled(const std::vector<Piece>& pieces, std::size_t indent, PageLetters letters) {
  constexpr std::size_t width = 78;
  std::string text(indent, ' ');
  std::size_t column = indent;
  std::string plain;
  for (const Piece& piece : pieces) plain += piece.text;
  // Each piece's letters, one by one, so that words may cross pieces.
  std::vector<std::string> cells;
  for (const Piece& piece : pieces)
    for (const char letter : piece.text)
      cells.push_back(shown_piece({std::string(1, letter), piece.style}, letters));
  for (std::size_t at = 0; at < plain.size();) {
    const std::size_t end = std::min(plain.find(' ', at), plain.size());
    if (column > indent && column + 1 + (end - at) > width) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      text += ' ';
      ++column;
    }
    for (std::size_t i = at; i < end; ++i) text += cells[i];
    column += end - at;
    at = end + 1;
  }
  return text + "\n";
}

/// The page as `man` shows it.
std::string shown_page(const CLI::App& command, PageLetters letters) {
  constexpr std::size_t body = 7;
  constexpr std::size_t entry_text = 14;
  const std::string name = upper_case(page_name(command)) + "(1)";
  std::string text = name + "   vramlab " VRAMLAB_VERSION "\n";
  bool is_in_entry = false;
  for (const auto& [kind, pieces] : page_of(command)) {
    std::string line;
    for (const Piece& piece : pieces) line += shown_piece(piece, letters);
    if (kind == PartKind::section || kind == PartKind::subsection)
      text += "\n" + std::string(kind == PartKind::section ? 0 : 3, ' ') +
              shown_piece(bold(pieces.front().text), letters) + "\n";
    if (kind == PartKind::typed) text += std::string(line.empty() ? 0 : body, ' ') + line + "\n";
    if (kind == PartKind::entry) text += std::string(body, ' ') + line + "\n";
    if (kind == PartKind::paragraph)
      text += filled(pieces, is_in_entry ? entry_text : body, letters);
    is_in_entry = kind == PartKind::entry;
  }
  return text;
}

struct ManualArguments {
  const CLI::App* program = nullptr;
  std::string command;
  std::string folder;
  bool is_roff = false;
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
  const std::string prefix = "vramlab-";
  const std::string wanted = prefix + arguments.command;
  for (const CLI::App* page : pages)
    if (page_name(*page) == wanted) return {page};
  std::vector<std::string> names;
  for (const CLI::App* page : pages)
    if (page != arguments.program) names.push_back(page_name(*page).substr(prefix.size()));
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw traces::InputError(
      {"manual", "", "a command that vramlab --help lists",
       "'" + arguments.command + "'" + replay::nearest_hint(arguments.command, known)});
}

/// False without a pager.
bool show_in_pager(const std::string& text) {
  // No thread of ours changes the environment.
  const char* pager = std::getenv("PAGER");  // NOLINT(concurrency-mt-unsafe)
  std::FILE* const pipe =
      popen(pager == nullptr || *pager == '\0' ? "less -FRX" : pager, "w");  // NOLINT(cert-env33-c)
  if (pipe == nullptr) return false;
  std::fwrite(text.data(), 1, text.size(), pipe);
  constexpr int shell_found_nothing = 127;
  const int status = pclose(pipe);
  return !WIFEXITED(status) || WEXITSTATUS(status) != shell_found_nothing;
}

void show(const CLI::App& command, const ManualArguments& arguments) {
  if (arguments.is_roff) {
    print(roff_page(command));
    return;
  }
  const bool is_on_terminal = isatty(STDOUT_FILENO) != 0;
  if (is_on_terminal && show_in_pager(shown_page(command, PageLetters::overstruck))) return;
  print(shown_page(command, PageLetters::plain));
}

ExitStatus write_pages(const ManualArguments& arguments) {
  const std::vector<const CLI::App*> pages = asked_pages(arguments);
  if (arguments.folder.empty()) {
    show(*pages.front(), arguments);
    return ExitStatus::done;
  }
  if (arguments.folder == "-") {
    for (const CLI::App* page : pages) print(roff_page(*page));
    return ExitStatus::done;
  }
  std::filesystem::create_directories(arguments.folder);
  for (const CLI::App* page : pages) {
    traces::OutputFile file(
        arguments.folder + "/" + page_name(*page) + ".1",
        arguments.may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused);
    file.write(roff_page(*page));
    file.finish();
  }
  return ExitStatus::done;
}

void add_options(CLI::App& command, ManualArguments& arguments) {
  arguments.program = command.get_parent();
  command.add_option("COMMAND", arguments.command,
                     "The command, such as replay or dry-run (default: the program)");
  command
      .add_option("-o,--output", arguments.folder,
                  "A folder for the pages of all commands, or of the named one, as roff (- is "
                  "standard output)")
      ->type_name("FOLDER");
  command.add_flag("--roff", arguments.is_roff, "Print the page as roff, for man -l -");
  command.add_flag("--force", arguments.may_overwrite, "Overwrite outputs");
}

}  // namespace

Command manual_command() {
  return {"manual", "Show the manual page of a command, or write those of all to a folder",
          "Example: vramlab manual replay", with<ManualArguments>(add_options, write_pages)};
}

}  // namespace vramlab::tools
