// `vramlab diff`: what changed from one file to another, and whether that keeps within limits.
#include <filesystem>
#include <map>

#include "replay/compare/limit.h"
#include "tools/cli/commands/diff/diff_report.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/progress_bar.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using replay::GroupBy;
using replay::MomentKind;

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
  std::uint64_t limit = 20;
  CommonFlags flags;
};

/// The position in an iteration is no kind of group: it has an empty value.
const std::map<std::string, std::optional<GroupBy>>& compared_groups() {
  static const std::map<std::string, std::optional<GroupBy>> names = {
      {"site", GroupBy::site},     {"stack", GroupBy::stack}, {"size", GroupBy::size},
      {"stream", GroupBy::stream}, {"pool", GroupBy::pool},   {"label", GroupBy::label},
      {"position", std::nullopt}};
  return names;
}

MomentKind moment_kind_of(const std::string& at) {
  if (at == "end") return MomentKind::end;
  return at == "oom" ? MomentKind::out_of_memory : MomentKind::peak;
}

std::string moment_name(const std::string& at) {
  if (at == "end") return "the end";
  return at == "oom" ? "the first out-of-memory" : "the peak of allocated memory";
}

/// Those of the repository's file where there is one, then those of the command line.
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
  conditions.moment.kind = moment_kind_of(arguments.at);
  conditions.by = compared_groups().at(arguments.by);
  conditions.device = arguments.device;
  ProgressBar bar(path, arguments.flags);
  traces::OpenBytes bytes = traces::open_bytes(path, bar.listener());
  if (replay::is_report(bytes.start)) {
    replay::ComparedFile report = read_report(bytes, conditions);
    report.name = path;
    return report;
  }
  traces::OpenTrace trace = open_input(std::move(bytes));
  if (arguments.host) trace.memory = traces::ShownMemory::host;
  replay::ComparedFile compared = compared_file_of(open_recording(std::move(trace)), conditions);
  compared.name = path;
  return compared;
}

/// What was asked for, or else what the output's ending says.
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
  OpenOutput output(arguments.output);
  replay::ComparedFile base = read_file(arguments.base, arguments);
  replay::ComparedFile now = read_file(arguments.now, arguments);
  const DiffOutcome outcome{compare(std::move(base), std::move(now), limits),
                            moment_name(arguments.at),
                            arguments.by == "site" ? "call site" : arguments.by, arguments.limit};
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
  add_output(command, arguments.output, "Write to a file");
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
      .add_option("--at", arguments.at,
                  "When to look at who holds memory: peak, end or oom; a snapshot without a "
                  "history shows its end")
      ->check(CLI::IsMember({"peak", "end", "oom"}))
      ->capture_default_str();
  std::vector<std::string> names;
  for (const auto& [name, by] : compared_groups()) names.push_back(name);
  command
      .add_option("--by", arguments.by,
                  "Compare by: site (the user's own innermost frame), stack, size, stream, pool, "
                  "label (of the program), position (of the request in its iteration)")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
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
