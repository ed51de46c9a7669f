#include "tools/cli/commands/dry_run/dry_run_options.h"

#include <string>

#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/replay_arguments.h"

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

CLI::Validator time_or_zero() {
  return CLI::Validator(
      [](std::string& text) { return text == "0" ? std::string() : time_in_nanoseconds()(text); },
      "TIME");
}

void add_device_options(CLI::App& command, DryRunArguments& arguments) {
  add_gpu(command, arguments.gpu,
          "The GPU to have, with its memory (--list-gpus; default: the properties of " +
              std::string(usual_gpu) + " and no limit of memory)");
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
      .add_option("--values", arguments.values,
                  "What a program reads that reads values of the device")
      ->check(CLI::IsMember({"zeros", "ones", "random"}))
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
  command.add_flag("--list-gpus", arguments.lists_gpus, "List the GPUs that --gpu knows");
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
  command.add_option("-o,--output", arguments.output,
                     "Where the history goes, a snapshot of PyTorch; %p stands for the process, "
                     "%h for the host, %q{RANK} for a variable of its environment");
  command.add_option("--report", arguments.report, "Write an HTML report of the histories");
  command.add_option("--json", arguments.json, "Write the summary as a JSON document to a file");
  command.add_flag("--force", arguments.may_overwrite, "Overwrite outputs");
}

}  // namespace

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
      // Otherwise it would take the -- in front of the program.
      ->allow_extra_args(false)
      ->take_all();
  command.add_flag("--explain", arguments.explains,
                   "List every place at which the program read a value of the device, and every "
                   "answer that a GPU may give otherwise");
  command.add_flag("-q,--quiet", arguments.is_quiet, "No summary");
  command.add_option("PROGRAM", arguments.program, "The program and its arguments, after --");
}

}  // namespace vramlab::tools
