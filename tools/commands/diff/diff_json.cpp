#include <nlohmann/json.hpp>

#include "tools/commands/diff/diff_report.h"
#include "tools/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

ordered_json file_json(const replay::ComparedFile& file) {
  ordered_json json = {{"file", file.name}, {"kind", file.kind}};
  json["event"] = or_null(file.event);
  json["at_end"] = file.is_at_end;
  json["notes"] = file.notes;
  return json;
}

ordered_json value_json(const replay::Metric& metric, const std::optional<std::int64_t>& value) {
  if (!value) return nullptr;
  return metric_number({metric.name, *value});
}

ordered_json metrics_json_of(const replay::Comparison& comparison) {
  ordered_json metrics = ordered_json::object();
  for (const replay::MetricChange& change : comparison.metrics) {
    const replay::Metric& metric = *change.metric;
    ordered_json& json = metrics[std::string(metric.name)];
    json["unit"] = metric_unit_name(metric.unit);
    json["base"] = value_json(metric, change.base);
    json["new"] = value_json(metric, change.now);
    json["change"] = change.base && change.now ? value_json(metric, *change.now - *change.base)
                                               : ordered_json(nullptr);
  }
  return metrics;
}

ordered_json group_json(const replay::GroupChange& change) {
  return {{"group", change.key},
          {"fate", fate_text(change.fate())},
          {"base_bytes", change.base.bytes.count},
          {"new_bytes", change.now.bytes.count},
          {"change_bytes", change.bytes()},
          {"base_requested_bytes", change.base.requested.count},
          {"new_requested_bytes", change.now.requested.count},
          {"base_blocks", change.base.blocks},
          {"new_blocks", change.now.blocks}};
}

ordered_json limit_json(const replay::JudgedLimit& limit) {
  const replay::Metric& metric = *limit.limit.metric;
  return {
      {"limit", limit.limit.text},
      {"origin", limit.origin},
      {"metric", metric.name},
      {"base", value_json(metric, looks_at_base(limit) ? std::optional(limit.base) : std::nullopt)},
      {"new", value_json(metric, limit.now)},
      {"broken", limit.is_broken}};
}

}  // namespace

std::string diff_json(const DiffOutcome& outcome) {
  const replay::Comparison& comparison = outcome.comparison;
  ordered_json json = {{"schema_version", 1},
                       {"base", file_json(comparison.base)},
                       {"new", file_json(comparison.now)},
                       {"moment", outcome.moment},
                       {"same", comparison.is_same()},
                       {"broken", comparison.breaks_limits()},
                       {"changes", metrics_json_of(comparison)},
                       {"grouped_by", groups_text(comparison.by)},
                       {"groups_compared", comparison.has_groups}};
  json["groups"] = ordered_json::array();
  for (const replay::GroupChange& change : comparison.groups)
    json["groups"].push_back(group_json(change));
  json["limits"] = ordered_json::array();
  for (const replay::JudgedLimit& limit : comparison.limits)
    json["limits"].push_back(limit_json(limit));
  return json_text(json);
}

}  // namespace vramlab::tools
