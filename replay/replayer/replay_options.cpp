#include "replay/replayer/replay_options.h"

#include <vector>

#include "allocator/options/option_reader.h"
#include "replay/metrics/nearest_name.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {

using traces::InputError;

std::string hint_about(std::string_view option, const ReferenceVersion& version) {
  for (const ReferenceVersion& row : allocator::reference_versions())
    if (find_option(rules_of(row.grammar), option) != nullptr)
      return "version " + std::string(row.name) + " has it (--reference " + std::string(row.name) +
             ")";
  std::vector<std::string_view> names;
  for (const allocator::OptionRow& row : rules_of(version.grammar).options)
    names.push_back(row.name);
  return "the nearest is " + std::string(nearest_name(option, names));
}

namespace {

allocator::ParsedSettings parse_at_start(const std::string& options,
                                         const ReferenceVersion& version) {
  Settings at_start;
  at_start.backend = allocator::backend_at_start(options);
  return parse_settings(at_start, options, version);
}

}  // namespace

std::optional<std::string> refusal_of(const std::string& options, const ReferenceVersion& version) {
  if (options.empty()) return std::nullopt;
  const auto error = parse_at_start(options, version).error;
  if (!error) return std::nullopt;
  if (error->kind == allocator::SettingsErrorKind::unknown_option)
    return "there is no option '" + error->option + "'; " + hint_about(error->option, version);
  return error->message;
}

Settings settings_of(const std::string& options, const ReferenceVersion& version,
                     const std::string& where) {
  if (const auto refusal = refusal_of(options, version))
    throw InputError(
        {where, "", "options that version " + std::string(version.name) + " takes", *refusal});
  return options.empty() ? Settings{} : parse_at_start(options, version).settings;
}

}  // namespace vramlab::replay
