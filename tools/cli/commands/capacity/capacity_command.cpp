// `vramlab capacity`: the least device memory on which a recording runs, per setting.

#include <limits>
#include <optional>

#include "replay/replayer/ordered_device.h"
#include "replay/replayer/replay_setup.h"
#include "replay/settings_search/capacity.h"
#include "replay/settings_search/sweep.h"
#include "tools/cli/commands/capacity/capacity_report.h"
#include "tools/cli/commands/pack/packing_beside.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/progress_bar.h"
#include "tools/cli/kit/what_if_runs.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

struct CapacityArguments {
  std::string file;
  std::vector<std::string> options;
  ReplayArguments replay;
  std::optional<std::uint64_t> replays_above{};
  /// Known of a list of buffers.
  std::uint64_t capacity = 0;
  std::size_t threads = usual_thread_count();
  TableOutput output;
  CommonFlags flags;
};

std::string printed(const CapacityOutcome& outcome, const std::string& format) {
  if (format == "json") return capacity_json(outcome);
  if (format == "csv") return capacity_csv(outcome);
  return format == "markdown" ? capacity_markdown(outcome) : capacity_text(outcome);
}

void refuse_settings(const CapacityArguments& arguments) {
  if (!arguments.options.empty() || !conditions_text(arguments.replay).empty())
    throw traces::InputError({arguments.file, "",
                              "a recording or a program, which --conf and other "
                              "conditions are for",
                              "a list of buffers"});
}

/// A number that was asked for is the only limit, however long the replays take.
replay::CapacityEffort effort_of(const CapacityArguments& arguments) {
  if (!arguments.replays_above) return {};
  return {*arguments.replays_above, std::numeric_limits<std::uint64_t>::max()};
}

/// The rows and, as one more task, the packing.
void find_all(const replay::Replayer& replayer, const CapacityArguments& arguments,
              CapacityOutcome& outcome) {
  const replay::ReplayConditions asked = conditions_of(arguments.replay);
  const std::size_t rows = outcome.rows.size();
  run_tasks(rows + 1, arguments.threads, [&](std::size_t i) {
    if (i == rows) {
      outcome.packing = packing_beside(replayer, asked);
      return;
    }
    replay::ReplayConditions conditions = asked;
    const replay::AskedSetting& setting = outcome.rows[i].setting;
    if (!setting.is_recorded) conditions.options = setting.conf;
    outcome.rows[i].answer = find_capacity(replayer, conditions, effort_of(arguments));
  });
}

void note_models(const replay::Replayer& replayer, CapacityOutcome& outcome) {
  for (const CapacityRow& row : outcome.rows) {
    replay::ReplayConditions conditions;
    if (!row.setting.is_recorded) conditions.options = row.setting.conf;
    const allocator::Settings settings = replayer.settings_for(conditions);
    if (settings.backend == allocator::Backend::native) continue;
    outcome.about.notes.push_back(replay::modelled_backend_note(settings));
    return;
  }
}

CapacityOutcome of_recording(traces::OpenBytes bytes, const CapacityArguments& arguments) {
  if (arguments.capacity > 0)
    throw traces::InputError({"--capacity", "", "a list of buffers, whose capacity is known",
                              "a recording or a program"});
  const std::unique_ptr<replay::Recording> recording =
      open_recording(open_input(std::move(bytes)), {conditions_of(arguments.replay).version});
  const replay::Replayer replayer(*recording);
  refuse_bad_options(arguments.options, replayer.version());
  CapacityOutcome outcome;
  outcome.about = asked_what_if({replayer.file()}, {&replayer}, arguments.replay);
  refuse_full_device(conditions_of(arguments.replay), replay::boundless_memory);
  if (arguments.options.empty()) outcome.rows.push_back({{replayer.settings().text, true}, {}});
  for (const std::string& conf : arguments.options) outcome.rows.push_back({{conf, false}, {}});
  note_models(replayer, outcome);
  find_all(replayer, arguments, outcome);
  return outcome;
}

CapacityOutcome of_list(traces::OpenBytes& bytes, const CapacityArguments& arguments,
                        const std::string& format) {
  refuse_settings(arguments);
  if (format != "text" && format != "json")
    throw traces::InputError({"--format", "", "text or json of a list of buffers", format});
  CapacityOutcome outcome;
  PackOutcome& packing = outcome.packing;
  packing.file = bytes.file;
  if (arguments.capacity > 0) packing.capacity = Bytes{arguments.capacity};
  packing.input = replay::read_pack_list(bytes);
  packing.results = checked_packings(packing.input, {});
  return outcome;
}

ExitStatus capacity(const CapacityArguments& arguments) {
  const std::string format = wanted_format(arguments.output, arguments.flags);
  OpenOutput output(arguments.output);
  CapacityOutcome outcome;
  {
    ProgressBar bar(arguments.file, arguments.flags);
    traces::OpenBytes bytes = traces::open_bytes(arguments.file, bar.listener());
    const std::string file = bytes.file;
    outcome = traces::begins_like_buffer_list(bytes.start)
                  ? of_list(bytes, arguments, format)
                  : of_recording(std::move(bytes), arguments);
    outcome.about.files = {file};
  }
  output.finish(printed(outcome, format));
  const bool fits = !outcome.packing.capacity || outcome.packing.all_fit();
  return fits ? ExitStatus::done : ExitStatus::answer_is_no;
}

void add_options(CLI::App& command, CapacityArguments& arguments) {
  add_file(command, arguments.file,
           "A recording or a program, in any format that vramlab info knows, or a list of "
           "buffers in the CSV of MiniMalloc (- is standard input)");
  add_several_confs(command, arguments.options,
                    "Options (PYTORCH_CUDA_ALLOC_CONF) instead of those in the file");
  add_limitless_conditions(command, arguments.replay);
  command.add_option("--replays-above", arguments.replays_above,
                     "Replays on larger devices than the answer, to see whether more memory always "
                     "helps (default: 1000, and fewer once they went through 250 million events)");
  command
      .add_option("--capacity", arguments.capacity,
                  "For a list of buffers: check that the best packing fits into this, such as "
                  "1MiB (exit status 1 if not)")
      ->transform(size_in_bytes())
      ->check(CLI::PositiveNumber);
  add_jobs(command, arguments.threads);
  add_table_output(command, arguments.output);
}

}  // namespace

Command capacity_command() {
  return {"capacity", "Find the least device memory on which a recording runs, per setting",
          "Example: vramlab capacity snapshot.pickle --conf '' --conf "
          "expandable_segments:True",
          with<CapacityArguments>(add_options, capacity)};
}

}  // namespace vramlab::tools
