#include "tools/cli/commands/sweep/sweep_outcome.h"

#include <algorithm>
#include <span>

#include "allocator/types/bytes_and_ids.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using replay::Metric;
using replay::SweepFigures;
using replay::SweepRow;

struct ShownFigure {
  const char* heading;
  std::string_view metric;
};

constexpr ShownFigure figures_shown[] = {{"peak reserved", "peak_reserved"},
                                         {"peak allocated", "peak_allocated"},
                                         {"stranded", "stranded_at_peak"},
                                         {"allocs", "device_allocs"},
                                         {"frees", "device_frees"},
                                         {"maps", "units_mapped"},
                                         {"unmaps", "units_unmapped"},
                                         {"syncs", "stream_synchronisations"},
                                         {"time", "device_time"},
                                         {"pinned", "host_peak_pinned"},
                                         {"pins", "host_allocs"},
                                         {"unpins", "host_releases"}};

bool has_figure(const SweepOutcome& outcome, std::string_view name) {
  return std::ranges::any_of(outcome.rows, [name](const SweepRow& row) {
    return !row.was_refused() && find_value(row.worst().metrics, name) != nullptr;
  });
}

/// Figures of pinned memory only where a program has them.
bool is_shown(const SweepOutcome& outcome, std::string_view name) {
  return !replay::is_of_host(*replay::find_metric(name)) || has_figure(outcome, name);
}

std::string cell_text(const SweepFigures& figures, std::string_view name) {
  const replay::MetricValue* value = find_value(figures.metrics, name);
  if (value == nullptr) return "-";
  return amount_text(*replay::find_metric(name), static_cast<std::uint64_t>(value->value));
}

std::vector<Column> sweep_columns(const SweepOutcome& outcome) {
  std::vector<Column> columns;
  for (const ShownFigure& figure : figures_shown)
    if (is_shown(outcome, figure.metric)) columns.push_back({figure.heading});
  return columns;
}

/// Empty cells of a row that was not run.
std::vector<std::string> figure_cells(const SweepOutcome& outcome, const SweepRow& row) {
  std::vector<std::string> cells;
  for (const ShownFigure& figure : figures_shown)
    if (is_shown(outcome, figure.metric))
      cells.push_back(row.was_refused() ? "" : cell_text(row.worst(), figure.metric));
  return cells;
}

std::string shard_text(const SweepOutcome& outcome) {
  if (!outcome.shard) return "";
  return "shard " + std::to_string(outcome.shard->index) + " of " +
         std::to_string(outcome.shard->count) + ": " + std::to_string(outcome.rows.size()) +
         " of " + std::to_string(outcome.setting_count) + " settings\n";
}

std::vector<SettingCells> rows_of(const SweepOutcome& outcome, std::size_t count) {
  std::vector<SettingCells> rows;
  for (const SweepRow& row : std::span(outcome.rows).first(count))
    rows.push_back({conf_text(row), remark_text(row), figure_cells(outcome, row)});
  return rows;
}

std::string sweep_text(const SweepOutcome& outcome, std::size_t row_limit) {
  std::string text = headline_of(outcome.about) + "\n" + shard_text(outcome);
  for (const std::string& note : outcome.about.notes) text += "note: " + note + "\n";
  const std::size_t shown = shown_of(outcome.rows.size(), row_limit);
  return text + settings_text(sweep_columns(outcome), rows_of(outcome, shown)) +
         rest_line(outcome.rows.size() - shown);
}

std::string sweep_markdown(const SweepOutcome& outcome) {
  std::string text =
      markdown_cell(headline_of(outcome.about)) + "\n\n" +
      settings_markdown(sweep_columns(outcome), rows_of(outcome, outcome.rows.size()));
  for (const std::string& note : outcome.about.notes) text += "\n* " + note;
  return text + (outcome.about.notes.empty() ? "" : "\n");
}

std::string sweep_csv(const SweepOutcome& outcome) {
  std::vector<Column> columns = {{"conf"}, {"as_recorded"}, {"refused"}, {"worst_file"}};
  for (const Metric& metric : replay::all_metrics())
    if (metric.of == replay::MetricOf::run && is_shown(outcome, metric.name))
      columns.push_back({std::string(metric.name)});
  const std::size_t first_metric = 4;
  const std::size_t metric_end = columns.size();
  for (const char* name : {"device", "event", "requested"})
    columns.push_back({std::string("out_of_memory_") + name});
  Table table(columns);
  for (const SweepRow& row : outcome.rows) {
    std::vector<std::string> cells = {row.conf, row.is_recorded ? "true" : "false", row.refusal};
    if (!row.was_refused()) {
      cells.push_back(row.worst().file);
      for (std::size_t i = first_metric; i < metric_end; ++i) {
        const auto* value = find_value(row.worst().metrics, columns[i].heading);
        cells.push_back(value == nullptr ? "" : std::to_string(value->value));
      }
      if (const auto& failed = row.worst().failed)
        for (const std::uint64_t number :
             {std::uint64_t{failed->device}, failed->event, failed->requested_bytes})
          cells.push_back(std::to_string(number));
    }
    table.add(std::move(cells));
  }
  return table.csv();
}

}  // namespace

std::string conf_text(const SweepRow& row) {
  return options_text({row.conf, row.is_recorded}, "as recorded");
}

std::string remark_text(const SweepRow& row) {
  if (row.was_refused()) return "refused: " + row.refusal;
  if (!row.worst().failed) return "";
  const replay::FailedWhere& failed = *row.worst().failed;
  return "out of memory at event " + std::to_string(failed.event) + ", " +
         format_bytes(Bytes{failed.requested_bytes}) + " requested" +
         (row.files.size() > 1 ? " (" + row.worst().file + ")" : "");
}

std::string sweep_printed(const SweepOutcome& outcome, const std::string& format,
                          std::size_t row_limit) {
  if (format == "json") return sweep_json(outcome);
  if (format == "csv") return sweep_csv(outcome);
  return format == "markdown" ? sweep_markdown(outcome) : sweep_text(outcome, row_limit);
}

}  // namespace vramlab::tools
