#include "tools/cli/commands/dry_run/dry_run_options.h"

#include <string>

#include "tools/cli/kit/arguments.h"

namespace vramlab::tools {
namespace {

CLI::Validator time_or_zero() {
  return CLI::Validator(
      [](std::string& text) { return text == "0" ? std::string() : time_in_nanoseconds()(text); },
      "TIME");
}

}  // namespace

void add_machine_options(CLI::App& command, DryRunArguments& arguments) {
  constexpr unsigned most_gpus = 64;
  command.add_option("--gpus", arguments.gpu_count, "How many of them (default: 1)")
      ->check(CLI::Range(1U, most_gpus));
  add_held_by_others(command, arguments.held_by_others, "nothing");
  command
      .add_option("--values-from", arguments.values_from,
                  "A file of Python whose function values(read) answers what the program reads")
      ->check(CLI::ExistingFile);
  command
      .add_option("--segments", arguments.segments,
                  "Where the driver puts new segments: as NVIDIA's for Linux (driver), or each "
                  "above those before (upwards), as on Windows (default: driver)")
      ->check(CLI::IsMember({"driver", "upwards"}));
  command
      .add_option("--kernel-time", arguments.kernel_time_ns,
                  "The time that a kernel takes, such as 10us (the default); 0: all work is over "
                  "at once")
      ->transform(time_or_zero());
}

void add_job_options(CLI::App& command, DryRunArguments& arguments) {
  command.add_option("--rank", arguments.rank, "Run the program alone as this rank of a job");
  command.add_option("--ranks", arguments.ranks,
                     "Run it as each of these ranks, one after another: all, 0,7, 0-3 or 0,last");
  constexpr unsigned most_ranks = 1U << 20;
  command.add_option("--world-size", arguments.world_size, "How many ranks the job has")
      ->check(CLI::Range(1U, most_ranks));
}

void add_course_options(CLI::App& command, DryRunArguments& arguments) {
  command.add_option("--steps", arguments.steps,
                     "End the program, with status 0, after so many steps of an optimizer");
  command.add_option("--keep-compiled", arguments.keep_compiled,
                     "A folder for code that the program compiles (inductor, Triton, extensions), "
                     "so that the next dry run need not; never that of a real run");
}

void add_fail_if(CLI::App& command, DryRunArguments& arguments, const std::string& description) {
  command.add_option("--fail-if", arguments.fail_if, description)
      ->expected(1)
      // Otherwise the option would take the -- in front of the program.
      ->allow_extra_args(false)
      ->take_all();
}

}  // namespace vramlab::tools
