#include "traces/cases/option_case.h"

#include "traces/cases/case_parts.h"
#include "traces/cases/option_case_reader.h"

namespace vramlab::traces {
namespace {

/// null stands for no limit.
Bytes read_limit(const JsonValue& value) {
  return value.is_null() ? allocator::unlimited : Bytes{value.number()};
}

void read_option_divisions(const JsonValue& list, Settings& settings) {
  auto& slots = settings.roundup_divisions;
  if (list.array_size() != slots.size())
    list.fail("a list of " + std::to_string(slots.size()) + " numbers");
  for (std::size_t i = 0; i < slots.size(); ++i)
    slots[i] = static_cast<std::uint32_t>(list.at(i).number(UINT32_MAX));
}

Settings read_state(const JsonValue& state) {
  state.only_keys({"large_segment_size", "max_split_size", "max_non_split_rounding_size",
                   "pinned_max_round_threshold", "pinned_max_cached_size",
                   "garbage_collection_threshold", "expandable_segments",
                   "pinned_use_background_threads", "roundup_power2_divisions", "last"});
  Settings settings;
  settings.text = state.key("last").text();
  settings.large_segment_size = {state.key("large_segment_size").number()};
  settings.max_split_size = read_limit(state.key("max_split_size"));
  settings.max_non_split_rounding = {state.key("max_non_split_rounding_size").number()};
  settings.pinned_max_round_threshold = read_limit(state.key("pinned_max_round_threshold"));
  settings.pinned_max_cached_size = read_limit(state.key("pinned_max_cached_size"));
  settings.garbage_collection_threshold = state.key("garbage_collection_threshold").real();
  settings.expandable_segments = state.key("expandable_segments").boolean();
  settings.pinned_use_background_threads = state.key("pinned_use_background_threads").boolean();
  read_option_divisions(state.key("roundup_power2_divisions"), settings);
  return settings;
}

OptionStep read_step(const JsonValue& value) {
  value.only_keys({"string", "error", "warned", "state"});
  OptionStep step;
  step.text = value.key("string").text();
  step.warned = value.key("warned").boolean();
  step.settings = read_state(value.key("state"));
  const JsonValue error = value.key("error");
  if (error.is_null()) return step;
  if (error.array_size() != 2) error.fail("an error: its kind and its text");
  step.error = error.at(1).text();
  return step;
}

}  // namespace

OptionCase parse_option_case(const JsonValue& top, const std::string& file) {
  return {file, read_array<OptionRun>(top, [](const JsonValue& run) {
            return read_array<OptionStep>(run, read_step);
          })};
}

}  // namespace vramlab::traces
