// `vramlab pack`: finds lower bounds of a history's memory, and the packing of a planner with
// perfect foresight.

#include <chrono>

#include "tools/cli/commands/pack/pack_report.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/interrupts.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/what_if_runs.h"

namespace vramlab::tools {
namespace {

struct PackArguments {
  std::string file;
  std::uint64_t capacity = 0;
  std::optional<std::uint64_t> time_ns;
  replay::PackingLimits limits;
  CommonFlags flags;
};

/// Searches on all cores until all searches are done, the time is over or the user interrupts them.
void search(const PackArguments& arguments, PackOutcome& outcome) {
  using Clock = std::chrono::steady_clock;
  const StopOnInterrupt interrupt;
  const Clock::time_point begin = Clock::now();
  const auto time_is_over = [&] {
    return arguments.time_ns &&
           Clock::now() - begin >= std::chrono::nanoseconds(*arguments.time_ns);
  };
  ProgressBar bar(arguments.file, arguments.flags);
  replay::PackingLimits limits = arguments.limits;
  limits.target = outcome.capacity;
  limits.runs.run = [](std::size_t count, const std::function<void(std::size_t)>& task) {
    run_tasks(count, usual_thread_count(), task);
  };
  limits.runs.is_over = [&] { return interrupt.has_come() || time_is_over(); };
  limits.listener = [&](std::string_view heuristic, Bytes lowest) {
    bar.show(std::string(heuristic) + ", " + format_bytes(lowest) + " so far");
  };
  outcome.results = checked_packings(outcome.input, limits);
  if (interrupt.has_come())
    outcome.ended_by = EndedBy::interrupt;
  else if (outcome.was_ended())
    outcome.ended_by = EndedBy::time;
}

ExitStatus pack(const PackArguments& arguments) {
  PackOutcome outcome;
  outcome.file = arguments.file;
  if (arguments.capacity > 0) outcome.capacity = Bytes{arguments.capacity};
  {
    ProgressBar bar(arguments.file, arguments.flags);
    traces::OpenBytes bytes = traces::open_bytes(arguments.file, bar.listener());
    outcome.input = traces::begins_like_buffer_list(bytes.start)
                        ? replay::read_pack_list(bytes)
                        : replay::pack_input_of(*open_recording(open_input(std::move(bytes)),
                                                                {.passes = replay::Passes::one}));
  }
  search(arguments, outcome);
  print(arguments.flags.json ? pack_json(outcome) : pack_text(outcome));
  if (outcome.ended_by == EndedBy::interrupt) return ExitStatus::interrupted;
  return outcome.capacity && !outcome.all_fit() ? ExitStatus::answer_is_no : ExitStatus::done;
}

void add_options(CLI::App& command, PackArguments& arguments) {
  add_file(command, arguments.file,
           "A recording or a program in any format that vramlab info reads, or a list of "
           "buffers in the CSV of MiniMalloc (also .gz, .zst; - is standard input)");
  command
      .add_option("--capacity", arguments.capacity,
                  "Check that the best packing fits into this, such as 20GiB (exit status 1 "
                  "if not)")
      ->transform(size_in_bytes())
      ->check(refusal_of_nothing);
  command.add_option("--seed", arguments.limits.seed, "Seed of the searches (default: 1)");
  command
      .add_option("--time", arguments.time_ns,
                  "End the searches after this time, such as 10s, with the best so far; another "
                  "run may find another one (default: as long as their budget of work lasts)")
      ->transform(time_in_nanoseconds())
      ->check(refusal_of_nothing);
}

}  // namespace

Command pack_command() {
  return {"pack", "Find how little memory a history needs, and what a planner could do",
          "Example: vramlab pack snapshot.pickle", with<PackArguments>(add_options, pack)};
}

}  // namespace vramlab::tools
