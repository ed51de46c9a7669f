#include "tools/cli/kit/commands.h"

#include <sstream>

namespace vramlab::tools {
namespace {

std::string name_of_one(const CLI::Option& option) {
  std::string values;
  for (const std::string& value : values_of(option)) values += (values.empty() ? "" : "|") + value;
  if (!values.empty()) return values;
  const std::string type = option.get_type_name();
  for (const char* const known : {"SIZE", "TIME", "FILE"})
    if (type.find(known) != std::string::npos) return known;
  if (type.starts_with("UINT") || type.starts_with("INT")) return "N";
  return type.starts_with("FLOAT") ? "NUMBER" : "TEXT";
}

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

}  // namespace vramlab::tools
