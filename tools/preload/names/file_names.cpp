#include "tools/preload/names/file_names.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>

namespace vramlab::names {
namespace {

/// Calls `literal(letter)` or `placed(kind, variable)` for each part of the pattern.
template <class Literal, class Placed>
void read_pattern(std::string_view rest, const Literal& literal, const Placed& placed) {
  while (!rest.empty()) {
    const std::size_t end = rest.find('}');
    if (rest.starts_with("%%") || rest.starts_with("%p") || rest.starts_with("%h")) {
      placed(rest[1], std::string());
      rest.remove_prefix(2);
    } else if (rest.starts_with("%q{") && end != std::string_view::npos) {
      placed('q', std::string(rest.substr(3, end - 3)));
      rest.remove_prefix(end + 1);
    } else {
      literal(rest.front());
      rest.remove_prefix(1);
    }
  }
}

std::string placed_text(char kind, const std::string& variable, const ProcessFacts& facts) {
  if (kind == 'p') return std::to_string(facts.process);
  if (kind == 'h') return facts.host;
  if (kind == '%') return "%";
  const char* const value = facts.variable(variable.c_str());
  return value == nullptr ? "" : value;
}

}  // namespace

ProcessFacts facts_of_this_process() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return {getpid(), host.data(), [](const char* name) { return secure_getenv(name); }};
}

std::string expanded_name(std::string_view pattern, const ProcessFacts& facts) {
  std::string name;
  read_pattern(
      pattern, [&](char letter) { name += letter; },
      [&](char kind, const std::string& variable) { name += placed_text(kind, variable, facts); });
  return name;
}

bool names_process(std::string_view pattern) {
  bool found = false;
  read_pattern(
      pattern, [](char) {}, [&](char kind, const std::string&) { found = found || kind == 'p'; });
  return found;
}

std::string literal_name(std::string_view name) {
  std::string pattern;
  for (const char letter : name) pattern.append(letter == '%' ? "%%" : std::string(1, letter));
  return pattern;
}

std::string from_this_folder(std::string_view pattern) {
  std::array<char, PATH_MAX> here{};
  if (pattern.starts_with('/') || getcwd(here.data(), here.size()) == nullptr)
    return std::string(pattern);
  return literal_name(here.data()) + "/" + std::string(pattern);
}

}  // namespace vramlab::names
