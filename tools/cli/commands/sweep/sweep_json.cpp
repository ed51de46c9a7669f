#include <nlohmann/json.hpp>

#include "tools/cli/commands/sweep/sweep_outcome.h"
#include "tools/cli/printers/json_text.h"
#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"
#include "traces/json/json_value.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::FailedWhere;
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

SweepFigures figures_of_json(const JsonValue& value) {
  SweepFigures figures{value.key("file").text(), {}, failed_of(value.key("out_of_memory_at"))};
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

std::optional<Shard> shard_of_json(const JsonValue& value) {
  if (value.is_null()) return std::nullopt;
  const Shard shard{value.key("index").number(), value.key("count").number()};
  if (shard.index < 1 || shard.index > shard.count) value.fail("an index from 1 to the count");
  return shard;
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
  return json_text({{"schema_version", 1},
                    {"files", outcome.about.files},
                    {"reference", outcome.about.reference},
                    {"conditions", outcome.about.conditions},
                    {"settings", outcome.setting_count},
                    {"shard", or_null(outcome.shard, shard_json)},
                    {"notes", outcome.about.notes},
                    {"rows", json_list(outcome.rows, sweep_row_json)},
                    // A file without this line is one that was cut off.
                    {"complete", true}});
}

SweepOutcome read_sweep(const std::string& path) {
  const nlohmann::json parsed =
      traces::parse_json(traces::read_input_bytes(path, most_sweep_bytes), path);
  const JsonValue document(parsed, path);
  if (document.key("schema_version").number() != 1) document.key("schema_version").fail("1");
  if (!document.key("complete").boolean()) document.key("complete").fail("true");
  SweepOutcome outcome;
  outcome.about.files = texts_of(document.key("files"));
  outcome.about.reference = document.key("reference").text();
  outcome.about.conditions = document.key("conditions").text();
  outcome.setting_count = document.key("settings").number();
  outcome.shard = shard_of_json(document.key("shard"));
  outcome.about.notes = texts_of(document.key("notes"));
  const JsonValue rows = document.key("rows");
  for (std::size_t i = 0; i < rows.array_size(); ++i)
    outcome.rows.push_back(row_of_json(rows.at(i)));
  return outcome;
}

}  // namespace vramlab::tools
