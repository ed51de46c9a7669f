// `vramlab dry-run`: runs a CUDA program without a GPU, and says how much memory it needs.
#include <unistd.h>
#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "replay/compare/limit.h"
#include "tools/cli/commands/dry_run/dry_run_job.h"
#include "tools/cli/commands/dry_run/dry_run_outcome.h"
#include "tools/cli/commands/dry_run/process_notes.h"
#include "tools/cli/commands/report/report_command.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/explanation_report.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/preloaded_program.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"
#include "tools/preload/names/file_names.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace CLI {
class App;
}

namespace vramlab::tools {
namespace {

using traces::Overwrite;

CLI::Validator size_or_none() {
  return CLI::Validator(
      [](std::string& text) {
        if (text == "none") return std::string();
        const std::string refusal = size_in_bytes()(text);
        return refusal.empty() ? refusal_of_memory(text) : refusal;
      },
      "SIZE|none");
}

CLI::Validator time_or_zero() {
  return CLI::Validator(
      [](std::string& text) { return text == "0" ? std::string() : time_in_nanoseconds()(text); },
      "TIME");
}

void add_device_options(CLI::App& command, DryRunArguments& arguments) {
  add_gpu(command, arguments.gpu,
          "The GPU to have, with its memory (default: the properties of " + std::string(usual_gpu) +
              " and no limit of memory)");
  constexpr unsigned most_gpus = 64;
  command.add_option("--gpus", arguments.gpu_count, "How many of them (default: 1)")
      ->check(CLI::Range(1U, most_gpus));
  command
      .add_option("--device-memory", arguments.device_memory,
                  "Memory of each device for the allocator, such as 80GiB, or none for no limit")
      ->transform(size_or_none());
  add_held_by_others(command, arguments.held_by_others, "nothing");
  command.add_option("--conf", arguments.conf,
                     "The option string, as of PYTORCH_CUDA_ALLOC_CONF, which counts without it");
  command
      .add_option(
          "--values", arguments.values,
          "What a program reads that reads values of the device; computed: what follows "
          "from small tensors with known values, else zeros; auto: computed, and if it ends "
          "with an error after that, once more with zeros, with ones, then with random")
      ->check(CLI::IsMember({"zeros", "ones", "random", "computed", "auto"}))
      ->capture_default_str();
  command
      .add_option("--values-from", arguments.values_from,
                  "A file of Python whose function values(read) answers what the program reads")
      ->check(CLI::ExistingFile);
  command
      .add_option("--kernel-time", arguments.kernel_time_ns,
                  "The time that a kernel takes, such as 10us (the default); 0: all work is over "
                  "at once")
      ->transform(time_or_zero());
}

void add_job_options(CLI::App& command, DryRunArguments& arguments) {
  command.add_option("--rank", arguments.rank, "Run the program alone as this rank of a job");
  command.add_option("--ranks", arguments.ranks,
                     "Run it as each of these ranks, one after another: all, 0,7 or 0-3");
  constexpr unsigned most_ranks = 1U << 20;
  command.add_option("--world-size", arguments.world_size, "How many ranks the job has")
      ->check(CLI::Range(1U, most_ranks));
}

void add_history_options(CLI::App& command, DryRunArguments& arguments) {
  command.add_option("--steps", arguments.steps,
                     "End the program, with status 0, after so many steps of an optimizer");
  command.add_option("--mark-every", arguments.mark_every,
                     "Mark the history each so many steps of an optimizer");
  command
      .add_option("--report-signal", arguments.report_signal,
                  "The signal at which a process writes its history up to then")
      ->check(CLI::IsMember({"USR1", "USR2", "HUP"}));
  command.add_option("--keep-compiled", arguments.keep_compiled,
                     "A folder for code that the program compiles (inductor, Triton, extensions), "
                     "so that the next dry run need not; never that of a real run");
  command.add_option("-o,--output", arguments.output,
                     "Where the history goes, a snapshot of PyTorch; %p stands for the process, "
                     "%h for the host, %q{RANK} for a variable of its environment");
  command.add_option("--report", arguments.report, "Write an HTML report of the histories");
  command.add_option("--json", arguments.json, "Write the summary as a JSON document to a file");
  command.add_flag("--force", arguments.may_overwrite, "Overwrite outputs");
}

void add_dry_run_options(CLI::App& command, DryRunArguments& arguments) {
  add_device_options(command, arguments);
  add_job_options(command, arguments);
  add_history_options(command, arguments);
  command.add_flag("--fail-on-oom", arguments.fails_on_out_of_memory,
                   "Exit with 1 if a request for memory fails");
  command
      .add_option("--fail-if", arguments.fail_if,
                  "Exit with 1 if this holds of a process, such as 'peak_reserved > 20GiB'; may "
                  "be given several times")
      ->expected(1)
      // Otherwise the option would take the -- in front of the program.
      ->allow_extra_args(false)
      ->take_all();
  command.add_flag("--explain", arguments.explains,
                   "List every place at which the program read a value of the device, and every "
                   "answer that a GPU may give otherwise");
  command.add_flag("-q,--quiet", arguments.flags.quiet, "No summary");
  command.add_flag("-v,--verbose", arguments.flags.verbose, "Also say what is read and explained");
  command.add_option("PROGRAM", arguments.program, "The program and its arguments, after --");
}

Overwrite overwrite_of(const DryRunArguments& arguments) {
  return arguments.may_overwrite ? Overwrite::allowed : Overwrite::refused;
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

/// Checked before the program runs for minutes.
void check_outputs(const DryRunArguments& arguments) {
  // Names that differ by process are known only once the processes are.
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

/// Explains the first process that ran out of memory.
void explain_failure(DryRunOutcome& outcome) {
  const auto failed = std::ranges::find_if(outcome.processes, [](const DryRunProcess& process) {
    return process.findings.ran_out_of_memory();
  });
  replay::Recording& recording = *failed->findings.recording;
  replay::ExplainQuestion question;
  question.code = failed->notes.kernel_code();
  const replay::Explanation explanation =
      explain(recording, question, settings_runner(), replay_effort());
  outcome.smallest = explanation.smallest_gpu;
  outcome.explanation = answer_of(explanation, recording.tables());
}

void find_what_ifs(const DryRunArguments& arguments, DryRunOutcome& outcome) {
  const DryRunProcess* const worst = outcome.worst();
  // Nobody knows how a program goes on after an out-of-memory.
  if (outcome.ran_out_of_memory()) return explain_failure(outcome);
  if (worst == nullptr || !worst->findings.replayer) return;
  const replay::Replayer& replayer = *worst->findings.replayer;
  replay::GpuQuestion question;
  if (arguments.held_by_others)
    question.conditions.held_by_others = Bytes{*arguments.held_by_others};
  question.code = worst->notes.kernel_code();
  outcome.smallest = smallest_gpu(replayer, question, replay_effort());
  for (const NotedGpu& gpu : worst->notes.gpus)
    if (gpu.peak_managed_bytes > 0)
      question.least = std::max(question.least, Bytes{gpu.peak_with_managed_bytes});
  if (question.least > Bytes{})
    outcome.smallest_without_paging = smallest_gpu(replayer, question, replay_effort());
  outcome.advice = find_advice(replayer, {}, settings_runner(), replay_effort());
  for (const replay::DeviceOverview& device : worst->findings.devices) {
    const auto range =
        reserved_range(replayer, device.device, device.metric("peak_reserved"), replay_effort());
    if (range && range->least != range->most) outcome.reserved.emplace(device.device, *range);
  }
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
                     {traces::TraceFormat::native_binary, Overwrite::allowed});
    facts.process = part.process;
    if (!arguments.output.empty())
      process->trace_output =
          names::expanded_name(names::from_this_folder(arguments.output), facts);
  }
}

/// Reads the notes and histories once the program has ended.
DryRunOutcome look_at(const DryRunArguments& arguments, const NumberedFolder& folder,
                      const JobEnd& end) {
  DryRunOutcome outcome;
  outcome.status = end.status;
  outcome.ranks = end.ranks;
  outcome.values = arguments.values;
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

/// The recorder stands between the program and the stand-in driver, so it comes first.
void record_driver_calls(const NumberedFolder& folder, PreloadedProgram& program) {
  program.libraries.insert(program.libraries.begin(), preload_library());
  program.variables.emplace_back("VRAMLAB_SHIM", "record");
  program.variables.emplace_back("VRAMLAB_RECORD",
                                 names::literal_name((folder.path() / driver_calls).string()));
}

/// A run of the program, whose notes and histories lie in its folder.
struct Attempt {
  DryRunArguments arguments;
  std::unique_ptr<NumberedFolder> folder;
  JobEnd end;
  /// How the attempts before ended, for a sentence.
  std::string retried_because;
};

Attempt attempt(const DryRunArguments& arguments) {
  const std::filesystem::path stand_ins = stand_in_folder();
  Attempt made{arguments,
               std::make_unique<NumberedFolder>(scratch_place().folder + "/vramlab-dry-run-" +
                                                std::to_string(geteuid())),
               {},
               {}};
  PreloadedProgram program{arguments.program,
                           stand_in_variables(arguments, stand_ins, made.folder->path()),
                           stand_in_libraries(stand_ins), LeftProcesses::end};
  if (is_plain_program(arguments.program.front())) record_driver_calls(*made.folder, program);
  made.end = run_job(program, asked_ranks(arguments), arguments, *made.folder);
  return made;
}

/// How the program ended, if a made-up value may be the reason; empty otherwise.
std::string made_up_end_of(const Attempt& made) {
  if (ends_job(made.end.status)) return "";
  std::vector<std::string> troubles;
  std::string text;
  for (const ProcessNotes& notes : read_process_notes(made.folder->path().string(), troubles)) {
    if (!notes.python) continue;
    if (notes.python->failure_count > 0) return "";
    if (!notes.python->waits_at.empty()) return "waited at " + notes.python->waits_at;
    if (text.empty() && made.end.status != 0 && !notes.last_read().empty())
      text = "ended with " + (notes.python->error
                                  ? notes.python->error->type + " at " + notes.python->error->place
                                  : "status " + std::to_string(made.end.status));
  }
  return text;
}

/// Computed values, and where made-up ones may have led to the end, zeros, ones and then random
/// values. The first run that ends as it should is the one that counts; if none does, the first.
Attempt attempt_with_values_that_lead_on(DryRunArguments arguments) {
  arguments.values = "computed";
  Attempt first = attempt(arguments);
  std::string ended = made_up_end_of(first);
  for (const char* const values : {"zeros", "ones", "random"}) {
    if (ended.empty()) break;
    const std::string because = "with " + arguments.values + " the program " + ended;
    tell("vramlab dry-run: " + shown_name(because) + "; once more with --values " + values + "\n");
    arguments.values = values;
    Attempt again = attempt(arguments);
    if (again.end.status == 0) {
      again.retried_because = because;
      return again;
    }
    ended = made_up_end_of(again);
  }
  return first;
}

/// The program's own status; if that is 0 and our part failed, our own.
ExitStatus report_on(const std::vector<replay::Limit>& limits, const Attempt& made) {
  const DryRunArguments& arguments = made.arguments;
  const NumberedFolder& folder = *made.folder;
  const JobEnd& end = made.end;
  RemovalOnInterrupt removal;
  removal.begin({folder.path().string()});
  const auto own = static_cast<ExitStatus>(end.status);
  try {
    DryRunOutcome outcome = look_at(arguments, folder, end);
    outcome.retried_because = made.retried_because;
    judge(limits, outcome);
    // The message about a program that can't be run was printed already.
    const bool was_run = end.status != program_not_found && end.status != program_not_runnable;
    if (!arguments.flags.quiet && (was_run || !outcome.processes.empty()))
      tell(dry_run_text(outcome, arguments));
    if (arguments.explains) tell(explained_text(outcome));
    if (!arguments.json.empty()) write_json(arguments, outcome);
    if (!arguments.report.empty()) write_page(arguments, outcome);
    return end.status == 0 && fails(arguments, outcome) ? ExitStatus::answer_is_no : own;
  } catch (const std::exception& error) {
    tell("vramlab: " + shown_name(error.what()) + "\n");
    return end.status == 0 ? ExitStatus::bad_input : own;
  }
}

ExitStatus dry_run(const DryRunArguments& arguments) {
  if (arguments.program.empty())
    throw traces::InputError({"dry-run", "", "-- and a program", "none"});
  const std::vector<replay::Limit> limits = limits_of(arguments);
  check_outputs(arguments);
  if (!arguments.flags.quiet && is_program(arguments.program.front()))
    tell(
        "vramlab dry-run: no kernel runs, so losses, times and speeds that the program prints "
        "mean nothing\n");
  return report_on(limits, arguments.values == "auto" ? attempt_with_values_that_lead_on(arguments)
                                                      : attempt(arguments));
}

}  // namespace

Command dry_run_command() {
  return {"dry-run", "Run a CUDA program without a GPU: does it fit, and which line is the peak?",
          "Example: vramlab dry-run --gpu h100-80gb --steps 3 -- python train.py",
          with<DryRunArguments>(add_dry_run_options, dry_run)};
}

}  // namespace vramlab::tools
