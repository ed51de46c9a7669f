#include <nlohmann/json.hpp>

#include "tools/cli/commands/diff/diff_report.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

ordered_json file_json(const replay::ComparedFile& file) {
  return {{"file", file.name},
          {"kind", file.kind},
          {"event", or_null(file.event)},
          {"at_end", file.is_at_end},
          {"notes", file.notes}};
}

ordered_json value_json(const replay::Metric& metric, const std::optional<std::int64_t>& value) {
  return or_null(value, [&](std::int64_t known) { return metric_number({metric.name, known}); });
}

ordered_json metrics_json_of(const replay::Comparison& comparison) {
  ordered_json metrics = ordered_json::object();
  for (const replay::MetricChange& change : comparison.metrics) {
    const replay::Metric& metric = *change.metric;
    const auto by =
        change.base && change.now ? std::optional(*change.now - *change.base) : std::nullopt;
    metrics[std::string(metric.name)] = {{"unit", metric_unit_name(metric.unit)},
                                         {"base", value_json(metric, change.base)},
                                         {"new", value_json(metric, change.now)},
                                         {"change", value_json(metric, by)}};
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

ordered_json events_json(const replay::EventOrder& order) {
  return {{"base", order.base_events},
          {"new", order.now_events},
          {"first_difference",
           or_null(order.first_difference, [](const replay::EventDifference& first) {
             return ordered_json{{"device", first.device},
                                 {"event", first.event},
                                 {"base", first.base},
                                 {"new", first.now}};
           })}};
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
  return json_text({{"schema_version", 1},
                    {"base", file_json(comparison.base)},
                    {"new", file_json(comparison.now)},
                    {"moment", outcome.moment},
                    {"same", comparison.is_same()},
                    {"broken", comparison.breaks_limits()},
                    {"changes", metrics_json_of(comparison)},
                    {"grouped_by", outcome.grouped_by},
                    {"groups_compared", comparison.has_groups},
                    {"groups", json_list(comparison.groups, group_json)},
                    {"events", or_null(comparison.events, events_json)},
                    {"limits", json_list(comparison.limits, limit_json)}});
}

}  // namespace vramlab::tools
