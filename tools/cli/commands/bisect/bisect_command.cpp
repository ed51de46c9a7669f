// `vramlab bisect`: the same program under several versions of PyTorch, by dry runs, and the first
// event and line that differ.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tools/cli/commands/bisect/bisect_outcome.h"
#include "tools/cli/commands/dry_run/dry_run_attempt.h"
#include "tools/cli/commands/dry_run/dry_run_options.h"
#include "tools/cli/commands/dry_run/process_notes.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/interrupts.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/preloaded_program.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using traces::InputError;

struct BisectArguments {
  /// Versions of PyTorch with commas between them.
  std::string torch;
  /// `NAME=PATH` of interpreters.
  std::vector<std::string> pythons;
  std::optional<std::uint64_t> device_memory;
  DryRunArguments run;
  /// The folder for histories.
  OutputArguments output;
  CommonFlags flags;
};

/// An interpreter of Python with a PyTorch of its own.
struct Environment {
  std::string name;
  std::filesystem::path python;
};

void add_bisect_options(CLI::App& command, BisectArguments& arguments) {
  command.add_option("--torch", arguments.torch,
                     "Versions of PyTorch, such as 2.6.0,2.9.1, in environments that "
                     "tools/dev/real_pytorch.sh made");
  command
      .add_option("--python", arguments.pythons,
                  "An environment of your own, NAME=PATH of its interpreter; may be given several "
                  "times")
      ->expected(1)
      // Otherwise the option would take the -- in front of the program.
      ->allow_extra_args(false)
      ->take_all();
  add_gpu(command, arguments.run.gpu,
          "The GPU to have, with its memory (default: the properties of " + std::string(usual_gpu) +
              " and no limit of memory)");
  add_device_memory(command, arguments.device_memory, "that of the GPU, or no limit");
  command.add_option("--conf", arguments.run.conf,
                     "The option string, as of PYTORCH_CUDA_ALLOC_CONF, which counts without it");
  add_machine_options(command, arguments.run);
  add_job_options(command, arguments.run);
  add_course_options(command, arguments.run);
  add_output(command, arguments.output, "A folder for the histories")->type_name("FOLDER");
  command.add_flag("--force", arguments.output.may_overwrite, "Overwrite histories in it");
  add_common_flags(command, arguments.flags);
  command.add_option("PROGRAM", arguments.run.program, "The program and its arguments, after --");
}

/// The folder in which tools/dev/real_pytorch.sh makes environments.
std::filesystem::path folder_of_environments() {
  const char* const folder = std::getenv("VRAMLAB_REAL_PYTORCH");  // NOLINT(concurrency-mt-unsafe)
  return folder == nullptr ? "build/real_pytorch" : folder;
}

std::vector<Environment> environments_of(const BisectArguments& arguments) {
  std::vector<Environment> environments;
  std::istringstream versions(arguments.torch);
  for (std::string version; std::getline(versions, version, ',');)
    environments.push_back({version, folder_of_environments() / version / "bin/python"});
  for (const std::string& word : arguments.pythons) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError({"--python", "", "NAME=PATH, such as mine=venv/bin/python", word});
    environments.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  if (environments.size() < 2)
    throw InputError({"bisect", "", "two versions or more (--torch 2.6.0,2.9.1, --python)",
                      std::to_string(environments.size())});
  for (Environment& environment : environments) {
    // Not resolved: a virtual environment is known by the path of its interpreter.
    environment.python = std::filesystem::absolute(environment.python).lexically_normal();
    if (!is_program(environment.python.string()))
      throw InputError({environment.python.string(), "",
                        "an interpreter (tools/dev/real_pytorch.sh --install-only " +
                            environment.name + ", or --python " + environment.name + "=PATH)",
                        "none"});
  }
  return environments;
}

/// The first word becomes the program of the environment, and others are found there first.
DryRunArguments arguments_in(const Environment& environment, const BisectArguments& arguments) {
  DryRunArguments run = arguments.run;
  const std::filesystem::path bin = environment.python.parent_path();
  const std::string name = std::filesystem::path(run.program.front()).filename().string();
  if (name.starts_with("python"))
    run.program.front() = environment.python.string();
  else if (is_program((bin / name).string()))
    run.program.front() = (bin / name).string();
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  run.variables.emplace_back("PATH",
                             bin.string() + (path == nullptr ? "" : ":" + std::string(path)));
  if (arguments.device_memory) run.device_memory = std::to_string(*arguments.device_memory);
  if (!arguments.output.path.empty())
    run.output =
        (std::filesystem::path(arguments.output.path) / (environment.name + ".pickle")).string();
  run.may_overwrite = arguments.output.may_overwrite;
  return run;
}

EnvironmentRun run_in(const Environment& environment, const BisectArguments& arguments) {
  const Attempt made = attempt(arguments_in(environment, arguments), [](PreloadedProgram program) {
    // Standard output is for the answer.
    program.output = ProgramOutput::standard_error;
    return run_preloaded(program);
  });
  RemovalOnInterrupt removal;
  removal.begin({made.folder->path().string()});
  const DryRunOutcome outcome = outcome_of(made);
  EnvironmentRun run;
  run.name = environment.name;
  run.python = environment.python.string();
  run.status = outcome.status;
  run.ran_out_of_memory = outcome.ran_out_of_memory();
  for (const DryRunProcess& process : outcome.processes) {
    if (!process.notes.python) continue;
    if (!process.notes.python->torch.empty()) run.torch = process.notes.python->torch;
    if (const auto& error = process.notes.python->error; error && run.error.empty())
      run.error = error->type + (error->place.empty() ? "" : " at " + short_place(error->place));
  }
  if (const DryRunProcess* const worst = outcome.worst()) {
    run.peak_allocated = worst->findings.worst()->metric("peak_allocated").count;
    run.peak_reserved = worst->findings.worst()->metric("peak_reserved").count;
    run.recording = worst->findings.recording;
    run.history = worst->history;
    if (outcome.processes.size() > 1) run.worst_process = worst->notes.name();
  }
  return run;
}

replay::ComparedFile compared(const EnvironmentRun& run) {
  replay::CompareConditions conditions;
  conditions.moment = *moment_of("peak");
  replay::ComparedFile file = compared_file_of(run.recording, conditions);
  file.name = run.name;
  return file;
}

void compare_first_that_differ(BisectOutcome& outcome) {
  for (std::size_t i = 1; i < outcome.runs.size(); ++i) {
    const EnvironmentRun& base = outcome.runs[i - 1];
    const EnvironmentRun& now = outcome.runs[i];
    if (now.has_same_peaks(base)) continue;
    outcome.first_other = i;
    if (base.recording && now.recording)
      outcome.comparison = compare(compared(base), compared(now), {});
    return;
  }
}

ExitStatus bisect(const BisectArguments& arguments) {
  if (arguments.run.program.empty())
    throw InputError({"bisect", "", "-- and a program, such as -- python train.py", "none"});
  const std::vector<Environment> environments = environments_of(arguments);
  asked_ranks(arguments.run);
  if (!arguments.output.path.empty()) std::filesystem::create_directories(arguments.output.path);
  BisectOutcome outcome;
  outcome.program = arguments.run.program;
  for (const Environment& environment : environments) {
    outcome.runs.push_back(run_in(environment, arguments));
    if (ends_job(outcome.runs.back().status))
      return static_cast<ExitStatus>(outcome.runs.back().status);
  }
  compare_first_that_differ(outcome);
  print(arguments.flags.json ? bisect_json(outcome) : bisect_text(outcome));
  return outcome.first_other ? ExitStatus::answer_is_no : ExitStatus::done;
}

}  // namespace

Command bisect_command() {
  return {"bisect", "Compare a program's memory under several versions of PyTorch, without a GPU",
          "Example: vramlab bisect --torch 2.6.0,2.9.1 -- python train.py",
          with<BisectArguments>(add_bisect_options, bisect)};
}

}  // namespace vramlab::tools
