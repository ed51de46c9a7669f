#include <algorithm>

#include "tools/commands/diff/diff_report.h"
#include "tools/commands/diff/diff_words.h"
#include "tools/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using replay::Comparison;
using replay::GroupChange;
using replay::MetricChange;

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

/// Only what changed; the columns are as wide as what is in them.
std::string metrics_text(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows;
  for (const MetricChange& change : comparison.metrics)
    if (!change.is_same())
      rows.push_back({std::string(change.metric->name), value_text(*change.metric, change.base),
                      value_text(*change.metric, change.now), change_text(change)});
  if (rows.empty()) return "";
  rows.insert(rows.begin(), {"", "base", "new", "change"});
  std::vector<std::size_t> widths(4);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text = "\n";
  for (const auto& row : rows)
    text += "  " + padded(row[0], widths[0]) + "  " + right(row[1], widths[1]) + "  " +
            right(row[2], widths[2]) + "  " + row[3] + "\n";
  return text;
}

std::string blocks_text(const GroupChange& change) {
  return std::to_string(change.base.blocks) + " -> " + std::to_string(change.now.blocks);
}

std::string group_rows(const DiffOutcome& outcome) {
  const Comparison& comparison = outcome.comparison;
  if (comparison.groups.empty()) return "";
  const std::uint64_t shown =
      outcome.limit == 0 ? comparison.groups.size()
                         : std::min<std::uint64_t>(outcome.limit, comparison.groups.size());
  std::string text = "\n  " + right("change", 24) + "  " + right("base", 11) + "  " +
                     right("new", 11) + "  " + right("blocks", 14) + "  " +
                     groups_text(comparison.by) + "\n";
  for (std::uint64_t i = 0; i < shown; ++i) {
    const GroupChange& change = comparison.groups[i];
    const bool is_named =
        change.fate() == replay::GroupFate::appeared || change.fate() == replay::GroupFate::gone;
    text += "  " + right(change_text(change), 24) + "  " +
            right(format_bytes(change.base.bytes), 11) + "  " +
            right(format_bytes(change.now.bytes), 11) + "  " + right(blocks_text(change), 14) +
            "  " + change.key + (is_named ? " (" + fate_text(change.fate()) + ")" : "") + "\n";
  }
  if (shown < comparison.groups.size())
    text += "  and " + std::to_string(comparison.groups.size() - shown) +
            " more (--limit 0 shows all)\n";
  return text;
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

}  // namespace

std::string diff_text(const DiffOutcome& outcome) {
  const Comparison& comparison = outcome.comparison;
  std::string text = file_text("base", comparison.base, outcome.moment) +
                     file_text("new", comparison.now, outcome.moment);
  if (comparison.is_same())
    text += "\nno difference\n";
  else
    text += metrics_text(comparison) + group_rows(outcome);
  if (!comparison.has_groups)
    text += "\nwho holds memory is not compared: a report has no blocks\n";
  return text + limits_text(comparison);
}

}  // namespace vramlab::tools
