#include "tools/cli/commands/diff/diff_report.h"

#include <cstdio>
#include <cstdlib>

#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using replay::Comparison;
using replay::GroupChange;
using replay::GroupFate;
using replay::Metric;
using replay::MetricChange;
using replay::MetricUnit;

std::string file_text(const char* role, const replay::ComparedFile& file,
                      const std::string& moment) {
  std::string text = padded(role, 6) + file.name + ", " + file.kind;
  if (file.has_groups) {
    text += file.is_at_end ? ", at the end" : ", at " + moment;
    if (file.event && !file.is_at_end) text += " (event " + std::to_string(*file.event) + ")";
  }
  text += "\n";
  for (const std::string& note : file.notes) text += "      note: " + note + "\n";
  return text;
}

/// Only what changed.
std::string metrics_text(const Comparison& comparison) {
  Table table({left(""), {"base"}, {"new"}, left("change")});
  for (const MetricChange& change : comparison.metrics)
    if (!change.is_same())
      table.add({std::string(change.metric->name), value_text(*change.metric, change.base),
                 value_text(*change.metric, change.now), change_text(change)});
  return table.is_empty() ? "" : "\n" + table.text();
}

std::string events_text(const Comparison& comparison) {
  if (!comparison.events) return "";
  const replay::EventOrder& order = *comparison.events;
  if (!order.first_difference)
    return "\nthe same " + std::to_string(order.base_events) +
           " events in the same order, with the same sizes, streams and blocks\n";
  const replay::EventDifference& first = *order.first_difference;
  std::string text = "\nthe events are the same up to event " + std::to_string(first.event);
  if (comparison.base.devices().size() > 1) text += " of device " + std::to_string(first.device);
  return text + "; there\n  base  " + first.base + "\n  new   " + first.now + "\n";
}

std::string blocks_text(const GroupChange& change) {
  return std::to_string(change.base.blocks) + " -> " + std::to_string(change.now.blocks);
}

std::string group_rows(const DiffOutcome& outcome) {
  const auto& groups = outcome.comparison.groups;
  if (groups.empty()) return "";
  Table table(
      {{"change", 24}, {"base", 11}, {"new", 11}, {"blocks", 14}, left(outcome.grouped_by)});
  const std::size_t shown = shown_of(groups.size(), outcome.limit);
  for (std::size_t i = 0; i < shown; ++i) {
    const GroupChange& change = groups[i];
    const bool is_named = change.fate() == GroupFate::appeared || change.fate() == GroupFate::gone;
    table.add({change_text(change), format_bytes(change.base.bytes), format_bytes(change.now.bytes),
               blocks_text(change),
               change.key + (is_named ? " (" + fate_text(change.fate()) + ")" : "")});
  }
  return "\n" + table.text() + rest_line(groups.size() - shown);
}

std::string limits_text(const Comparison& comparison) {
  std::string text;
  for (const replay::JudgedLimit& limit : comparison.limits)
    text += (limit.is_broken ? "  BROKEN  " : "  held    ") + limit_text(limit) + "\n";
  if (text.empty()) return "";
  text = "\nlimits\n" + text;
  const std::string culprits = culprits_text(comparison);
  if (comparison.breaks_limits() && !culprits.empty()) text += "  grew most: " + culprits + "\n";
  return text;
}

constexpr std::size_t named_culprits = 3;

const char* sign_of(std::int64_t value) { return value < 0 ? "-" : "+"; }

std::string size_text(const Metric& metric, std::int64_t value) {
  return amount_text(metric, static_cast<std::uint64_t>(std::abs(value)));
}

std::string points_text(std::int64_t millionths) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f points", static_cast<double>(std::abs(millionths)) / 1e4);
  return text;
}

/// Empty if there was nothing before.
std::string share_text(std::int64_t change, std::int64_t base) {
  if (base == 0) return "";
  const double share = 100.0 * static_cast<double>(std::abs(change)) / static_cast<double>(base);
  return std::string(" (") + sign_of(change) + percent_text(share) + ")";
}

}  // namespace

std::string diff_text(const DiffOutcome& outcome) {
  const Comparison& comparison = outcome.comparison;
  std::string text = file_text("base", comparison.base, outcome.moment) +
                     file_text("new", comparison.now, outcome.moment);
  if (comparison.is_same())
    text += "\nno difference\n";
  else
    text += metrics_text(comparison) + group_rows(outcome);
  text += events_text(comparison);
  if (!comparison.has_groups)
    text += "\nwho holds memory is not compared: a report has no blocks\n";
  return text + limits_text(comparison);
}

std::string value_text(const Metric& metric, std::int64_t value) {
  if (metric.unit == MetricUnit::ratio) return ratio_text(value);
  return (value < 0 ? "-" : "") + size_text(metric, value);
}

std::string value_text(const Metric& metric, const std::optional<std::int64_t>& value) {
  return value ? value_text(metric, *value) : "-";
}

std::string change_text(const MetricChange& change) {
  if (!change.base || !change.now) return "";
  const std::int64_t by = *change.now - *change.base;
  if (change.metric->unit == MetricUnit::ratio) return sign_of(by) + points_text(by);
  return sign_of(by) + size_text(*change.metric, by) + share_text(by, *change.base);
}

std::string change_text(const GroupChange& change) {
  return sign_of(change.bytes()) +
         format_bytes(Bytes{static_cast<std::uint64_t>(std::abs(change.bytes()))}) +
         share_text(change.bytes(), static_cast<std::int64_t>(change.base.bytes.count));
}

std::string fate_text(GroupFate fate) {
  switch (fate) {
    case GroupFate::grown:
      return "grown";
    case GroupFate::shrunk:
      return "shrunk";
    case GroupFate::appeared:
      return "new";
    case GroupFate::gone:
      return "gone";
  }
  return "";
}

bool looks_at_base(const replay::JudgedLimit& limit) {
  return limit.limit.metric->of != replay::MetricOf::comparison && limit.limit.needs_base();
}

std::string limit_text(const replay::JudgedLimit& limit) {
  const Metric& metric = *limit.limit.metric;
  std::string text = limit.limit.text + ": ";
  if (!looks_at_base(limit)) return text + value_text(metric, limit.now) + " now";
  return text + value_text(metric, limit.base) + " before, " + value_text(metric, limit.now) +
         " now, " + change_text(MetricChange{&metric, limit.base, limit.now});
}

std::string culprits_text(const replay::Comparison& comparison) {
  std::string text;
  std::size_t named = 0;
  for (const GroupChange& change : comparison.groups) {
    if (change.bytes() <= 0) continue;
    if (named++ == named_culprits) return text + ", and others";
    text += (text.empty() ? "" : ", ") + change.key + " " + change_text(change);
  }
  return text;
}

}  // namespace vramlab::tools
