#include "tests/layout/type_homes.h"

#include <map>
#include <regex>
#include <sstream>

namespace vramlab::tests {

std::vector<std::string> types_defined_in(std::string_view text) {
  static const std::regex opening("namespace ([A-Za-z_:]*) ?\\{");
  // Specialisations share the name of their template.
  static const std::regex type(
      "(?:struct|class|enum class|union) (?:alignas\\([^)]*\\) )?(\\w+)"
      "(?: final)?(?: : [^;]*)? \\{.*");
  std::vector<std::string> types;
  std::vector<std::string> open;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, opening))
      open.push_back(match[1]);
    else if (line.starts_with("}  // namespace") && !open.empty())
      open.pop_back();
    else if (!open.empty() && !open.back().empty() && std::regex_match(line, match, type))
      types.push_back(open.back() + "::" + match[1].str());
  }
  return types;
}

std::vector<std::string> types_with_two_homes(const std::vector<TypesOfFile>& files) {
  std::map<std::string, std::string> homes;
  std::vector<std::string> broken;
  for (const TypesOfFile& file : files)
    for (const std::string& type : file.types)
      if (const auto [home, is_new] = homes.emplace(type, file.path); !is_new)
        broken.push_back(type + " is in " + home->second + " and in " + file.path);
  return broken;
}

}  // namespace vramlab::tests
