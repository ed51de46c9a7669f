#include <algorithm>

#include "tools/commands/diff/diff_report.h"
#include "traces/files/utf8.h"

namespace vramlab::tools {
namespace {

using replay::Comparison;

/// In a cell of a table, as it is: code, whose bars and back-ticks can't be mistaken for borders.
std::string code(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '|') escaped += "\\";
    escaped += letter == '\n' || letter == '\r' ? ' ' : letter;
  }
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char letter : escaped) {
    run = letter == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return longest == 0 ? fence + escaped + fence : fence + " " + escaped + " " + fence;
}

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
  if (comparison.limits.empty()) return "";
  std::string text = "\n| limit | base | new | |\n|---|---:|---:|---|\n";
  for (const replay::JudgedLimit& limit : comparison.limits) {
    const replay::Metric& metric = *limit.limit.metric;
    text += "| " + code(limit.limit.text) + " | " +
            (looks_at_base(limit) ? value_text(metric, limit.base) : std::string()) + " | " +
            value_text(metric, limit.now) + " | " + (limit.is_broken ? "**broken**" : "held") +
            " |\n";
  }
  return text;
}

std::string metrics_table(const Comparison& comparison) {
  std::string text;
  for (const replay::MetricChange& change : comparison.metrics)
    if (!change.is_same())
      text += "| " + code(std::string(change.metric->name)) + " | " +
              value_text(*change.metric, change.base) + " | " +
              value_text(*change.metric, change.now) + " | " + change_text(change) + " |\n";
  if (text.empty()) return "";
  return "\n| metric | base | new | change |\n|---|---:|---:|---:|\n" + text;
}

std::string groups_table(const DiffOutcome& outcome) {
  const auto& groups = outcome.comparison.groups;
  if (groups.empty()) return "";
  const std::uint64_t shown =
      outcome.limit == 0 ? groups.size() : std::min<std::uint64_t>(outcome.limit, groups.size());
  std::string text = "\n| " + groups_text(outcome.comparison.by) +
                     " | base | new | change | |\n|---|---:|---:|---:|---|\n";
  for (std::uint64_t i = 0; i < shown; ++i)
    text += "| " + code(groups[i].key) + " | " + format_bytes(groups[i].base.bytes) + " | " +
            format_bytes(groups[i].now.bytes) + " | " + change_text(groups[i]) + " | " +
            fate_text(groups[i].fate()) + " |\n";
  if (shown < groups.size()) text += "\nand " + std::to_string(groups.size() - shown) + " more\n";
  return text;
}

}  // namespace

std::string diff_markdown(const DiffOutcome& outcome) {
  const Comparison& comparison = outcome.comparison;
  std::string text = headline(comparison) + "\n" + code(comparison.base.name) + " compared with " +
                     code(comparison.now.name) + ", at " + outcome.moment + "\n";
  text += limits_table(comparison) + metrics_table(comparison) + groups_table(outcome);
  for (const replay::ComparedFile* file : {&comparison.base, &comparison.now})
    for (const std::string& note : file->notes) text += "\n* " + code(file->name) + ": " + note;
  // What posts it as a comment sends it as JSON.
  return traces::as_utf8(text) + (text.ends_with("\n") ? "" : "\n");
}

}  // namespace vramlab::tools
