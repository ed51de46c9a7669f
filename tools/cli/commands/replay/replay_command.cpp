// `vramlab replay`: what other options, another GPU or another version would have done with a
// recorded program.
#include <string>

#include "allocator/types/check.h"
#include "replay/replayer/device_replay.h"
#include "replay/replayer/replay_watch.h"
#include "tools/cli/commands/replay/replay_outcome.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/moment_argument.h"
#include "tools/cli/kit/out_of_memory_report.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/progress_bar.h"
#include "tools/cli/kit/replay_arguments.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

class TimelineFile {
 public:
  TimelineFile(const std::string& path, traces::Overwrite overwrite) : output_(path, overwrite) {
    output_.write(
        "event,time_ns,device,requested_bytes,allocated_bytes,active_bytes,reserved_bytes\n");
  }

  /// One line, unless the event changed none of the figures.
  void add(const replay::DeviceReplay& replay, const traces::ProgramEvent& event,
           std::uint64_t number) {
    const StatisticValues values = replay.statistics();
    std::string figures;
    for (const allocator::PooledStatistic* value :
         {&values.requested_bytes, &values.allocated_bytes, &values.active_bytes,
          &values.reserved_bytes})
      figures += "," + std::to_string(value->all.current);
    std::string& last = last_figures_[replay.device()];
    if (figures == last) return;
    const std::string time = event.time_ns ? std::to_string(*event.time_ns) : std::string();
    output_.write(std::to_string(number) + "," + time + "," +
                  std::to_string(replay.device().value) + figures + "\n");
    last = std::move(figures);
  }
  void finish() { output_.finish(); }
  const std::string& temporary_path() const { return output_.temporary_path(); }

 private:
  traces::OutputFile output_;
  std::map<traces::DeviceIndex, std::string> last_figures_;
};

struct ReplayCommand {
  ReplayArguments replay;
  std::string snapshot_out;
  std::string snapshot_at;
  std::string timeline;
  std::uint64_t history = 1'000'000;
  bool fails_on_out_of_memory = false;
  bool may_overwrite = false;
  CommonFlags flags;

  bool explains_failures() const { return replay.on_out_of_memory == "report"; }
  /// A moment before the end is found in one replay and shown in the next.
  bool goes_through_once() const {
    return !explains_failures() &&
           (snapshot_out.empty() || moment_of(snapshot_at)->kind == replay::MomentKind::end);
  }
  traces::Overwrite overwrite() const {
    return may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused;
  }
};

/// The timeline and the snapshot that were asked for. Opened before the replay, which can take
/// long: a name that can't be written to is refused at once.
class ReplayOutputs {
 public:
  explicit ReplayOutputs(const ReplayCommand& command) {
    if (!command.timeline.empty() && command.timeline == command.snapshot_out)
      throw traces::InputError(
          {"--timeline", "", "another file than --snapshot-out", command.timeline});
    std::vector<std::string> unfinished;
    if (!command.timeline.empty()) {
      timeline_.emplace(command.timeline, command.overwrite());
      unfinished.push_back(timeline_->temporary_path());
    }
    if (!command.snapshot_out.empty()) {
      snapshot_.emplace(command.snapshot_out, command.overwrite());
      unfinished.push_back(snapshot_->temporary_path());
    }
    removal_.begin(std::move(unfinished));
  }

  replay::ReplayReport run(const replay::Replayer& replayer,
                           const replay::ReplayConditions& conditions,
                           const ReplayCommand& command) {
    replay::ReplayReport report = snapshot_ ? run_with_snapshot(replayer, conditions, command)
                                            : replayer.run(conditions, watch());
    if (timeline_) timeline_->finish();
    return report;
  }

 private:
  replay::ReplayWatch watch() {
    replay::ReplayWatch watch;
    if (timeline_)
      watch.after_event = [this](replay::DeviceReplay& device, const traces::ProgramEvent& event,
                                 std::uint64_t number) { timeline_->add(device, event, number); };
    return watch;
  }

  replay::ReplayReport run_with_snapshot(const replay::Replayer& replayer,
                                         const replay::ReplayConditions& conditions,
                                         const ReplayCommand& command) {
    const replay::StatesAtMoment at =
        states_at(replayer, conditions, *moment_of(command.snapshot_at), watch());
    traces::SnapshotTables& tables = replayer.tables();
    write_snapshot_file(*snapshot_, at, replay::settings_value(at.report.options, tables.texts),
                        tables);
    return at.report;
  }

  RemovalOnInterrupt removal_;
  std::optional<TimelineFile> timeline_;
  std::optional<traces::OutputFile> snapshot_;
};

/// Adds, for each device, why its first request failed and what would have helped.
void explain_failures(const ReplayedFile& file, const replay::ReplayConditions& conditions,
                      const ReplayCommand& command, ReplayOutcome& outcome) {
  if (!outcome.report.has_failures()) return;
  const auto states =
      states_at(file.replayer, conditions, {replay::MomentKind::out_of_memory}, outcome.report);
  const replay::ReplayTry tries = tries_of(*file.recording, command.replay);
  for (const replay::DeviceState& state : states)
    for (const replay::DeviceReport& device : outcome.report.devices) {
      if (device.device != state.device || device.failures.empty()) continue;
      const OutOfMemoryExplanation explained = explain_replayed(state, device, tries);
      outcome.explained_text += out_of_memory_text(explained, file.replayer.tables());
      outcome.explained.push_back(out_of_memory_json(explained, file.replayer.tables()));
    }
}

ExitStatus replay_file(const ReplayCommand& command) {
  ProgressBar bar(command.replay.file, command.flags);
  replay::ReplayConditions conditions = conditions_of(command.replay);
  if (!command.snapshot_out.empty()) conditions.history_capacity = as_limit(command.history);
  if (!command.snapshot_out.empty() || command.explains_failures())
    conditions.notes_origins = replay::NotesOrigins::yes;
  const auto passes = command.goes_through_once() ? replay::Passes::one : replay::Passes::many;
  const auto file =
      open_kept(command.replay.file, bar.listener(), {conditions.version, {}, passes});
  ReplayOutcome outcome{command.replay.file,
                        ReplayOutputs(command).run(file->replayer, conditions, command),
                        command.explains_failures() || command.flags.verbose};
  for (const std::string& note : notes_on(command.replay)) outcome.report.notes.push_back(note);
  if (command.explains_failures()) explain_failures(*file, conditions, command, outcome);
  print(command.flags.json ? replay_json(outcome) : replay_text(outcome));
  return command.fails_on_out_of_memory && outcome.report.has_failures() ? ExitStatus::answer_is_no
                                                                         : ExitStatus::done;
}

void add_outputs(CLI::App& command, ReplayCommand& arguments) {
  CLI::Option* out =
      command.add_option("--snapshot-out", arguments.snapshot_out,
                         "Write the state as a memory snapshot: a pickle, or JSON (.json)");
  add_moment(command, "--snapshot-at", arguments.snapshot_at,
             "When: peak, oom, end, an event's number or a time such as 12.5ms (default: end)")
      ->default_str("end")
      ->needs(out);
  arguments.snapshot_at = "end";
  command
      .add_option("--history", arguments.history,
                  "Entries of history in the snapshot, at most (default: a million)")
      ->needs(out);
  command.add_option("--timeline", arguments.timeline,
                     "Write current memory after each event, as CSV");
  command.add_flag("--fail-on-oom", arguments.fails_on_out_of_memory,
                   "Exit with 1 if a request fails");
  command.add_flag("--force", arguments.may_overwrite, "Overwrite outputs");
}

void add_options(CLI::App& command, ReplayCommand& arguments) {
  add_replay_arguments(command, arguments.replay);
  add_outputs(command, arguments);
}

}  // namespace

Command replay_command() {
  return {"replay", "Replay a recording under other options, on another GPU or in another version",
          "Example: vramlab replay snapshot.pickle --conf expandable_segments:True --gpu a100-80gb",
          with<ReplayCommand>(add_options, replay_file)};
}

}  // namespace vramlab::tools
