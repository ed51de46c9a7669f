// `vramlab capacity`: the least device memory on which a recording runs, per setting.
#include <memory>

#include "replay/capacity.h"
#include "replay/option_grid.h"
#include "tools/capacity_report.h"
#include "tools/commands.h"
#include "tools/parallel_tasks.h"
#include "tools/table_output.h"
#include "tools/what_if_runs.h"
#include "traces/input_error.h"

namespace vramlab::tools {
namespace {

struct CapacityArguments {
  std::string file;
  std::vector<std::string> options;
  ReplayArguments replay;
  std::uint64_t replays_above = replay::CapacityEffort{}.replays_above;
  std::size_t threads = usual_thread_count();
  TableOutput output;
  CommonFlags flags;
};

std::string printed(const CapacityOutcome& outcome, const std::string& format) {
  if (format == "json") return capacity_json(outcome);
  if (format == "csv") return capacity_csv(outcome);
  return format == "markdown" ? capacity_markdown(outcome) : capacity_text(outcome);
}

void refuse_bad_options(const std::vector<std::string>& options,
                        const allocator::ReferenceVersion& version) {
  for (const std::string& conf : options) {
    if (const auto refusal = replay::refusal_of(conf, version))
      throw traces::InputError(
          {"--conf", "", "options that version " + std::string(version.name) + " takes", *refusal});
    if (allocator::backend_at_start(conf) != allocator::Backend::native)
      throw traces::InputError({"--conf", "",
                                "the native backend, whose memory can be limited to "
                                "the byte",
                                conf});
  }
}

ExitStatus capacity(const CapacityArguments& arguments) {
  start_logging(arguments.flags);
  OpenTableOutput output(arguments.output, arguments.flags, "text");
  const auto recordings =
      load_recordings({arguments.file}, arguments.replay, arguments.flags, arguments.threads);
  const replay::LoadedRecording& recording = recordings.front();
  refuse_bad_options(arguments.options, recording.version());
  CapacityOutcome outcome;
  outcome.file = recording.file();
  outcome.reference = recording.version().name;
  outcome.conditions = conditions_text(arguments.replay);
  outcome.notes = recording.notes();
  if (arguments.options.empty()) outcome.rows.push_back({recording.settings().text, true, {}});
  for (const std::string& conf : arguments.options) outcome.rows.push_back({conf, false, {}});
  run_tasks(outcome.rows.size(), arguments.threads, [&](std::size_t i) {
    replay::ReplayConditions conditions = conditions_of(arguments.replay);
    if (!outcome.rows[i].is_recorded) conditions.options = outcome.rows[i].conf;
    outcome.rows[i].answer =
        find_capacity(recording, conditions, {.replays_above = arguments.replays_above});
  });
  output.write(printed(outcome, output.format()));
  return ExitStatus::done;
}

}  // namespace

void add_capacity_command(CLI::App& program, CommandAction& action) {
  const auto arguments = std::make_shared<CapacityArguments>();
  CLI::App* command = program.add_subcommand(
      "capacity", "Find the least device memory on which a recording runs, per setting");
  command
      ->add_option("FILE", arguments->file,
                   "A recording or a program, in any format that vramlab info knows")
      ->required();
  command
      ->add_option("--conf", arguments->options,
                   "Options (PYTORCH_CUDA_ALLOC_CONF) instead of those in the file; may be given "
                   "several times")
      ->expected(1)
      ->take_all();
  add_limitless_conditions(*command, arguments->replay);
  command
      ->add_option("--replays-above", arguments->replays_above,
                   "Replays on larger devices than the answer, to see whether more memory always "
                   "helps")
      ->capture_default_str();
  command->add_option("-j,--jobs", arguments->threads, "Threads to use (default: one per core)")
      ->check(CLI::Range(1, 1024));
  add_table_output(*command, arguments->output);
  add_common_flags(*command, arguments->flags);
  command->footer(
      "Example: vramlab capacity snapshot.pickle --conf '' --conf "
      "expandable_segments:True");
  command->callback(
      [arguments, &action] { action = [arguments] { return capacity(*arguments); }; });
}

}  // namespace vramlab::tools
