#include "tools/cli/commands/mcp/mcp_tools.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "replay/metrics/nearest_name.h"
#include "tools/cli/kit/help_text.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {

// Files of docs/reference/schemas.
std::string_view advise_schema();
std::string_view diff_schema();
std::string_view dry_run_schema();
std::string_view explain_schema();
std::string_view fit_schema();
std::string_view top_schema();

namespace {

using nlohmann::ordered_json;

constexpr std::string_view dry_run_advice =
    "`program` is the command line, such as [\"python\", \"train.py\"]. It takes as long as the "
    "program's own Python does; `steps` ends it early. `output` keeps the history for other tools";
constexpr std::string_view fit_advice =
    "`program` is a command line with placeholders, such as [\"python\", \"train.py\", "
    "\"--batch\", \"{batch:1..512}\"]. It takes several dry runs";

/// Options that the server gives itself, or that ask for another form of the answer.
constexpr std::array<std::string_view, 6> options_of_form = {"help",   "list-gpus", "json",
                                                             "format", "quiet",     "verbose"};
/// Options that write files beside the answer.
constexpr std::array<std::string_view, 3> options_of_files = {"output", "force", "report"};

const CLI::App& command_of(const McpTool& tool, const CLI::App& program) {
  return *program.get_subcommand(std::string(tool.command));
}

bool takes_many(const CLI::Option& option) {
  return option.get_expected_max() >= CLI::detail::expected_max_vector_size;
}

/// Such as `device_memory`, or `files` for FILE...
std::string argument_name(const CLI::Option& option) {
  std::string name = option.get_positional() ? option.get_name(true) : option.get_lnames().front();
  std::ranges::transform(name, name.begin(), [](unsigned char letter) {
    return letter == '-' ? '_' : static_cast<char>(std::tolower(letter));
  });
  return option.get_positional() && takes_many(option) && name == "file" ? "files" : name;
}

bool is_offered(const McpTool& tool, const CLI::App& command, const CLI::Option& option) {
  if (option.get_positional()) return true;
  if (option.get_lnames().empty()) return false;
  const std::string& name = option.get_lnames().front();
  if (std::ranges::count(options_of_form, name) != 0) return false;
  if (!tool.runs_program && std::ranges::count(options_of_files, name) != 0) return false;
  // Another form, too, as that of --folded.
  const auto others = option.get_excludes();
  return !std::ranges::any_of(others, [&](const CLI::Option* other) {
    return other == command.get_option_no_throw("--json");
  });
}

std::vector<const CLI::Option*> offered_options(const McpTool& tool, const CLI::App& program) {
  const CLI::App& command = command_of(tool, program);
  std::vector<const CLI::Option*> options = command.get_options();
  std::erase_if(options,
                [&](const CLI::Option* option) { return !is_offered(tool, command, *option); });
  return options;
}

// ---- Schemas ------------------------------------------------------------------------------------

ordered_json schema_of_one(const CLI::Option& option) {
  if (const auto values = tools::values_of(option); !values.empty())
    return {{"type", "string"}, {"enum", values}};
  const std::string name = value_name(option);
  if (name.starts_with("NUMBER")) return {{"type", "number"}};
  const bool is_count = name == "N" || name.starts_with("N ");
  return is_count ? ordered_json{{"type", "integer"}, {"minimum", 0}}
                  : ordered_json{{"type", "string"}};
}

ordered_json schema_of(const CLI::Option& option) {
  const int items = option.get_items_expected_max();
  ordered_json schema;
  if (items == 0) {
    schema["type"] = "boolean";
  } else if (takes_many(option)) {
    schema = {{"type", "array"}, {"items", schema_of_one(option)}};
    if (option.get_positional()) schema["minItems"] = 1;
  } else if (items > 1) {
    schema = {{"type", "array"},
              {"items", schema_of_one(option)},
              {"minItems", items},
              {"maxItems", items}};
  } else {
    schema = schema_of_one(option);
  }
  schema["description"] = option_text(option);
  return schema;
}

ordered_json input_schema(const McpTool& tool, const CLI::App& program) {
  ordered_json properties = ordered_json::object();
  ordered_json required = ordered_json::array();
  for (const CLI::Option* option : offered_options(tool, program)) {
    properties[argument_name(*option)] = schema_of(*option);
    if (option->get_positional()) required.push_back(argument_name(*option));
  }
  return {{"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

// ---- Command lines ------------------------------------------------------------------------------

std::string text_of(const std::string& name, const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return compact_json_text(value);
  throw WrongToolArguments(name + ": expected a text or a number, found " + value.type_name());
}

std::vector<std::string> texts_of(const std::string& name, const ordered_json& value) {
  if (!value.is_array()) return {text_of(name, value)};
  std::vector<std::string> texts;
  for (const ordered_json& one : value) texts.push_back(text_of(name, one));
  return texts;
}

void add_option_words(std::vector<std::string>& words, const CLI::Option& option,
                      const ordered_json& value) {
  const std::string name = argument_name(option);
  const std::string typed = "--" + option.get_lnames().front();
  const auto texts = value.is_boolean() ? std::vector<std::string>() : texts_of(name, value);
  const int items = option.get_items_expected_max();
  if ((items == 0) != value.is_boolean())
    throw WrongToolArguments(name + ": expected " + (items == 0 ? "true or false" : "a value") +
                             ", found " + compact_json_text(value));
  if (items == 0) {
    if (value.get<bool>()) words.push_back(typed);
  } else if (items > 1 && !takes_many(option)) {
    words.push_back(typed);
    words.insert(words.end(), texts.begin(), texts.end());
  } else {
    if (texts.size() > 1 && !takes_many(option))
      throw WrongToolArguments(name + ": expected one value, found a list");
    for (const std::string& text : texts) words.push_back(typed + "=" + text);
  }
}

void refuse_unknown_arguments(const McpTool& tool, const std::vector<const CLI::Option*>& options,
                              const ordered_json& arguments) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(argument_name(*option));
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const auto& [name, value] : arguments.items())
    if (std::ranges::find(names, name) == names.end())
      throw WrongToolArguments(std::string(tool.name) + " has no argument '" + name + "'" +
                               replay::nearest_hint(name, known));
}

}  // namespace

const std::vector<McpTool>& mcp_tools() {
  static const std::vector<McpTool> tools = {
      {.name = "explain",
       .command = "explain",
       .advice = "Ask this first about a recording",
       .answer_schema = explain_schema},
      {.name = "advise",
       .command = "advise",
       .advice = "Replays the recording under many settings",
       .answer_schema = advise_schema},
      {.name = "top", .command = "top", .advice = "", .answer_schema = top_schema},
      {.name = "diff", .command = "diff", .advice = "", .answer_schema = diff_schema},
      {.name = "dry_run",
       .command = "dry-run",
       .advice = dry_run_advice,
       .runs_program = true,
       .answers_in_file = true,
       .answer_schema = dry_run_schema},
      {.name = "fit",
       .command = "fit",
       .advice = fit_advice,
       .runs_program = true,
       .answer_schema = fit_schema},
  };
  return tools;
}

ordered_json mcp_tool_json(const McpTool& tool, const CLI::App& program) {
  std::string description = command_of(tool, program).get_description();
  if (!tool.advice.empty())
    description += (description.ends_with('?') ? " " : ". ") + std::string(tool.advice);
  return {{"name", tool.name},
          {"description", description},
          {"inputSchema", input_schema(tool, program)},
          {"outputSchema", ordered_json::parse(tool.answer_schema())},
          {"annotations", {{"readOnlyHint", !tool.runs_program}}}};
}

std::vector<std::string> mcp_words(const McpTool& tool, const CLI::App& program,
                                   const ordered_json& arguments, const std::string& answer_file) {
  const auto options = offered_options(tool, program);
  refuse_unknown_arguments(tool, options, arguments);
  std::vector<std::string> words = {std::string(tool.command)};
  std::vector<std::string> positional = {"--"};
  for (const CLI::Option* option : options) {
    const std::string name = argument_name(*option);
    const auto value = arguments.find(name);
    if (option->get_positional()) {
      if (value == arguments.end() || value->empty())
        throw WrongToolArguments(std::string(tool.name) + ": expected '" + name + "'");
      const auto texts = texts_of(name, *value);
      positional.insert(positional.end(), texts.begin(), texts.end());
    } else if (value != arguments.end() && !value->is_null()) {
      add_option_words(words, *option, *value);
    }
  }
  if (tool.answers_in_file)
    words.insert(words.end(), {"--quiet", "--json=" + answer_file});
  else
    words.emplace_back("--json");
  words.insert(words.end(), positional.begin(), positional.end());
  return words;
}

}  // namespace vramlab::tools
