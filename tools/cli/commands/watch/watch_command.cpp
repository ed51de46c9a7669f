// `vramlab watch`: runs a program and watches its memory, without a changed line of it, or shows
// that of one that runs.
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/cli/commands/watch/attached.h"
#include "tools/cli/commands/watch/watch_folder.h"
#include "tools/cli/commands/watch/watch_text.h"
#include "tools/cli/commands/watch/watched_processes.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/preloaded_program.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

/// Linux gives no larger number.
constexpr int largest_process = 1 << 22;

struct WatchArguments {
  std::string output;
  std::optional<std::uint64_t> every;
  std::uint64_t max_entries = 100'000;
  std::string json;
  bool may_overwrite = false;
  bool quiet = false;
  std::optional<int> attach;
  bool once = false;
  std::vector<std::string> program;

  traces::Overwrite overwrite() const {
    return may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused;
  }
};

/// The look at a program's processes while it runs. Errors of ours do not end the program.
class Watching {
 public:
  Watching(const std::filesystem::path& folder, const WatchArguments& arguments)
      : processes_(folder),
        is_quiet_(arguments.quiet),
        between_lines_(std::chrono::seconds(arguments.every.value_or(30))),
        next_lines_(Clock::now() + between_lines_) {}

  /// Called several times a second.
  void look() noexcept {
    try {
      const Clock::time_point now = Clock::now();
      if (now < next_look_) return;
      next_look_ = now + between_looks;
      processes_.look();
      if (is_quiet_ || now < next_lines_) return;
      next_lines_ = now + between_lines_;
      tell(watched_lines(processes_.in_order(), growth_));
    } catch (const std::exception&) {
      // The next look may succeed.
    }
  }

  std::vector<WatchedProcess> at_end() {
    processes_.look();
    return processes_.in_order();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds between_looks{1};

  WatchedProcesses processes_;
  WatchedGrowth growth_;
  bool is_quiet_;
  Clock::duration between_lines_;
  Clock::time_point next_lines_;
  Clock::time_point next_look_ = Clock::now();
};

/// The folder for explanations, which is made.
std::filesystem::path output_folder(const WatchArguments& arguments) {
  const auto folder = std::filesystem::absolute(arguments.output.empty() ? "." : arguments.output);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder))
    throw traces::InputError({arguments.output, "", "a folder to write to",
                              error ? error.message() : std::string("something else")});
  return folder;
}

PreloadedProgram watched_program(const WatchArguments& arguments,
                                 const std::filesystem::path& folder) {
  // No thread of ours changes the environment.
  const char* const inherited = std::getenv("PYTHONPATH");  // NOLINT(concurrency-mt-unsafe)
  const std::string others = inherited == nullptr ? "" : inherited;
  const auto hook = find_own_file("watch/python", "vramlab/watch/python");
  PreloadedProgram program{arguments.program,
                           {{"VRAMLAB_WATCH", folder.string()},
                            {"VRAMLAB_WATCH_OUTPUT", output_folder(arguments).string()},
                            {"VRAMLAB_WATCH_ENTRIES", std::to_string(arguments.max_entries)},
                            {"PYTHONPATH", hook.string() + (others.empty() ? "" : ":" + others)}},
                           {}};
  // The program that explains an out-of-memory is this one, unless the user has named another.
  if (std::getenv("VRAMLAB_PROGRAM") == nullptr)  // NOLINT(concurrency-mt-unsafe)
    program.variables.emplace_back("VRAMLAB_PROGRAM",
                                   std::filesystem::read_symlink("/proc/self/exe").string());
  return program;
}

void write_watch_json(const WatchArguments& arguments, const std::string& document) {
  if (arguments.json.empty()) return;
  traces::OutputFile output(arguments.json, arguments.overwrite());
  output.write(document);
  output.finish();
}

/// The program's exit status; if that is 0 and an output failed, our own.
ExitStatus finish_watch(const WatchArguments& arguments, Watching& watching, int status) {
  const bool has_run = status != program_not_found && status != program_not_runnable;
  try {
    const std::vector<WatchedProcess> processes = watching.at_end();
    if (!arguments.quiet && has_run) tell(watch_summary(processes, status));
    write_watch_json(arguments, watch_json(processes, status));
  } catch (const std::exception& error) {
    tell("vramlab: the summary is not written: " + std::string(error.what()) + "\n");
    return status == 0 ? ExitStatus::bad_input : static_cast<ExitStatus>(status);
  }
  return static_cast<ExitStatus>(status);
}

ExitStatus watch(const WatchArguments& arguments) {
  if (arguments.attach.has_value() != arguments.program.empty())
    throw traces::InputError({"the command line", "", "a PROGRAM after --, or --attach PID",
                              arguments.attach ? "both" : "neither"});
  if (arguments.attach)
    return show_attached({*arguments.attach, arguments.every.value_or(2), arguments.once});
  check_new_output(arguments.json, arguments.overwrite());
  const auto folder = new_watch_folder();
  PreloadedProgram program = watched_program(arguments, folder->path());
  Watching watching(folder->path(), arguments);
  program.is_over = [&watching] {
    watching.look();
    return false;
  };
  return finish_watch(arguments, watching, run_preloaded(program).status);
}

void add_options(CLI::App& command, WatchArguments& arguments) {
  CLI::Option* const attach =
      command
          .add_option("--attach", arguments.attach,
                      "Show the memory of a running process that this command or VRAMLAB=explain "
                      "started, with the lines of code that hold most")
          ->type_name("PID")
          ->check(CLI::Range(1, largest_process));
  command.add_flag("--once", arguments.once, "With --attach, show it once and end")->needs(attach);
  command
      .add_option("-o,--output", arguments.output,
                  "The folder for explanations of an out-of-memory, with recording and report "
                  "(default: the current one)")
      ->excludes(attach);
  command
      .add_option(
          "--every", arguments.every,
          "Print a line for each process each so many seconds (default: 30; with --attach, 2)")
      ->check(refusal_of_nothing);
  command
      .add_option("--max-entries", arguments.max_entries,
                  "The last events of each GPU that are recorded (default: 100000)")
      ->check(refusal_of_nothing);
  command.add_option("--json", arguments.json, "Write the summary as a JSON document to a file")
      ->excludes(attach);
  command.add_flag("--force", arguments.may_overwrite, "Overwrite the document");
  command.add_flag("-q,--quiet", arguments.quiet, "No lines and no summary");
  command.add_option("PROGRAM", arguments.program, "The program and its arguments, after --");
}

}  // namespace

Command watch_command() {
  return {"watch", "Run a PyTorch program, watch its memory, and explain an out-of-memory",
          "Examples: vramlab watch -- python train.py\n"
          "          vramlab watch --attach 4711",
          with<WatchArguments>(add_options, watch)};
}

}  // namespace vramlab::tools
