#include "tools/commands/sweep/sweep_outcome.h"

#include <algorithm>
#include <array>

#include "allocator/words/bytes.h"
#include "tools/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using replay::Metric;
using replay::SweepFigures;
using replay::SweepRow;

struct Column {
  const char* heading;
  std::string_view metric;
};
constexpr std::array<Column, 9> columns = {{{"peak reserved", "peak_reserved"},
                                            {"peak allocated", "peak_allocated"},
                                            {"stranded", "stranded_at_peak"},
                                            {"allocs", "device_allocs"},
                                            {"frees", "device_frees"},
                                            {"maps", "units_mapped"},
                                            {"unmaps", "units_unmapped"},
                                            {"syncs", "stream_synchronisations"},
                                            {"time", "device_time"}}};

std::string cell_text(const SweepFigures& figures, std::string_view name) {
  const replay::MetricValue* value = find_value(figures.metrics, name);
  if (value == nullptr) return "-";
  const auto amount = static_cast<std::uint64_t>(value->value);
  switch (replay::find_metric(name)->unit) {
    case replay::MetricUnit::bytes:
      return format_bytes(allocator::Bytes{amount});
    case replay::MetricUnit::nanoseconds:
      return nanoseconds_text(amount);
    default:
      return std::to_string(amount);
  }
}

std::string files_text(const SweepOutcome& outcome) {
  std::string text = outcome.files.front();
  if (outcome.files.size() > 1)
    text += " and " + std::to_string(outcome.files.size() - 1) + " more, the worst of which counts";
  text += "; version " + outcome.reference;
  if (!outcome.conditions.empty()) text += "; " + outcome.conditions;
  return text;
}

std::string shard_text(const SweepOutcome& outcome) {
  if (!outcome.shard) return "";
  return "shard " + std::to_string(outcome.shard->index) + " of " +
         std::to_string(outcome.shard->count) + ": " + std::to_string(outcome.rows.size()) +
         " of " + std::to_string(outcome.setting_count) + " settings\n";
}

std::vector<std::size_t> widths_of(const std::vector<std::vector<std::string>>& cells) {
  std::vector<std::size_t> widths;
  for (const std::string& heading : sweep_headings()) widths.push_back(heading.size());
  for (const auto& row : cells)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  return widths;
}

std::string in_cell(const std::string& text) {
  std::string escaped;
  for (const char letter : text)
    escaped += letter == '|' ? std::string("\\|") : std::string(1, letter);
  return escaped;
}

}  // namespace

const std::vector<std::string>& sweep_headings() {
  static const std::vector<std::string> headings = [] {
    std::vector<std::string> all;
    for (const Column& column : columns) all.emplace_back(column.heading);
    return all;
  }();
  return headings;
}

std::vector<std::string> sweep_cells(const SweepRow& row) {
  std::vector<std::string> cells;
  for (const Column& column : columns) cells.push_back(cell_text(row.worst(), column.metric));
  return cells;
}

std::string conf_text(const SweepRow& row) {
  const std::string text = row.conf.empty() ? "no options" : row.conf;
  return row.is_recorded ? "as recorded (" + text + ")" : text;
}

std::string remark_text(const SweepRow& row) {
  if (row.was_refused()) return "refused: " + row.refusal;
  if (!row.worst().failed) return "";
  const replay::FailedWhere& failed = *row.worst().failed;
  return "out of memory at event " + std::to_string(failed.event) + ", " +
         format_bytes(allocator::Bytes{failed.requested_bytes}) + " asked for" +
         (row.files.size() > 1 ? " (" + row.worst().file + ")" : "");
}

std::string sweep_text(const SweepOutcome& outcome, std::size_t row_limit) {
  std::string text = files_text(outcome) + "\n" + shard_text(outcome);
  for (const std::string& note : outcome.notes) text += "note: " + note + "\n";
  const std::size_t shown =
      row_limit == 0 ? outcome.rows.size() : std::min(row_limit, outcome.rows.size());
  std::vector<std::vector<std::string>> cells(shown);
  for (std::size_t i = 0; i < shown; ++i)
    if (!outcome.rows[i].was_refused()) cells[i] = sweep_cells(outcome.rows[i]);
  const std::vector<std::size_t> widths = widths_of(cells);
  const auto add_row = [&](const std::vector<std::string>& row, const std::string& rest) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      text += right(i < row.size() ? row[i] : "", widths[i]) + "  ";
    text += rest + "\n";
  };
  add_row(sweep_headings(), "options");
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string remark = remark_text(outcome.rows[i]);
    add_row(cells[i], conf_text(outcome.rows[i]) + (remark.empty() ? "" : "  (" + remark + ")"));
  }
  if (shown < outcome.rows.size())
    text += "and " + std::to_string(outcome.rows.size() - shown) + " more\n";
  return text;
}

std::string sweep_markdown(const SweepOutcome& outcome) {
  std::string text = in_cell(files_text(outcome)) + "\n\n| options |";
  std::string line = "|---|";
  for (const std::string& heading : sweep_headings()) {
    text += " " + heading + " |";
    line += "---:|";
  }
  text += " |\n" + line + "---|\n";
  for (const SweepRow& row : outcome.rows) {
    text += "| `" + in_cell(conf_text(row)) + "` |";
    const auto cells =
        row.was_refused() ? std::vector<std::string>(sweep_headings().size()) : sweep_cells(row);
    for (const std::string& cell : cells) text += " " + cell + " |";
    text += " " + in_cell(remark_text(row)) + " |\n";
  }
  for (const std::string& note : outcome.notes) text += "\n* " + note;
  return text + (outcome.notes.empty() ? "" : "\n");
}

std::string sweep_csv(const SweepOutcome& outcome) {
  std::string text = "conf,as_recorded,refused,worst_file";
  std::vector<std::string_view> names;
  for (const Metric& metric : replay::all_metrics())
    if (metric.of == replay::MetricOf::run) names.push_back(metric.name);
  for (const std::string_view name : names) text += "," + std::string(name);
  text += ",out_of_memory_device,out_of_memory_event,out_of_memory_requested\n";
  for (const SweepRow& row : outcome.rows) {
    text +=
        csv_text(row.conf) + (row.is_recorded ? ",true," : ",false,") + csv_text(row.refusal) + ",";
    if (!row.was_refused()) text += csv_text(row.worst().file);
    for (const std::string_view name : names) {
      const auto* value = row.was_refused() ? nullptr : find_value(row.worst().metrics, name);
      text += "," + (value == nullptr ? std::string() : std::to_string(value->value));
    }
    const bool failed = !row.was_refused() && row.worst().failed;
    text += failed ? "," + std::to_string(row.worst().failed->device) + "," +
                         std::to_string(row.worst().failed->event) + "," +
                         std::to_string(row.worst().failed->requested_bytes) + "\n"
                   : ",,,\n";
  }
  return text;
}

std::string sweep_printed(const SweepOutcome& outcome, const std::string& format,
                          std::size_t row_limit) {
  if (format == "json") return sweep_json(outcome);
  if (format == "csv") return sweep_csv(outcome);
  return format == "markdown" ? sweep_markdown(outcome) : sweep_text(outcome, row_limit);
}

}  // namespace vramlab::tools
