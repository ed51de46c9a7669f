#include "tools/cli/commands/sweep/sweep_outcome.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "allocator/types/bytes_and_ids.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"
#include "traces/json/json_value.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::FailedWhere;
using replay::Metric;
using replay::SweepFigures;
using replay::SweepRow;
using traces::JsonValue;

constexpr std::size_t most_sweep_bytes = std::size_t{1} << 30;

void add_figures(ordered_json& json, const SweepFigures& figures) {
  json.update(metrics_json(figures.metrics));
  json["out_of_memory_at"] =
      or_null(figures.failed, [&](const FailedWhere& failed) -> ordered_json {
        return {{"file", figures.file},
                {"device", failed.device},
                {"event", failed.event},
                {"requested_bytes", failed.requested_bytes}};
      });
  json["stopped_at"] = or_null(figures.stopped_at);
  json["depends_from"] = or_null(figures.depends_from);
  json["can_be_judged"] = figures.can_be_judged;
}

ordered_json file_json(const SweepFigures& figures) {
  ordered_json json = {{"file", figures.file}};
  add_figures(json, figures);
  return json;
}

ordered_json shard_json(const Shard& shard) {
  return {{"index", shard.index}, {"count", shard.count}};
}

std::vector<std::string> texts_of(const JsonValue& list) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list.array_size(); ++i) texts.push_back(list.at(i).text());
  return texts;
}

std::optional<FailedWhere> failed_of(const JsonValue& value) {
  if (value.is_null()) return std::nullopt;
  return FailedWhere{static_cast<std::uint32_t>(value.key("device").number(UINT32_MAX)),
                     value.key("event").number(), value.key("requested_bytes").number()};
}

std::optional<std::uint64_t> event_of(const JsonValue& value) {
  if (value.is_null()) return std::nullopt;
  return value.number();
}

SweepFigures figures_of_json(const JsonValue& value) {
  SweepFigures figures{value.key("file").text(),
                       {},
                       failed_of(value.key("out_of_memory_at")),
                       event_of(value.key("stopped_at")),
                       event_of(value.key("depends_from")),
                       value.key("can_be_judged").boolean()};
  for (const replay::Metric& metric : replay::all_metrics())
    if (metric.of == replay::MetricOf::run)
      if (const auto found = value.find(metric.name))
        figures.metrics.push_back(
            {metric.name, static_cast<std::int64_t>(found->number(INT64_MAX))});
  return figures;
}

SweepRow row_of_json(const JsonValue& value) {
  SweepRow row{value.key("conf").text(), value.key("as_recorded").boolean(), {}, {}};
  const JsonValue refused = value.key("refused");
  if (!refused.is_null()) {
    row.refusal = refused.text();
    return row;
  }
  const JsonValue files = value.key("files");
  if (files.array_size() == 0) files.fail("figures of at least one file");
  for (std::size_t i = 0; i < files.array_size(); ++i)
    row.files.push_back(figures_of_json(files.at(i)));
  return row;
}

std::vector<LateFile> late_of(const JsonValue& list) {
  std::vector<LateFile> late;
  for (std::size_t i = 0; i < list.array_size(); ++i) {
    const JsonValue one = list.at(i);
    late.push_back({one.key("file").text(),
                    {{static_cast<std::uint32_t>(one.key("device").number(UINT32_MAX))},
                     {one.key("reserved_before_bytes").number()},
                     {one.key("peak_reserved_bytes").number()}}});
  }
  return late;
}

std::optional<Shard> shard_of_json(const JsonValue& value) {
  if (value.is_null()) return std::nullopt;
  const Shard shard{value.key("index").number(), value.key("count").number()};
  if (shard.index < 1 || shard.index > shard.count) value.fail("an index from 1 to the count");
  return shard;
}

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

/// Figures of pinned memory are shown only if a program has them.
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

/// A row that was not run has empty cells.
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
  std::string text = head_text(outcome.about) + shard_text(outcome);
  for (const std::string& note : outcome.about.notes) text += "note: " + shown_name(note) + "\n";
  const std::size_t shown = shown_of(outcome.rows.size(), row_limit);
  return text + settings_text(sweep_columns(outcome), rows_of(outcome, shown)) +
         rest_line(outcome.rows.size() - shown);
}

std::string sweep_markdown(const SweepOutcome& outcome) {
  std::string text =
      head_markdown(outcome.about) +
      settings_markdown(sweep_columns(outcome), rows_of(outcome, outcome.rows.size()));
  for (const std::string& note : outcome.about.notes) text += "\n* " + markdown_cell(note);
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

ordered_json sweep_row_json(const SweepRow& row) {
  ordered_json json = {{"conf", row.conf}, {"as_recorded", row.is_recorded}};
  json["refused"] = row.was_refused() ? ordered_json(row.refusal) : ordered_json(nullptr);
  if (row.was_refused()) return json;
  json["worst_file"] = row.worst().file;
  add_figures(json, row.worst());
  json["files"] = json_list(row.files, file_json);
  return json;
}

std::string sweep_json(const SweepOutcome& outcome) {
  return json_text({{"schema_version", 2},
                    {"files", outcome.about.files},
                    {"reference", outcome.about.reference},
                    {"conditions", outcome.about.conditions},
                    {"settings", outcome.setting_count},
                    {"shard", or_null(outcome.shard, shard_json)},
                    {"late_starts", late_json(outcome.about)},
                    {"notes", outcome.about.notes},
                    {"rows", json_list(outcome.rows, sweep_row_json)},
                    // A file without this line was cut off.
                    {"complete", true}});
}

SweepOutcome read_sweep(const std::string& path) {
  const nlohmann::json parsed =
      traces::parse_json(traces::read_input_bytes(path, most_sweep_bytes), path);
  const JsonValue document(parsed, path);
  if (document.key("schema_version").number() != 2) document.key("schema_version").fail("2");
  if (!document.key("complete").boolean()) document.key("complete").fail("true");
  SweepOutcome outcome;
  outcome.about.files = texts_of(document.key("files"));
  outcome.about.reference = document.key("reference").text();
  outcome.about.conditions = document.key("conditions").text();
  outcome.setting_count = document.key("settings").number();
  outcome.shard = shard_of_json(document.key("shard"));
  outcome.about.late = late_of(document.key("late_starts"));
  outcome.about.notes = texts_of(document.key("notes"));
  const JsonValue rows = document.key("rows");
  for (std::size_t i = 0; i < rows.array_size(); ++i)
    outcome.rows.push_back(row_of_json(rows.at(i)));
  return outcome;
}

std::string conf_text(const SweepRow& row) {
  return options_text({row.conf, row.is_recorded}, "as recorded");
}

std::string remark_text(const SweepRow& row) {
  if (row.was_refused()) return "refused: " + row.refusal;
  const SweepFigures& worst = row.worst();
  std::string text;
  if (worst.failed)
    text = "out of memory at event " + std::to_string(worst.failed->event) + ", " +
           format_bytes(Bytes{worst.failed->requested_bytes}) + " requested" +
           (worst.stopped_at ? "" : ", and the program goes on");
  if (worst.depends_from)
    text += (text.empty() ? "" : "; ") + std::string("from event ") +
            std::to_string(*worst.depends_from) + " on it depends on what the program does";
  return text + (text.empty() || row.files.size() == 1 ? "" : " (" + worst.file + ")");
}

std::string sweep_printed(const SweepOutcome& outcome, const std::string& format,
                          std::size_t row_limit) {
  if (format == "json") return sweep_json(outcome);
  if (format == "csv") return sweep_csv(outcome);
  return format == "markdown" ? sweep_markdown(outcome) : sweep_text(outcome, row_limit);
}

}  // namespace vramlab::tools
