#include <algorithm>

#include "tools/cli/commands/diff/diff_report.h"
#include "tools/cli/printers/table.h"
#include "traces/io/letters.h"

namespace vramlab::tools {
namespace {

using replay::Comparison;

std::string headline(const Comparison& comparison) {
  const auto broken = std::ranges::count_if(comparison.limits, &replay::JudgedLimit::is_broken);
  if (broken > 0)
    return "### Memory: " + std::to_string(broken) + " of " +
           std::to_string(comparison.limits.size()) + " limits broken\n";
  if (comparison.is_same()) return "### Memory: no difference\n";
  return comparison.limits.empty() ? "### Memory: what changed\n"
                                   : "### Memory: within all limits\n";
}

std::string limits_table(const Comparison& comparison) {
  Table table({left("limit"), {"base"}, {"new"}, left("")});
  for (const replay::JudgedLimit& limit : comparison.limits) {
    const replay::Metric& metric = *limit.limit.metric;
    table.add({code_cell(limit.limit.text),
               looks_at_base(limit) ? value_text(metric, limit.base) : "",
               value_text(metric, limit.now), limit.is_broken ? "**broken**" : "held"});
  }
  return table.is_empty() ? "" : "\n" + table.markdown();
}

std::string metrics_table(const Comparison& comparison) {
  Table table({left("metric"), {"base"}, {"new"}, {"change"}});
  for (const replay::MetricChange& change : comparison.metrics)
    if (!change.is_same())
      table.add({code_cell(std::string(change.metric->name)),
                 value_text(*change.metric, change.base), value_text(*change.metric, change.now),
                 change_text(change)});
  return table.is_empty() ? "" : "\n" + table.markdown();
}

std::string groups_table(const DiffOutcome& outcome) {
  const auto& groups = outcome.comparison.groups;
  if (groups.empty()) return "";
  const std::size_t shown = shown_of(groups.size(), outcome.limit);
  Table table({left(outcome.grouped_by), {"base"}, {"new"}, {"change"}, left("")});
  for (std::size_t i = 0; i < shown; ++i)
    table.add({code_cell(groups[i].key), format_bytes(groups[i].base.bytes),
               format_bytes(groups[i].now.bytes), change_text(groups[i]),
               fate_text(groups[i].fate())});
  const std::string rest = rest_line(groups.size() - shown);
  return "\n" + table.markdown() + (rest.empty() ? "" : "\n" + rest.substr(2));
}

}  // namespace

std::string diff_markdown(const DiffOutcome& outcome) {
  const Comparison& comparison = outcome.comparison;
  std::string text = headline(comparison) + "\n" + code_cell(comparison.base.name) +
                     " compared with " + code_cell(comparison.now.name) + ", at " + outcome.moment +
                     "\n";
  text += limits_table(comparison) + metrics_table(comparison) + groups_table(outcome);
  for (const replay::ComparedFile* file : {&comparison.base, &comparison.now})
    for (const std::string& note : file->notes)
      text += "\n* " + code_cell(file->name) + ": " + note;
  // What posts it as a comment sends it as JSON.
  return traces::as_utf8(text) + (text.ends_with("\n") ? "" : "\n");
}

}  // namespace vramlab::tools
