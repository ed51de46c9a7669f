#include "tools/cli/kit/help_text.h"

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>

namespace vramlab::tools {
namespace {

/// The library's name of a type, without the texts of checks behind it.
std::string plain_type(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  for (const char* const known : {"SIZE", "TIME", "FILE"})
    if (type.find(known) != std::string::npos) return known;
  return type.substr(0, type.find(':'));
}

std::string name_of_one(const CLI::Option& option) {
  std::string values;
  for (const std::string& value : values_of(option)) values += (values.empty() ? "" : "|") + value;
  if (!values.empty()) return values;
  const std::string type = plain_type(option);
  if (type == "UINT" || type == "INT") return "N";
  return type == "FLOAT" ? "NUMBER" : type;
}

bool is_repeated(const CLI::Option& option) {
  return option.get_expected_max() >= CLI::detail::expected_max_vector_size;
}

/// `--gpu, --host or --json`, by name: the library keeps them by their places in memory.
std::string names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

class PlainFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional()) return is_repeated(*option) ? "..." : "";
    const std::string value = value_name(*option);
    return value.empty() ? "" : " " + value;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return option_text(*option);
  }
};

}  // namespace

std::vector<const CLI::App*> listed_commands(const CLI::App& command) {
  std::vector<const CLI::App*> below =
      command.get_subcommands([](const CLI::App*) { return true; });
  std::erase_if(below, [](const CLI::App* one) { return one->get_group().empty(); });
  return below;
}

std::vector<std::string> values_of(const CLI::Option& option) {
  // The library gives the values only in this text: TEXT:{stop,skip,report}.
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  std::vector<std::string> values;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string value; std::getline(list, value, ',');) values.push_back(value);
  return values;
}

std::string value_name(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  std::string name = name_of_one(option);
  // Options that may be given several times take any number.
  if (option.get_items_expected_min() != option.get_items_expected_max()) return name;
  for (int i = 1; i < option.get_items_expected_max(); ++i) name += ' ' + name_of_one(option);
  return name;
}

std::string option_text(const CLI::Option& option) {
  std::string text = option.get_description();
  const bool says_default = text.find("default") != std::string::npos;
  if (!option.get_default_str().empty() && !says_default)
    text += " (default: " + option.get_default_str() + ")";
  if (!option.get_needs().empty()) text += "; only with " + names_of(option.get_needs());
  if (!option.get_excludes().empty()) text += "; not with " + names_of(option.get_excludes());
  return text;
}

std::string help_of(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  const std::string name = (parent == nullptr ? "" : parent->get_name() + " ") + command.get_name();
  return command.get_formatter()->make_help(&command, name, CLI::AppFormatMode::Normal);
}

void speak_plainly(CLI::App& program) {
  const auto formatter = std::make_shared<PlainFormatter>();
  formatter->label("Positionals", "Arguments");
  formatter->label("OPTIONS", "options");
  formatter->label("SUBCOMMAND", "command");
  program.formatter(formatter);
}

}  // namespace vramlab::tools
