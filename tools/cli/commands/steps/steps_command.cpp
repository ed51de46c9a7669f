// `vramlab steps`: a program event by event, with the rules of the allocator that acted.
#include <string>

#include "allocator/types/check.h"
#include "tools/cli/commands/steps/steps_report.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/progress_bar.h"
#include "tools/cli/kit/replay_arguments.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

constexpr std::uint64_t usual_count = 100;

struct StepsArguments {
  ReplayArguments replay;
  replay::StepRange range{0, usual_count};
  CommonFlags flags;
};

ExitStatus show_steps(const StepsArguments& arguments) {
  ProgressBar bar(arguments.replay.file, arguments.flags);
  replay::ReplayConditions conditions = conditions_of(arguments.replay);
  conditions.history_capacity = replay::unlimited_history;
  const ReplayedFile file = open_replayed(arguments.replay.file, bar.listener(),
                                          {conditions.version, {}, replay::Passes::one});
  StepsOutcome outcome{traces::input_name(arguments.replay.file), {}, {}, arguments.range};
  outcome.report = file.replayer.run(conditions, watch_steps(arguments.range, outcome.steps));
  for (const std::string& note : notes_on(arguments.replay)) outcome.report.notes.push_back(note);
  print(arguments.flags.json ? steps_json(outcome, file.replayer.tables())
                             : steps_text(outcome, file.replayer.tables()));
  return ExitStatus::done;
}

void add_options(CLI::App& command, StepsArguments& arguments) {
  add_replay_arguments(command, arguments.replay);
  command.add_option("--from", arguments.range.first, "The first event to show (default: 0)");
  command.add_option("--count", arguments.range.count,
                     "So many events (default: " + std::to_string(usual_count) + ")");
}

}  // namespace

Command steps_command() {
  return {"steps", "Show what the allocator does at each event, and by which of its rules",
          "Example: vramlab steps program.vtrace.jsonl --conf expandable_segments:True",
          with<StepsArguments>(add_options, show_steps)};
}

}  // namespace vramlab::tools
