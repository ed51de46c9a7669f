#include "replay/settings_search/sweep.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "allocator/options/option_reader.h"
#include "allocator/types/check.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replay_setup.h"
#include "traces/io/byte_source.h"
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
  throw InputError({where, "", "an option that PyTorch " + std::string(version.name) + " has",
                    "'" + name + "'" + hint_about(name, version)});
}

/// A value that is refused by itself is refused in every combination.
void refuse_value(const std::string& name, const std::string& value,
                  const ReferenceVersion& version, const std::string& where) {
  if (value == left_out_value) return;
  if (const auto refusal = refusal_of(name + ":" + value, version))
    throw InputError({where, "", "values that PyTorch " + std::string(version.name) + " takes",
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

/// An unknown name in an option string is refused with the nearest known one, as in a grid.
void refuse_unknown_in_string(const std::string& options, const ReferenceVersion& version,
                              const std::string& where) {
  const auto parsed = allocator::parse_settings({}, options, version);
  if (parsed.error && parsed.error->kind == allocator::SettingsErrorKind::unknown_option)
    refuse_unknown(parsed.error->option, version, where);
}

/// Without figures that are modelled.
auto exact_rank_of(const SweepFigures& figures) {
  return std::make_tuple(
      figures.failed.has_value(), figures.stopped_at.has_value(),
      value_of(figures.metrics, "peak_reserved"), device_calls_of(figures.metrics),
      value_of(figures.metrics, "host_peak_pinned"), value_of(figures.metrics, "host_allocs"));
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

std::int64_t value_of(const MetricValues& metrics, std::string_view name) {
  const MetricValue* value = find_value(metrics, name);
  return value == nullptr ? 0 : value->value;
}

std::int64_t device_calls_of(const MetricValues& metrics) {
  return value_of(metrics, "device_allocs") + value_of(metrics, "device_frees") +
         value_of(metrics, "units_mapped") + value_of(metrics, "units_unmapped");
}

SweepFigures figures_of(const std::string& file, const ReplayReport& report) {
  SweepFigures figures{file, run_metrics(report), std::nullopt, report.stopped_at};
  for (const DeviceReport& device : report.devices) {
    if (device.depends_from)
      figures.depends_from =
          std::min(figures.depends_from.value_or(*device.depends_from), *device.depends_from);
    if (device.failures.empty()) continue;
    const FailedRequest& first = device.failures.front();
    if (figures.failed && figures.failed->event <= first.event) continue;
    figures.failed = {device.device.value, first.event, first.figures.request.count};
  }
  return figures;
}

const SweepFigures& SweepRow::worst() const {
  check(!files.empty(), "a setting that was refused has no figures");
  return *std::ranges::max_element(files, [](const SweepFigures& a, const SweepFigures& b) {
    if (a.failed.has_value() == b.failed.has_value() && a.can_be_judged != b.can_be_judged)
      return b.can_be_judged;
    return is_better(a, b);
  });
}

bool is_better_exactly(const SweepFigures& a, const SweepFigures& b) {
  // The further it gets before it fails, the better.
  if (a.failed && b.failed && a.failed->event != b.failed->event)
    return a.failed->event > b.failed->event;
  return exact_rank_of(a) < exact_rank_of(b);
}

bool is_better(const SweepFigures& a, const SweepFigures& b) {
  if (is_better_exactly(a, b)) return true;
  if (is_better_exactly(b, a)) return false;
  return value_of(a.metrics, "device_time") < value_of(b.metrics, "device_time");
}

bool is_better(const SweepRow& a, const SweepRow& b) {
  if (a.was_refused() != b.was_refused()) return b.was_refused();
  if (!a.was_refused()) {
    const SweepFigures& worst_a = a.worst();
    const SweepFigures& worst_b = b.worst();
    if (is_better_exactly(worst_a, worst_b)) return true;
    if (is_better_exactly(worst_b, worst_a)) return false;
    if (a.conf.empty() != b.conf.empty()) return a.conf.empty();
    if (is_better(worst_a, worst_b)) return true;
    if (is_better(worst_b, worst_a)) return false;
  }
  return std::make_tuple(a.conf.size(), a.conf, a.is_recorded) <
         std::make_tuple(b.conf.size(), b.conf, b.is_recorded);
}

void sort_rows(std::vector<SweepRow>& rows) {
  std::ranges::stable_sort(rows,
                           [](const SweepRow& a, const SweepRow& b) { return is_better(a, b); });
}

}  // namespace vramlab::replay
