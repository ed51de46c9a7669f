#include "allocator/options/settings.h"

#include "allocator/options/option_reader.h"
#include "allocator/types/reference_version.h"

namespace vramlab::allocator {
namespace {

/// All other options keep their last value when a new string is set.
Settings reset_by_new_string(Settings settings, std::string_view text) {
  settings.text = text;
  settings.max_split_size = unlimited;
  settings.roundup_divisions.fill(0);
  settings.garbage_collection_threshold = 0;
  return settings;
}

/// Each option takes effect where it stands.
void parse_in_single_pass(OptionParse& parse) {
  while (!parse.tokens.at_end()) {
    const OptionInHand option = take_option_name(parse);
    read_option(option);
    take_separator_after(option);
  }
}

/// Looks at every token, so it also finds names in places where a value should be.
void read_segment_size(OptionParse& parse) {
  parse.tokens.start_again();
  while (!parse.tokens.at_end()) {
    const OptionRow* row = find_option(parse.rules, parse.tokens.next());
    const std::string name = parse.tokens.take();
    if (row != nullptr && row->pass == OptionPass::segment_size) read_option({parse, *row, name});
  }
}

/// Reads the options of one pass and skips the others, which must be known and complete.
void read_pass(OptionParse& parse, OptionPass pass) {
  parse.tokens.start_again();
  while (!parse.tokens.at_end()) {
    const OptionInHand option = take_option_name(parse);
    if (option.row.pass == pass)
      read_option(option);
    else
      skip_option(option);
    take_separator_after(option);
  }
}

/// The segment size comes first, wherever it stands, since other bounds depend on it; then the
/// options that all accelerators share. Says whether the limits of pinned memory, if both are
/// named, contradict each other.
bool parse_shared_passes(OptionParse& parse) {
  read_segment_size(parse);
  parse.settings.max_non_split_rounding = parse.settings.large_segment_size;
  read_pass(parse, OptionPass::shared);
  return parse.named.contains("pinned_max_round_threshold_mb") &&
         parse.named.contains("pinned_max_cached_size_mb") &&
         parse.settings.pinned_max_round_threshold > parse.settings.pinned_max_cached_size;
}

enum class Passes : bool { shared, all };

/// A mistake in one walk leaves the options of the next as they were. Throws OptionRefused at the
/// first mistake, with what stands before it in effect.
void parse_passes(OptionParse& parse, Passes passes, ParsedSettings& parsed) {
  if (parse.version.grammar == OptionGrammar::single_pass) return parse_in_single_pass(parse);
  parsed.cached_size_limits_rounding = parse_shared_passes(parse);
  if (passes == Passes::all) read_pass(parse, OptionPass::own);
}

ParsedSettings parse(const Settings& in_force, std::string_view text,
                     const ReferenceVersion& version, Passes passes) {
  ParsedSettings parsed{reset_by_new_string(in_force, text), std::nullopt, {}};
  const GrammarRules& rules = rules_of(version.grammar);
  OptionParse parse{version, rules, OptionTokens(text, rules.blanks), parsed.settings, {}, {}};
  try {
    parse_passes(parse, passes, parsed);
  } catch (const OptionRefused& refused) {
    parsed.error = refused.error();
  }
  parsed.ignored = std::move(parse.ignored);
  return parsed;
}

}  // namespace

Backend backend_at_start(std::string_view text) {
  constexpr std::string_view between_options = ", \t\n\v\f\r";
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(between_options);
    const std::string_view option = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t colon = option.find(':');
    if (colon == std::string_view::npos || option.substr(0, colon) != "backend") continue;
    return option.substr(colon + 1) == "cudaMallocAsync" ? Backend::cuda_malloc_async
                                                         : Backend::native;
  }
  return Backend::native;
}

ParsedSettings parse_settings(const Settings& in_force, std::string_view text,
                              const ReferenceVersion& version) {
  return parse(in_force, text, version, Passes::all);
}

ParsedSettings parse_shared_settings(const Settings& in_force, std::string_view text,
                                     const ReferenceVersion& version) {
  return parse(in_force, text, version, Passes::shared);
}

std::string_view settings_error_kind_name(SettingsErrorKind kind) {
  static constexpr std::array<std::string_view, 9> names = {
      "unknown_option", "missing_separator", "missing_value", "not_a_number", "not_a_boolean",
      "out_of_range",   "unknown_backend",   "other_backend", "unclosed_list"};
  return names.at(static_cast<std::size_t>(kind));
}

}  // namespace vramlab::allocator
