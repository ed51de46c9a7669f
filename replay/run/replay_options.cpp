#include "replay/run/replay_options.h"

#include <vector>

#include "allocator/options/option_table.h"
#include "replay/figures/nearest_name.h"
#include "traces/files/input_error.h"

namespace vramlab::replay {

using traces::InputError;

std::string_view nearest_option(std::string_view name, const ReferenceVersion& version) {
  std::vector<std::string_view> names;
  for (const allocator::OptionRow& row : rules_of(version.grammar).options)
    names.push_back(row.name);
  return nearest_name(name, names);
}

std::optional<std::string> refusal_of(const std::string& options, const ReferenceVersion& version) {
  if (options.empty()) return std::nullopt;
  Settings at_start;
  at_start.backend = allocator::backend_at_start(options);
  const auto parsed = allocator::parse_settings(at_start, options, version);
  if (!parsed.error) return std::nullopt;
  if (parsed.error->kind == allocator::SettingsErrorKind::unknown_option)
    return "there is no option '" + parsed.error->option + "'; the nearest is " +
           std::string(nearest_option(parsed.error->option, version));
  return parsed.error->message;
}

Settings settings_of(const std::string& options, const ReferenceVersion& version,
                     const std::string& where) {
  if (options.empty()) return {};
  Settings at_start;
  at_start.backend = allocator::backend_at_start(options);
  auto parsed = allocator::parse_settings(at_start, options, version);
  if (parsed.error)
    throw InputError({where, "", "options that version " + std::string(version.name) + " takes",
                      refusal_of(options, version).value_or(parsed.error->message)});
  return std::move(parsed.settings);
}

}  // namespace vramlab::replay
