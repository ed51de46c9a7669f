// `vramlab dry-run`: a CUDA program without a GPU, its exact memory history, and what that says.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "replay/compare/limit.h"
#include "streams/device/gpu_models.h"
#include "tools/cli/commands/dry_run/dry_run_options.h"
#include "tools/cli/commands/dry_run/dry_run_outcome.h"
#include "tools/cli/commands/dry_run/job_ranks.h"
#include "tools/cli/commands/dry_run/named_histories.h"
#include "tools/cli/commands/dry_run/numbered_folder.h"
#include "tools/cli/commands/dry_run/stand_ins.h"
#include "tools/cli/commands/report/report_page_file.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/finished_recordings.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/preloaded_program.h"
#include "tools/cli/kit/replay_arguments.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "tools/preload/names/file_names.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using traces::Overwrite;

Overwrite overwrite_of(const DryRunArguments& arguments) {
  return arguments.may_overwrite ? Overwrite::allowed : Overwrite::refused;
}

std::string gpu_list() {
  Table table({left("name"), {"memory"}, {"for the allocator"}, left("the memory is known from")});
  for (const streams::GpuModel& gpu : streams::gpu_models())
    table.add({std::string(gpu.name), format_bytes(gpu.total), format_bytes(gpu.available()),
               std::string(gpu.total_source)});
  return table.text("");
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

/// Before the program runs for minutes.
void check_outputs(const DryRunArguments& arguments) {
  // Names that differ by process are known when the processes are.
  if (arguments.output.find('%') == std::string::npos)
    check_new_output(arguments.output, overwrite_of(arguments));
  check_new_output(arguments.report, overwrite_of(arguments));
  check_new_output(arguments.json, overwrite_of(arguments));
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

void find_in_histories(DryRunOutcome& outcome) {
  run_tasks(outcome.processes.size(), usual_thread_count(), [&](std::size_t i) {
    DryRunProcess& process = outcome.processes[i];
    if (!process.notes.python || process.notes.python->history.empty()) return;
    process.findings = find_in_history(process.notes.python->history, process.notes.python->torch);
  });
}

void find_what_ifs(const DryRunArguments& arguments, DryRunOutcome& outcome) {
  const DryRunProcess* const worst = outcome.worst();
  // What follows an out-of-memory is not known.
  if (worst == nullptr || outcome.ran_out_of_memory()) return;
  outcome.smallest = smallest_gpu(worst->findings, Bytes{arguments.held_by_others.value_or(0)});
  outcome.advice = find_advice(worst->findings);
}

void write_page(const DryRunArguments& arguments, const DryRunOutcome& outcome) {
  std::vector<std::string> names;
  std::vector<std::shared_ptr<replay::Recording>> recordings;
  for (const DryRunProcess& process : outcome.processes)
    if (const std::string& recorded = process.notes.history(); !recorded.empty()) {
      names.push_back(process.history.empty() ? recorded : process.history);
      recordings.push_back(process.findings.recording ? process.findings.recording
                                                      : open_recording(recorded, nullptr));
    }
  if (names.empty()) throw std::runtime_error("no report: no history was recorded");
  write_report_page(names, recordings, {arguments.report, arguments.may_overwrite});
}

void write_json(const DryRunArguments& arguments, const DryRunOutcome& outcome) {
  traces::OutputFile output(arguments.json, overwrite_of(arguments));
  output.write(dry_run_json(outcome, arguments));
  output.finish();
}

/// What the recordings of the driver's calls are called, without the process's number.
constexpr const char* driver_calls = "driver-calls";

/// The driver's calls of processes that were recorded.
void add_traces(const DryRunArguments& arguments, const NumberedFolder& folder,
                std::vector<ProcessNotes>& processes) {
  names::ProcessFacts facts = names::facts_of_this_process();
  for (const RecordingPart& part : recording_parts(folder.path(), driver_calls)) {
    const auto process = std::ranges::find(processes, part.process, &ProcessNotes::process);
    if (process == processes.end() || !process->history().empty()) continue;
    process->trace = part.path + ".vtrace";
    finish_recording(part, process->trace,
                     {traces::TraceFormat::native_binary, Overwrite::allowed});
    facts.process = part.process;
    if (!arguments.output.empty())
      process->trace_output =
          names::expanded_name(names::from_this_folder(arguments.output), facts);
  }
}

/// Once the program has ended.
DryRunOutcome look_at(const DryRunArguments& arguments, const NumberedFolder& folder,
                      const JobEnd& end) {
  DryRunOutcome outcome;
  outcome.status = end.status;
  outcome.ranks = end.ranks;
  std::vector<ProcessNotes> all = read_process_notes(folder.path().string(), outcome.troubles);
  add_traces(arguments, folder, all);
  for (const ProcessNotes& notes : all) outcome.processes.push_back({notes, {}, {}});
  const auto names = name_histories(all, {end.process, overwrite_of(arguments)});
  for (DryRunProcess& process : outcome.processes)
    if (const auto name = names.find(process.notes.process); name != names.end())
      process.history = name->second;
  find_in_histories(outcome);
  find_what_ifs(arguments, outcome);
  return outcome;
}

bool fails(const DryRunArguments& arguments, const DryRunOutcome& outcome) {
  return !outcome.broken.empty() ||
         (arguments.fails_on_out_of_memory && outcome.ran_out_of_memory());
}

/// The program's own status, unless that says that all went well and it did not for us.
ExitStatus report_on(const DryRunArguments& arguments, const std::vector<replay::Limit>& limits,
                     const NumberedFolder& folder, const JobEnd& end) {
  RemovalOnInterrupt removal;
  removal.begin({folder.path().string()});
  const auto own = static_cast<ExitStatus>(end.status);
  try {
    DryRunOutcome outcome = look_at(arguments, folder, end);
    judge(limits, outcome);
    // A program that can't be run has been named already.
    const bool was_run = end.status != program_not_found && end.status != program_not_runnable;
    if (!arguments.is_quiet && (was_run || !outcome.processes.empty()))
      std::fputs(dry_run_text(outcome, arguments).c_str(), stderr);
    if (arguments.explains) std::fputs(explained_text(outcome).c_str(), stderr);
    if (!arguments.json.empty()) write_json(arguments, outcome);
    if (!arguments.report.empty()) write_page(arguments, outcome);
    return end.status == 0 && fails(arguments, outcome) ? ExitStatus::answer_is_no : own;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vramlab: %s\n", error.what());
    return end.status == 0 ? ExitStatus::bad_input : own;
  }
}

/// It stands between the program and the stand-in driver, so it comes first.
void record_driver_calls(const NumberedFolder& folder, PreloadedProgram& program) {
  program.libraries.insert(program.libraries.begin(), preload_library());
  program.variables.emplace_back("VRAMLAB_SHIM", "record");
  program.variables.emplace_back("VRAMLAB_RECORD",
                                 names::literal_name((folder.path() / driver_calls).string()));
}

ExitStatus dry_run(const DryRunArguments& arguments) {
  if (arguments.lists_gpus) {
    print(gpu_list());
    return ExitStatus::done;
  }
  if (arguments.program.empty())
    throw traces::InputError({"dry-run", "", "-- and a program", "none"});
  const std::vector<replay::Limit> limits = limits_of(arguments);
  const std::vector<unsigned> ranks = asked_ranks(arguments);
  check_outputs(arguments);
  const std::filesystem::path stand_ins = stand_in_folder();
  const NumberedFolder folder(scratch_place().folder + "/vramlab-dry-run-" +
                              std::to_string(geteuid()));
  PreloadedProgram program{arguments.program,
                           stand_in_variables(arguments, stand_ins, folder.path()),
                           stand_in_libraries(stand_ins), LeftProcesses::end};
  if (is_plain_program(arguments.program.front())) record_driver_calls(folder, program);
  return report_on(arguments, limits, folder, run_job(program, ranks, arguments, folder));
}

}  // namespace

Command dry_run_command() {
  return {"dry-run", "Run a CUDA program without a GPU: does it fit, and which line is the peak?",
          "Example: vramlab dry-run --gpu h100-80gb --steps 3 -- python train.py",
          with<DryRunArguments>(add_dry_run_options, dry_run)};
}

}  // namespace vramlab::tools
