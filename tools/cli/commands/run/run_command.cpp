// `vramlab run`: runs a CUDA program on the caching allocator.

#include <ctime>

#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/preloaded_program.h"
#include "tools/preload/names/file_names.h"

namespace vramlab::tools {
namespace {

struct RunArguments {
  std::string mode = "deferred";
  std::string conf;
  std::string statistics;
  std::string snapshot;
  std::size_t history_entries = 0;
  bool has_stacks = false;
  std::string report_signal;
  std::string trim_signal;
  std::string idle_limit;
  std::string waiting_limit;
  std::vector<std::string> program;
};

/// The path is made absolute, as the program may change its folder before it uses CUDA.
std::string report_name(const std::string& given) {
  return given == "stderr" ? given : names::from_this_folder(given);
}

/// The time by which the system dates files, which is coarse.
std::uint64_t time_of_files_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

ExitStatus run_program_on_shim(const RunArguments& arguments) {
  PreloadedProgram program{
      arguments.program, {{"VRAMLAB_SHIM", arguments.mode}}, {preload_library()}};
  const std::pair<const char*, const std::string*> given[] = {
      {"VRAMLAB_ALLOC_CONF", &arguments.conf},
      {"VRAMLAB_REPORT_SIGNAL", &arguments.report_signal},
      {"VRAMLAB_TRIM_SIGNAL", &arguments.trim_signal},
      {"VRAMLAB_IDLE_LIMIT", &arguments.idle_limit},
      {"VRAMLAB_WAITING_LIMIT", &arguments.waiting_limit},
  };
  for (const auto& [name, value] : given)
    if (!value->empty()) program.variables.emplace_back(name, *value);
  for (const auto& [name, value] : {std::pair("VRAMLAB_STATS", &arguments.statistics),
                                    std::pair("VRAMLAB_SNAPSHOT", &arguments.snapshot)})
    if (!value->empty()) program.variables.emplace_back(name, report_name(*value));
  program.variables.emplace_back("VRAMLAB_REPORTS_SINCE", std::to_string(time_of_files_ns()));
  if (arguments.history_entries > 0)
    program.variables.emplace_back("VRAMLAB_HISTORY", std::to_string(arguments.history_entries));
  if (arguments.has_stacks) program.variables.emplace_back("VRAMLAB_STACKS", "1");
  return static_cast<ExitStatus>(run_preloaded(program).status);
}

void add_options(CLI::App& command, RunArguments& arguments) {
  command
      .add_option("--mode", arguments.mode,
                  "deferred: freed blocks wait for what the device still does; sync: a free waits "
                  "as the driver's own does; nosplit: each block is an allocation of the driver; "
                  "off: nothing is replaced")
      ->check(CLI::IsMember({"deferred", "sync", "nosplit", "off"}))
      ->capture_default_str();
  command.add_option("--conf", arguments.conf,
                     "The option string, as of PYTORCH_CUDA_ALLOC_CONF, which counts without it");
  command.add_option(
      "--stats", arguments.statistics,
      "Where the statistics go at the end: a file, or stderr; in names of files %p stands for "
      "the process, %h for the host, %q{NAME} for a variable of its environment");
  CLI::Option* const snapshot = command.add_option("--snapshot", arguments.snapshot,
                                                   "The file that snapshots are written to");
  CLI::Option* const history =
      command
          .add_option("--history", arguments.history_entries,
                      "How many of the last allocations, frees and segments snapshots tell of")
          ->needs(snapshot);
  command.add_flag("--stacks", arguments.has_stacks, "With the stack of each call")->needs(history);
  command
      .add_option("--report-signal", arguments.report_signal,
                  "The signal that asks the program for both while it runs")
      ->check(CLI::IsMember({"USR1", "USR2", "HUP"}));
  command
      .add_option("--trim-signal", arguments.trim_signal,
                  "The signal at which the program gives idle memory back")
      ->check(CLI::IsMember({"USR1", "USR2", "HUP"}));
  command.add_option("--idle-limit", arguments.idle_limit,
                     "How much idle memory each context keeps: 512M, 2GiB, or 25% of the device's");
  command.add_option("--waiting-limit", arguments.waiting_limit,
                     "How much freed memory may wait for the device, such as 512MiB, before an "
                     "allocation waits for some of it");
  command.add_option("PROGRAM", arguments.program, "The program and its arguments, after --")
      ->required();
}

}  // namespace

Command run_command() {
  return {"run", "Run a CUDA program on the caching allocator, and end with its exit status",
          "Example: vramlab run --stats stderr -- ./train --steps 10",
          with<RunArguments>(add_options, run_program_on_shim)};
}

}  // namespace vramlab::tools
