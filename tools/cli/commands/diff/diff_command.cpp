// `vramlab diff`: compares two files and judges limits. Printed as text, as JSON, as Markdown for a
// pull request's comments, and as JUnit XML for CI.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "replay/compare/comparison.h"
#include "replay/compare/limit.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::Comparison;
using replay::GroupBy;
using replay::GroupChange;
using replay::GroupFate;
using replay::Metric;
using replay::MetricChange;
using replay::MetricUnit;
using replay::MomentKind;

struct DiffOutcome {
  replay::Comparison comparison;
  /// The moment at which groups are compared, such as `the peak`.
  std::string moment;
  /// The kind of the groups, such as `call site`.
  std::string grouped_by;
  /// Groups to show; 0 for all.
  std::uint64_t limit = 0;
};

constexpr std::size_t named_culprits = 3;
constexpr std::size_t named_modules = 3;

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

/// Such as `15.56 GiB`, `173` or `12.5 %`.
std::string value_text(const Metric& metric, std::int64_t value) {
  if (metric.unit == MetricUnit::ratio) return ratio_text(value);
  return (value < 0 ? "-" : "") + size_text(metric, value);
}

/// `-` if the value is not known.
std::string value_text(const Metric& metric, const std::optional<std::int64_t>& value) {
  return value ? value_text(metric, *value) : "-";
}

/// Such as `+1.20 GiB (+7.7 %)`; ratios change by points, such as `+2.1 points`.
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

/// Whether the limit compares values of both files.
bool looks_at_base(const replay::JudgedLimit& limit) {
  return limit.limit.metric->of != replay::MetricOf::comparison && limit.limit.needs_base();
}

/// Such as `peak_reserved > +2%: 15.56 GiB before, 16.20 GiB now, +0.64 GiB (+4.1 %)`.
std::string limit_text(const replay::JudgedLimit& limit) {
  const Metric& metric = *limit.limit.metric;
  std::string text = limit.limit.text + ": ";
  if (!looks_at_base(limit)) return text + value_text(metric, limit.now) + " now";
  return text + value_text(metric, limit.base) + " before, " + value_text(metric, limit.now) +
         " now, " + change_text(MetricChange{&metric, limit.base, limit.now});
}

/// The groups that grew most; empty if none grew.
std::string culprits_text(const replay::Comparison& comparison) {
  std::string text;
  std::size_t named = 0;
  for (const GroupChange& change : comparison.groups) {
    if (change.bytes() <= 0) continue;
    if (named++ == named_culprits) return text + ", and others";
    text += (text.empty() ? "" : ", ") + shown_name(change.key) + " " + change_text(change);
  }
  return text;
}

/// Such as `+1.20 GiB activations of blocks.*.mlp`: kinds by module, grown or shrunk, the largest
/// changes first.
std::vector<std::string> module_changes(const replay::Comparison& comparison) {
  std::vector<std::string> texts;
  if (comparison.modules)
    for (const GroupChange& change : *comparison.modules)
      if (change.bytes() != 0)
        texts.push_back(sign_of(change.bytes()) +
                        format_bytes(Bytes{static_cast<std::uint64_t>(std::abs(change.bytes()))}) +
                        " " + replay::text_of_module_key(change.key));
  return texts;
}

/// The modules that changed most, unless the groups are modules or kinds already; empty if none
/// did.
std::string modules_text(const DiffOutcome& outcome, std::string (*shown)(const std::string&)) {
  for (const char* const by : {"kind", "module", "parameter"})
    if (outcome.grouped_by == by) return "";
  const std::vector<std::string> texts = module_changes(outcome.comparison);
  std::string text;
  for (std::size_t i = 0; i < std::min(texts.size(), named_modules); ++i)
    text += (i == 0 ? "" : ", ") + shown(texts[i]);
  if (texts.size() > named_modules)
    text += ", and " + std::to_string(texts.size() - named_modules) + " more";
  return text;
}

std::string file_text(const char* role, const replay::ComparedFile& file,
                      const std::string& moment) {
  std::string text = padded(role, 6) + shown_name(file.name) + ", " + file.kind;
  if (file.has_groups) {
    text += file.is_at_end ? ", at the end" : ", at " + moment;
    if (file.event && !file.is_at_end) text += " (event " + std::to_string(*file.event) + ")";
  }
  text += "\n";
  for (const std::string& note : file.notes) text += "      note: " + shown_name(note) + "\n";
  return text;
}

/// Only metrics that changed.
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
  return text + "; there\n  base  " + shown_name(first.base) + "\n  new   " +
         shown_name(first.now) + "\n";
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

std::string one_line(const std::string& text) { return shown_name(text); }

/// The answer for people, with a line break at its end.
std::string diff_text(const DiffOutcome& outcome) {
  const Comparison& comparison = outcome.comparison;
  std::string text = file_text("base", comparison.base, outcome.moment) +
                     file_text("new", comparison.now, outcome.moment);
  if (comparison.is_same())
    text += "\nno difference\n";
  else
    text += metrics_text(comparison) + group_rows(outcome);
  if (const std::string modules = modules_text(outcome, one_line); !modules.empty())
    text += "\nby kind and module: " + modules + "\n";
  text += events_text(comparison);
  if (!comparison.has_groups)
    text += "\nwho holds memory is not compared: a report has no blocks\n";
  return text + limits_text(comparison);
}

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

std::string diff_json(const DiffOutcome& outcome) {
  const replay::Comparison& comparison = outcome.comparison;
  return json_text({{"schema_version", 2},
                    {"base", file_json(comparison.base)},
                    {"new", file_json(comparison.now)},
                    {"moment", outcome.moment},
                    {"same", comparison.is_same()},
                    {"broken", comparison.breaks_limits()},
                    {"changes", metrics_json_of(comparison)},
                    {"grouped_by", outcome.grouped_by},
                    {"groups_compared", comparison.has_groups},
                    {"groups", json_list(comparison.groups, group_json)},
                    {"modules", or_null(comparison.modules,
                                        [](const std::vector<GroupChange>& modules) {
                                          return json_list(modules, group_json);
                                        })},
                    {"events", or_null(comparison.events, events_json)},
                    {"limits", json_list(comparison.limits, limit_json)}});
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

std::string diff_markdown(const DiffOutcome& outcome) {
  const Comparison& comparison = outcome.comparison;
  std::string text = headline(comparison) + "\n" + code_cell(comparison.base.name) +
                     " compared with " + code_cell(comparison.now.name) + ", at " + outcome.moment +
                     "\n";
  text += limits_table(comparison) + metrics_table(comparison) + groups_table(outcome);
  if (const std::string modules = modules_text(outcome, markdown_cell); !modules.empty())
    text += "\nBy kind and module: " + modules + "\n";
  for (const replay::ComparedFile* file : {&comparison.base, &comparison.now})
    for (const std::string& note : file->notes)
      text += "\n* " + code_cell(file->name) + ": " + markdown_cell(note);
  return text + (text.ends_with("\n") ? "" : "\n");
}

std::string case_text(const DiffOutcome& outcome, const replay::JudgedLimit& limit) {
  std::string text = "    <testcase classname=\"vramlab.diff\" name=\"" +
                     shown_markup(limit.limit.text) + "\" time=\"0\"";
  if (!limit.is_broken) return text + "/>\n";
  const std::string culprits = culprits_text(outcome.comparison);
  text += ">\n      <failure type=\"limit\" message=\"" + shown_markup(limit_text(limit)) + "\">" +
          shown_markup(limit_text(limit) + (culprits.empty() ? "" : "\ngrew most: " + culprits)) +
          "</failure>\n    </testcase>\n";
  return text;
}

/// One test case for each limit.
std::string diff_junit(const DiffOutcome& outcome) {
  const auto& limits = outcome.comparison.limits;
  const std::string counts =
      " tests=\"" + std::to_string(limits.size()) + "\" failures=\"" +
      std::to_string(std::ranges::count_if(limits, &replay::JudgedLimit::is_broken)) +
      "\" errors=\"0\" time=\"0\"";
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"vramlab diff\"" + counts +
      ">\n  <testsuite name=\"" +
      shown_markup(
          shown_name(outcome.comparison.base.name + " to " + outcome.comparison.now.name)) +
      "\"" + counts + " skipped=\"0\">\n";
  for (const replay::JudgedLimit& limit : limits) text += case_text(outcome, limit);
  return text + "  </testsuite>\n</testsuites>\n";
}

constexpr const char* usual_budget = ".vramlab.json";

struct DiffArguments {
  std::string base;
  std::string now;
  std::string at = "peak";
  std::string by = "site";
  std::optional<std::int64_t> device;
  bool host = false;
  std::vector<std::string> fail_if;
  std::string budget;
  bool ignores_budget = false;
  std::string format;
  OutputArguments output;
  std::string kinds = "recorded";
  std::uint64_t limit = 20;
  CommonFlags flags;
};

/// The position in an iteration is not a kind of group, so it has an empty value.
const std::map<std::string, std::optional<GroupBy>>& compared_groups() {
  static const std::map<std::string, std::optional<GroupBy>> names = {
      {"site", GroupBy::site},     {"stack", GroupBy::stack},   {"size", GroupBy::size},
      {"stream", GroupBy::stream}, {"pool", GroupBy::pool},     {"label", GroupBy::label},
      {"kind", GroupBy::kind},     {"module", GroupBy::module}, {"parameter", GroupBy::parameter},
      {"position", std::nullopt}};
  return names;
}

std::string moment_name(MomentKind moment) {
  switch (moment) {
    case MomentKind::end:
      return "the end";
    case MomentKind::out_of_memory:
      return "the first out-of-memory";
    case MomentKind::peak_reserved:
      return "the peak of reserved memory";
    default:
      return "the peak of allocated memory";
  }
}

/// The limits of the repository's file, if there is one, then those of the command line.
std::vector<replay::AskedLimit> limits_of(const DiffArguments& arguments) {
  std::vector<replay::AskedLimit> limits;
  const bool is_there = std::filesystem::exists(usual_budget);
  const std::string path =
      !arguments.budget.empty() ? arguments.budget : (is_there ? usual_budget : "");
  if (!path.empty() && !arguments.ignores_budget)
    limits = replay::limits_of_budget(path, arguments.now);
  for (const std::string& text : arguments.fail_if)
    limits.push_back({replay::parse_limit(text, "--fail-if"), "--fail-if"});
  return limits;
}

replay::ComparedFile read_file(const std::string& path, const DiffArguments& arguments) {
  replay::CompareConditions conditions;
  conditions.moment = *moment_of(arguments.at);
  conditions.by = compared_groups().at(arguments.by);
  conditions.device = arguments.device;
  conditions.kinds_otherwise = kinds_source(arguments.kinds);
  ProgressBar bar(path, arguments.flags);
  traces::OpenBytes bytes = traces::open_bytes(path, bar.listener());
  if (replay::is_report(bytes.start)) {
    replay::ComparedFile report = read_report(bytes, conditions);
    report.name = path;
    return report;
  }
  traces::OpenTrace trace = open_input(std::move(bytes));
  if (arguments.host) trace.memory = traces::ShownMemory::host;
  auto recording = open_recording(std::move(trace));
  bar.show("finds who holds memory");
  replay::ComparedFile compared = compared_file_of(std::move(recording), conditions);
  compared.name = path;
  return compared;
}

/// The format that was asked for, or else the one of the output's ending.
std::string wanted_format(const DiffArguments& arguments) {
  if (arguments.flags.json) return "json";
  if (!arguments.format.empty()) return arguments.format;
  const std::string& path = arguments.output.path;
  if (path.ends_with(".json")) return "json";
  if (path.ends_with(".md")) return "markdown";
  return path.ends_with(".xml") ? "junit" : "text";
}

std::string printed(const DiffOutcome& outcome, const DiffArguments& arguments) {
  const std::string format = wanted_format(arguments);
  if (format == "json") return diff_json(outcome);
  if (format == "markdown") return diff_markdown(outcome);
  if (format == "junit") return diff_junit(outcome);
  return diff_text(outcome);
}

ExitStatus diff_files(const DiffArguments& arguments) {
  if (arguments.host && arguments.by == "position")
    throw CLI::ValidationError("--host",
                               "expected --by site, stack, size, stream or pool with it, "
                               "found --by position");
  const std::vector<replay::AskedLimit> limits = limits_of(arguments);
  OpenOutput output(arguments.output, {arguments.base, arguments.now});
  replay::ComparedFile base = read_file(arguments.base, arguments);
  replay::ComparedFile now = read_file(arguments.now, arguments);
  ProgressBar bar(arguments.now, arguments.flags);
  bar.show("compares it with " + arguments.base);
  const DiffOutcome outcome{compare(std::move(base), std::move(now), limits),
                            moment_name(moment_of(arguments.at)->kind),
                            arguments.by == "site" ? "call site" : arguments.by, arguments.limit};
  bar.remove();
  output.finish(printed(outcome, arguments));
  return outcome.comparison.breaks_limits() ? ExitStatus::answer_is_no : ExitStatus::done;
}

void add_limit_options(CLI::App& command, DiffArguments& arguments) {
  command.add_option(
      "--fail-if", arguments.fail_if,
      "A limit, such as 'peak_reserved > +2%', 'stranded > 512MiB' or "
      "'device_allocs > +10'; may be given several times (names: docs/reference/metrics.md)");
  CLI::Option* budget = command.add_option(
      "--budget", arguments.budget,
      "A file with limits (default: .vramlab.json in this folder, if it exists)");
  command.add_flag("--no-budget", arguments.ignores_budget, "Ignore .vramlab.json")
      ->excludes(budget);
}

void add_output_options(CLI::App& command, DiffArguments& arguments) {
  CLI::Option* format =
      command
          .add_option(
              "--format", arguments.format,
              "text, json, markdown (for a pull request) or junit (for CI); without it, the "
              "output's ending says (.json, .md, .xml), and otherwise it is text")
          ->check(CLI::IsMember({"text", "json", "markdown", "junit"}));
  add_output(command, arguments.output, "Write to a file (- is standard output)");
  add_force(command, arguments.output);
  command.add_option("--limit", arguments.limit, "Groups to show (0 for all)")
      ->capture_default_str();
  add_common_flags(command, arguments.flags);
  format->excludes(command.get_option("--json"));
}

void add_options(CLI::App& command, DiffArguments& arguments) {
  command
      .add_option("BASE", arguments.base,
                  "What to compare with: a recording or a program in any format that vramlab "
                  "info knows, or the JSON report of a replay")
      ->required();
  command.add_option("NEW", arguments.now, "The recording to judge")->required();
  command
      .add_option(
          "--at", arguments.at,
          "When to look at who holds memory: peak (of allocated memory), peak_reserved, end or "
          "oom; a snapshot without a history shows its end")
      ->check(CLI::IsMember({"peak", "peak_reserved", "end", "oom"}))
      ->capture_default_str();
  std::vector<std::string> names;
  for (const auto& [name, by] : compared_groups()) names.push_back(name);
  command
      .add_option("--by", arguments.by,
                  "Compare by: site (the user's own innermost frame), stack, size, stream, pool, "
                  "label (of the program), position (of the request in its iteration); kind, "
                  "module and parameter of recordings that say what blocks hold")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  add_kinds_option(command, arguments.kinds);
  CLI::Option* device = command.add_option("--device", arguments.device, "Only this device");
  command
      .add_flag("--host", arguments.host,
                "Compare pinned host memory only: its metrics, who held it and its events")
      ->excludes(device);
  add_limit_options(command, arguments);
  add_output_options(command, arguments);
}

}  // namespace

Command diff_command() {
  return {"diff",
          "Compare two recordings: peaks, call sites and limits, without comparing addresses",
          "Example: vramlab diff base.pickle new.pickle --fail-if 'peak_reserved > +2%'",
          with<DiffArguments>(add_options, diff_files)};
}

}  // namespace vramlab::tools
