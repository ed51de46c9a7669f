// `vramlab conform`: runs recorded cases on the engine and reports which agree.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "replay/conformance/case_verdict.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/logging.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

/// One file's outcome: a verdict, or why there is none.
struct ConformOutcome {
  std::string file;
  std::optional<replay::CaseVerdict> verdict;
  /// Names the file itself; empty if there is a verdict.
  std::string error;
};

struct ConformCounts {
  std::size_t passed = 0;
  std::size_t failed = 0;
  /// Files that are no recorded case.
  std::size_t unreadable = 0;
};

ordered_json difference_json(const replay::Difference& difference) {
  return {{"where", difference.where},
          {"call", or_null(difference.call)},
          {"expected", difference.expected},
          {"actual", difference.actual}};
}

ordered_json outcome_json(const ConformOutcome& outcome) {
  if (!outcome.verdict) return {{"file", outcome.file}, {"error", outcome.error}};
  const replay::CaseVerdict& verdict = *outcome.verdict;
  ordered_json json = {
      {"file", outcome.file}, {"name", verdict.name}, {"passed", verdict.passed()}};
  if (verdict.passed()) return json;
  json["first_call"] = or_null(verdict.first_call);
  json["call"] = verdict.call_text;
  json["differences"] = json_list(verdict.differences, difference_json);
  json["segments"] = verdict.segments;
  return json;
}

ConformCounts count_outcomes(const std::vector<ConformOutcome>& outcomes) {
  ConformCounts counts;
  for (const ConformOutcome& outcome : outcomes) {
    if (!outcome.verdict)
      ++counts.unreadable;
    else if (outcome.verdict->passed())
      ++counts.passed;
    else
      ++counts.failed;
  }
  return counts;
}

/// Such as `396 passed, 0 failed`, without a line break; unreadable files are named only if there
/// are any.
std::string counts_text(const ConformCounts& counts) {
  std::string text =
      std::to_string(counts.passed) + " passed, " + std::to_string(counts.failed) + " failed";
  if (counts.unreadable > 0) text += ", " + std::to_string(counts.unreadable) + " unreadable";
  return text;
}

std::string outcomes_json(const std::vector<ConformOutcome>& outcomes) {
  const ConformCounts counts = count_outcomes(outcomes);
  return json_text({{"schema_version", 1},
                    {"passed", counts.passed},
                    {"failed", counts.failed},
                    {"unreadable", counts.unreadable},
                    {"cases", json_list(outcomes, outcome_json)}});
}

struct ConformArguments {
  std::vector<std::string> files;
  std::size_t jobs = usual_thread_count();
  std::string streams = "counted";
  CommonFlags flags;
};

ConformOutcome run_file(const std::string& file, replay::CaseStreams streams) {
  ConformOutcome outcome{file, std::nullopt, ""};
  try {
    outcome.verdict = replay::judge_case(traces::read_any_case(file), streams);
  } catch (const traces::InputError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

std::vector<ConformOutcome> run_files(const ConformArguments& arguments) {
  std::vector<ConformOutcome> outcomes(arguments.files.size());
  const replay::CaseStreams streams = arguments.streams == "timed"
                                          ? replay::CaseStreams::virtual_time
                                          : replay::CaseStreams::counters;
  run_tasks(outcomes.size(), arguments.jobs,
            [&](std::size_t i) { outcomes[i] = run_file(arguments.files[i], streams); });
  return outcomes;
}

void print_text(const std::vector<ConformOutcome>& outcomes, const CommonFlags& flags) {
  for (const ConformOutcome& outcome : outcomes) {
    if (!outcome.verdict || flags.quiet) continue;
    if (outcome.verdict->passed() && !flags.verbose) continue;
    print(verdict_text(*outcome.verdict));
  }
  print(counts_text(count_outcomes(outcomes)) + "\n");
}

ExitStatus conform(const ConformArguments& arguments) {
  log_detail("files: " + std::to_string(arguments.files.size()) + ", threads: at most " +
             std::to_string(arguments.jobs));
  const std::vector<ConformOutcome> outcomes = run_files(arguments);
  for (const ConformOutcome& outcome : outcomes)
    if (!outcome.verdict) tell("vramlab: " + shown_name(outcome.error) + "\n");
  if (arguments.flags.json)
    print(outcomes_json(outcomes));
  else
    print_text(outcomes, arguments.flags);

  const ConformCounts counts = count_outcomes(outcomes);
  if (counts.unreadable > 0) return ExitStatus::bad_input;
  return counts.failed > 0 ? ExitStatus::answer_is_no : ExitStatus::done;
}

void add_options(CLI::App& command, ConformArguments& arguments) {
  add_file(command, arguments.files, "Recorded cases (.json, .json.gz; - is standard input)");
  add_jobs(command, arguments.jobs);
  command
      .add_option("--streams", arguments.streams,
                  "What the allocator runs on: counted streams, or those of vramlab streams in "
                  "virtual time (timed); the answers are the same")
      ->check(CLI::IsMember({"counted", "timed"}))
      ->capture_default_str();
}

}  // namespace

Command conform_command() {
  return {"conform", "Compare the engine with recorded cases of the reference, answer by answer",
          "Example: vramlab conform tests/conformance/*.json.gz",
          with<ConformArguments>(add_options, conform)};
}

}  // namespace vramlab::tools
