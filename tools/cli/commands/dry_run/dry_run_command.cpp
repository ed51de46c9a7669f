// `vramlab dry-run`: runs a CUDA program without a GPU, and says how much memory it needs.
#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "replay/compare/limit.h"
#include "tools/cli/commands/dry_run/dry_run_attempt.h"
#include "tools/cli/commands/dry_run/dry_run_job.h"
#include "tools/cli/commands/dry_run/dry_run_options.h"
#include "tools/cli/commands/dry_run/dry_run_outcome.h"
#include "tools/cli/commands/dry_run/process_notes.h"
#include "tools/cli/commands/dry_run/shared_page.h"
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
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace CLI {
class App;
}

namespace vramlab::tools {
namespace {

CLI::Validator size_or_none() {
  return CLI::Validator(
      [](std::string& text) {
        if (text == "none") return std::string();
        const std::string refusal = size_in_bytes()(text);
        return refusal.empty() ? refusal_of_memory(text) : refusal;
      },
      "SIZE|none");
}

void add_device_options(CLI::App& command, DryRunArguments& arguments) {
  add_gpu(command, arguments.gpu,
          "The GPU to have, with its memory (default: the properties of " + std::string(usual_gpu) +
              " and no limit of memory)");
  command
      .add_option("--device-memory", arguments.device_memory,
                  "Memory of each device for the allocator, such as 80GiB, or none for no limit")
      ->transform(size_or_none());
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
  add_machine_options(command, arguments);
}

void add_history_options(CLI::App& command, DryRunArguments& arguments) {
  command.add_flag("--shared", arguments.shared,
                   "All processes of the run share the memory of the GPUs: each sees what the "
                   "others hold, and who held the rest when one found no room is told");
  command.add_option("--mark-every", arguments.mark_every,
                     "Mark the history each so many steps of an optimizer");
  command
      .add_option("--report-signal", arguments.report_signal,
                  "The signal at which a process writes its history up to then")
      ->check(CLI::IsMember({"USR1", "USR2", "HUP"}));
  command.add_option("-o,--output", arguments.output,
                     "Where the history goes, a snapshot of PyTorch; %p stands for the process, "
                     "%h for the host, %q{RANK} for a variable of its environment");
  command.add_option("--report", arguments.report, "Write an HTML report of the histories");
  command.add_option("--json", arguments.json, "Write the summary as a JSON document to a file");
  command.add_option("--lanes", arguments.lanes,
                     "With --shared: write an HTML page with a lane for each process, what it "
                     "held over time");
  command.add_flag("--force", arguments.may_overwrite, "Overwrite outputs");
}

void add_dry_run_options(CLI::App& command, DryRunArguments& arguments) {
  add_device_options(command, arguments);
  add_job_options(command, arguments);
  add_course_options(command, arguments);
  add_history_options(command, arguments);
  command.add_flag("--fail-on-oom", arguments.fails_on_out_of_memory,
                   "Exit with 1 if a request for memory fails");
  command.add_flag("--fail-on-invalid", arguments.fails_on_invalid,
                   "Exit with 1 if a copy or a memset leaves the memory that it names");
  add_fail_if(command, arguments,
              "Exit with 1 if this holds of a process, such as 'peak_reserved > 20GiB'; may be "
              "given several times");
  command.add_flag("--explain", arguments.explains,
                   "List every place at which the program read a value of the device, and every "
                   "answer that a GPU may give otherwise");
  command.add_flag("-q,--quiet", arguments.flags.quiet, "No summary");
  command.add_flag("-v,--verbose", arguments.flags.verbose, "Also say what is read and explained");
  command.add_option("PROGRAM", arguments.program, "The program and its arguments, after --");
}

/// Checked before the program runs for minutes.
void check_outputs(const DryRunArguments& arguments) {
  // Names that differ by process are known only once the processes are.
  if (arguments.output.find('%') == std::string::npos)
    check_new_output(arguments.output, overwrite_of(arguments));
  check_new_output(arguments.report, overwrite_of(arguments));
  check_new_output(arguments.json, overwrite_of(arguments));
  check_new_output(arguments.lanes, overwrite_of(arguments));
}

/// Explains the first process that ran out of memory.
void explain_failure(DryRunOutcome& outcome) {
  const auto failed = std::ranges::find_if(outcome.processes, [](const DryRunProcess& process) {
    return process.findings.ran_out_of_memory();
  });
  replay::Recording& recording = *failed->findings.recording;
  const replay::Explanation explanation =
      explain(recording, {}, settings_runner(), replay_effort());
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

void write_whole(const std::string& path, const DryRunArguments& arguments,
                 const std::string& text) {
  traces::OutputFile output(path, overwrite_of(arguments));
  output.write(text);
  output.finish();
}

bool fails(const DryRunArguments& arguments, const DryRunOutcome& outcome) {
  return !outcome.broken.empty() ||
         (arguments.fails_on_out_of_memory && outcome.ran_out_of_memory()) ||
         (arguments.fails_on_invalid && outcome.went_out_of_bounds());
}

/// How the program ended, if a made-up value may be the reason; empty otherwise.
std::string made_up_end_of(const Attempt& made) {
  if (ends_job(made.end.status)) return "";
  std::vector<std::string> troubles;
  std::string text;
  for (const ProcessNotes& notes : read_process_notes(made.folder->path().string(), troubles)) {
    if (!notes.python) continue;
    if (notes.python->failure_count > 0) return "";
    if (notes.python->error && !notes.python->error->may_come_from_values) continue;
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
  first.was_retried_in_vain = arguments.values == "random";
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
    DryRunOutcome outcome = outcome_of(made);
    find_what_ifs(arguments, outcome);
    judge(limits, outcome);
    // The message about a program that can't be run was printed already.
    const bool was_run = end.status != program_not_found && end.status != program_not_runnable;
    if (!arguments.flags.quiet && (was_run || !outcome.processes.empty()))
      tell(dry_run_text(outcome, arguments));
    if (arguments.explains) tell(explained_text(outcome));
    if (!arguments.json.empty())
      write_whole(arguments.json, arguments, dry_run_json(outcome, arguments));
    if (!arguments.lanes.empty())
      write_whole(arguments.lanes, arguments, shared_page(outcome.shared, *arguments.memory()));
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
  if (arguments.shared && !arguments.memory())
    throw traces::InputError({"--shared", "", "--gpu or --device-memory, which all processes share",
                              "no limit of memory"});
  if (!arguments.lanes.empty() && !arguments.shared)
    throw traces::InputError({"--lanes", "", "--shared, whose processes it shows", "none"});
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
