#include "replay/settings_search/option_grid.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "allocator/options/option_reader.h"
#include "replay/replayer/replay_options.h"
#include "traces/io/input_bytes.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using traces::InputError;

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && is_blank(text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && !is_blank(text[at])) ++at;
    if (at > begin) words.emplace_back(text.substr(begin, at - begin));
  }
  return words;
}

std::vector<std::string> values_of(std::string_view text) {
  std::vector<std::string> values;
  for (;;) {
    const std::size_t bar = text.find('|');
    values.emplace_back(text.substr(0, bar));
    if (bar == std::string_view::npos) return values;
    text.remove_prefix(bar + 1);
  }
}

void refuse_unknown(const std::string& name, const ReferenceVersion& version,
                    const std::string& where) {
  if (find_option(rules_of(version.grammar), name) != nullptr) return;
  throw InputError({where, "", "an option that version " + std::string(version.name) + " has",
                    "'" + name + "'; " + hint_about(name, version)});
}

/// What is refused by itself is refused in every combination.
void refuse_value(const std::string& name, const std::string& value,
                  const ReferenceVersion& version, const std::string& where) {
  if (value == left_out_value) return;
  if (const auto refusal = refusal_of(name + ":" + value, version))
    throw InputError({where, "", "values that version " + std::string(version.name) + " takes",
                      name + "=" + value + " (" + *refusal + ")"});
}

GridOption option_of(const std::string& word, const ReferenceVersion& version,
                     const std::string& where) {
  const std::size_t sign = word.find('=');
  if (sign == std::string::npos || sign == 0)
    throw InputError({where, "", "options such as max_split_size_mb=64|128", "'" + word + "'"});
  GridOption option{word.substr(0, sign), values_of(std::string_view(word).substr(sign + 1))};
  refuse_unknown(option.name, version, where);
  std::set<std::string> seen;
  for (const std::string& value : option.values) {
    if (value.empty())
      throw InputError({where, "", "values of " + option.name + ", separated by |",
                        "an empty one ('none' leaves the option out)"});
    if (!seen.insert(value).second)
      throw InputError(
          {where, "", "each value of " + option.name + " once", "'" + value + "' twice"});
    refuse_value(option.name, value, version, where);
  }
  return option;
}

/// A name of an option string that the version does not know has a nearest one, too.
void refuse_unknown_in_string(const std::string& options, const ReferenceVersion& version,
                              const std::string& where) {
  const auto parsed = allocator::parse_settings({}, options, version);
  if (parsed.error && parsed.error->kind == allocator::SettingsErrorKind::unknown_option)
    refuse_unknown(parsed.error->option, version, where);
}

}  // namespace

bool is_grid_word(std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos || sign == 0) return false;
  return std::ranges::all_of(text.substr(0, sign), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_';
  });
}

OptionGrid parse_grid(std::string_view text, const ReferenceVersion& version,
                      const std::string& where) {
  OptionGrid grid;
  for (const std::string& word : words_of(text)) {
    grid.push_back(option_of(word, version, where));
    for (std::size_t i = 0; i + 1 < grid.size(); ++i)
      if (grid[i].name == grid.back().name)
        throw InputError({where, "", "each option once", "'" + grid.back().name + "' twice"});
  }
  return grid;
}

std::vector<std::string> settings_of_grid(const OptionGrid& grid) {
  std::vector<std::string> settings = {""};
  for (const GridOption& option : grid) {
    if (settings.size() * option.values.size() > most_settings)
      throw InputError(
          {"the grid", "", "at most " + std::to_string(most_settings) + " settings", "more"});
    std::vector<std::string> longer;
    for (const std::string& before : settings)
      for (const std::string& value : option.values)
        longer.push_back(value == left_out_value
                             ? before
                             : before + (before.empty() ? "" : ",") + option.name + ":" + value);
    settings = std::move(longer);
  }
  return settings;
}

std::vector<std::string> read_grid_file(const std::string& path, const ReferenceVersion& version) {
  const std::string text = traces::read_input_bytes(path);
  std::vector<std::string> settings;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    line = trimmed(line.substr(0, line.find('#')));
    const std::string where = path + " at line " + std::to_string(++number);
    if (line.empty()) continue;
    if (line.find('=') != std::string_view::npos) {
      const auto of_line = settings_of_grid(parse_grid(line, version, where));
      settings.insert(settings.end(), of_line.begin(), of_line.end());
    } else {
      settings.emplace_back(line == left_out_value ? "" : line);
      refuse_unknown_in_string(settings.back(), version, where);
    }
    if (settings.size() > most_settings)
      throw InputError(
          {path, "", "at most " + std::to_string(most_settings) + " settings", "more"});
  }
  if (settings.empty())
    throw InputError({path, "", "lines of settings such as max_split_size_mb=64|128", "none"});
  return settings;
}

}  // namespace vramlab::replay
