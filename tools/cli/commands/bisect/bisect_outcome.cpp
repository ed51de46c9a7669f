#include "tools/cli/commands/bisect/bisect_outcome.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_groups_told = 3;

std::string size_of_bytes(std::uint64_t bytes) { return format_bytes(Bytes{bytes}); }

std::string end_of_run(const EnvironmentRun& run) {
  if (run.ran_out_of_memory) return "out of memory";
  return run.error.empty() ? "status " + std::to_string(run.status) : run.error;
}

std::string runs_table_of(const BisectOutcome& outcome) {
  Table table({left("environment"),
               left("PyTorch"),
               {"peak allocated"},
               {"peak reserved"},
               left("worst"),
               left("ends with")});
  for (const EnvironmentRun& run : outcome.runs)
    table.add({run.name, run.torch, size_of_bytes(run.peak_allocated),
               size_of_bytes(run.peak_reserved), run.worst_process, end_of_run(run)});
  return table.text();
}

std::string growth_text(const replay::GroupChange& group) {
  const std::int64_t bytes = group.bytes();
  return std::string(bytes < 0 ? "-" : "+") +
         size_of_bytes(static_cast<std::uint64_t>(std::abs(bytes)));
}

void add_comparison(std::string& text, const replay::Comparison& comparison) {
  if (comparison.events && comparison.events->first_difference) {
    const replay::EventDifference& first = *comparison.events->first_difference;
    add_line(text, "first event",
             "event " + std::to_string(first.event) + " of device " + std::to_string(first.device) +
                 " is the first that differs");
    add_line(text, "", comparison.base.name + ": " + first.base);
    add_line(text, "", comparison.now.name + ": " + first.now);
  }
  std::size_t told = 0;
  for (const replay::GroupChange& group : comparison.groups) {
    if (told == most_groups_told) break;
    add_line(text, told++ == 0 ? "at the peak" : "", growth_text(group) + " at " + group.key);
  }
}

ordered_json run_document(const EnvironmentRun& run) {
  return {{"environment", run.name},
          {"python", run.python},
          {"torch", text_or_null(run.torch)},
          {"exit_status", run.status},
          {"error", text_or_null(run.error)},
          {"out_of_memory", run.ran_out_of_memory},
          {"peak_allocated_bytes", run.peak_allocated},
          {"peak_reserved_bytes", run.peak_reserved},
          {"worst_process", text_or_null(run.worst_process)},
          {"history", text_or_null(run.history)}};
}

ordered_json event_document(const replay::EventDifference& first) {
  return {
      {"device", first.device}, {"event", first.event}, {"base", first.base}, {"new", first.now}};
}

ordered_json difference_document(const BisectOutcome& outcome) {
  if (!outcome.first_other) return nullptr;
  ordered_json groups = ordered_json::array();
  ordered_json event;
  if (outcome.comparison) {
    for (const replay::GroupChange& group : outcome.comparison->groups)
      groups.push_back({{"group", group.key},
                        {"base_bytes", group.base.bytes.count},
                        {"new_bytes", group.now.bytes.count}});
    if (outcome.comparison->events)
      event = or_null(outcome.comparison->events->first_difference, event_document);
  }
  return {{"base", outcome.runs[*outcome.first_other - 1].name},
          {"new", outcome.runs[*outcome.first_other].name},
          {"event", event},
          {"groups_at_peak", groups}};
}

}  // namespace

bool EnvironmentRun::has_same_peaks(const EnvironmentRun& other) const {
  return peak_allocated == other.peak_allocated && peak_reserved == other.peak_reserved;
}

std::string bisect_text(const BisectOutcome& outcome) {
  std::string words;
  for (const std::string& word : outcome.program) words += (words.empty() ? "" : " ") + word;
  std::string text = "vramlab bisect: " + shown_name(words) + "\n" + runs_table_of(outcome);
  if (!outcome.first_other) {
    add_line(text, "first that differ", "none: all have the same peaks");
    return text;
  }
  const EnvironmentRun& now = outcome.runs[*outcome.first_other];
  const EnvironmentRun& base = outcome.runs[*outcome.first_other - 1];
  add_line(text, "first that differ", base.name + " and " + now.name);
  if (outcome.comparison)
    add_comparison(text, *outcome.comparison);
  else
    add_line(
        text, "",
        "nothing to compare: " + std::string(base.recording == nullptr ? base.name : now.name) +
            " recorded no history");
  for (const EnvironmentRun& run : outcome.runs)
    if (!run.history.empty()) add_line(text, "history", run.history);
  return text;
}

std::string bisect_json(const BisectOutcome& outcome) {
  return json_text({{"schema_version", 1},
                    {"program", outcome.program},
                    {"runs", json_list(outcome.runs, run_document)},
                    {"first_difference", difference_document(outcome)}});
}

}  // namespace vramlab::tools
