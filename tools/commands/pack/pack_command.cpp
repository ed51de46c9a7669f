// `vramlab pack`: lower bounds of a history's memory, and what a planner with perfect foresight
// could do with it.

#include "tools/commands/pack/pack_report.h"
#include "tools/kit/commands.h"
#include "tools/kit/outputs.h"
#include "tools/kit/progress_bar.h"
#include "tools/kit/what_if_runs.h"

namespace vramlab::tools {
namespace {

struct PackArguments {
  std::string file;
  std::uint64_t capacity = 0;
  replay::PackingLimits limits;
  CommonFlags flags;
};

ExitStatus pack(const PackArguments& arguments) {
  PackOutcome outcome;
  outcome.file = arguments.file;
  if (arguments.capacity > 0) outcome.capacity = Bytes{arguments.capacity};
  {
    ProgressBar bar(arguments.file, arguments.flags);
    outcome.input = replay::read_pack_input(arguments.file, bar.listener());
  }
  replay::PackingLimits limits = arguments.limits;
  limits.target = outcome.capacity;
  limits.run = [](std::size_t count, const std::function<void(std::size_t)>& task) {
    run_tasks(count, usual_thread_count(), task);
  };
  outcome.results = checked_packings(outcome.input, limits);
  print(arguments.flags.json ? pack_json(outcome) : pack_text(outcome));
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
  command.add_option("--seed", arguments.limits.seed,
                     "Seed of the search for a better order (default: 1)");
}

}  // namespace

Command pack_command() {
  return {"pack", "Find how little memory a history needs, and what a planner could do",
          "Example: vramlab pack snapshot.pickle", with<PackArguments>(add_options, pack)};
}

}  // namespace vramlab::tools
