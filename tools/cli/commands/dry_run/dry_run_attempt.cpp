#include "tools/cli/commands/dry_run/dry_run_attempt.h"

#include <unistd.h>
#include <algorithm>
#include <utility>

#include "tools/cli/commands/dry_run/process_notes.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/preloaded_program.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/text_lines.h"
#include "tools/preload/names/file_names.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

void find_in_histories(DryRunOutcome& outcome) {
  run_tasks(outcome.processes.size(), usual_thread_count(), [&](std::size_t i) {
    DryRunProcess& process = outcome.processes[i];
    if (!process.notes.python || process.notes.python->history.empty()) return;
    process.findings = find_in_history(process.notes.python->history, process.notes.python->torch);
  });
}

/// The name of the recordings of the driver's calls, without the number of the process.
constexpr const char* driver_calls = "driver-calls";

/// Adds the recorded driver's calls of processes that have no history of PyTorch.
void add_traces(const DryRunArguments& arguments, const NumberedFolder& folder,
                std::vector<ProcessNotes>& processes) {
  names::ProcessFacts facts = names::facts_of_this_process();
  for (const RecordingPart& part : recording_parts(folder.path(), driver_calls)) {
    const auto process = std::ranges::find(processes, part.process, &ProcessNotes::process);
    if (process == processes.end() || !process->history().empty()) continue;
    process->trace = part.path + ".vtrace";
    finish_recording(part, process->trace,
                     {traces::TraceFormat::native_binary, traces::Overwrite::allowed});
    facts.process = part.process;
    if (!arguments.output.empty())
      process->trace_output =
          names::expanded_name(names::from_this_folder(arguments.output), facts);
  }
}

/// For processes that leave no history of PyTorch: other frameworks, and those that were killed.
/// The recorder stands between the program and the stand-in driver, so it comes first.
void record_driver_calls(const NumberedFolder& folder, PreloadedProgram& program) {
  program.libraries.insert(program.libraries.begin(), preload_library());
  program.variables.emplace_back("VRAMLAB_SHIM", "record");
  program.variables.emplace_back("VRAMLAB_RECORD",
                                 names::literal_name((folder.path() / driver_calls).string()));
}

}  // namespace

traces::Overwrite overwrite_of(const DryRunArguments& arguments) {
  return arguments.may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused;
}

Attempt attempt(const DryRunArguments& arguments, const RunProgram& run) {
  const std::filesystem::path stand_ins = stand_in_folder();
  Attempt made{arguments,
               std::make_unique<NumberedFolder>(scratch_place().folder + "/vramlab-dry-run-" +
                                                std::to_string(geteuid())),
               {},
               {}};
  PreloadedProgram program{arguments.program,
                           stand_in_variables(arguments, stand_ins, made.folder->path()),
                           stand_in_libraries(stand_ins), LeftProcesses::end};
  record_driver_calls(*made.folder, program);
  made.end = run_job({std::move(program), asked_ranks(arguments), run}, arguments, *made.folder);
  return made;
}

DryRunOutcome outcome_of(const Attempt& made) {
  const DryRunArguments& arguments = made.arguments;
  const NumberedFolder& folder = *made.folder;
  DryRunOutcome outcome;
  outcome.status = made.end.status;
  outcome.ranks = made.end.ranks;
  outcome.retried_because = made.retried_because;
  outcome.was_retried_in_vain = made.was_retried_in_vain;
  outcome.values = arguments.values;
  std::vector<ProcessNotes> all = read_process_notes(folder.path().string(), outcome.troubles);
  if (arguments.shared) outcome.shared = read_shared_memory(folder.path().string());
  add_traces(arguments, folder, all);
  for (const ProcessNotes& notes : all) outcome.processes.push_back({notes, {}, {}});
  const auto names = name_histories(all, {made.end.process, overwrite_of(arguments)});
  for (DryRunProcess& process : outcome.processes)
    if (const auto name = names.find(process.notes.process); name != names.end())
      process.history = name->second;
  find_in_histories(outcome);
  return outcome;
}

std::vector<replay::Limit> limits_of(const DryRunArguments& arguments) {
  std::vector<replay::Limit> limits;
  for (const std::string& text : arguments.fail_if) {
    limits.push_back(replay::parse_limit(text, "--fail-if"));
    if (limits.back().needs_base())
      throw traces::InputError({"--fail-if", "",
                                "a limit on the value itself, such as "
                                "'peak_reserved > 20GiB', as a dry run is compared with nothing",
                                text});
  }
  return limits;
}

void judge(const std::vector<replay::Limit>& limits, DryRunOutcome& outcome) {
  for (const DryRunProcess& process : outcome.processes) {
    if (process.findings.devices.empty()) continue;
    const replay::MetricValues metrics = process.findings.metrics();
    for (const replay::Limit& limit : limits) {
      const replay::MetricValue* const value = find_value(metrics, limit.metric->name);
      if (value == nullptr)
        throw traces::InputError({"--fail-if", "", "a metric that a history has", limit.text});
      if (!is_broken(limit, 0, value->value)) continue;
      const bool is_ratio = limit.metric->unit == replay::MetricUnit::ratio;
      outcome.broken.push_back(
          {limit.text, process.notes.process,
           is_ratio ? ratio_text(value->value)
                    : amount_text(*limit.metric, static_cast<std::uint64_t>(value->value))});
    }
  }
}

}  // namespace vramlab::tools
