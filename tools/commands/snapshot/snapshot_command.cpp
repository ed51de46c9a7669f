// `vramlab snapshot`: what was where at a moment.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "tools/commands/snapshot/state_report.h"
#include "tools/kit/arguments.h"
#include "tools/kit/commands.h"
#include "tools/kit/moment_argument.h"
#include "tools/kit/progress_bar.h"
#include "tools/kit/replay_arguments.h"
#include "tools/kit/table_output.h"
#include "traces/files/input_error.h"
#include "traces/formats/trace_formats.h"

namespace vramlab::tools {
namespace {

struct SnapshotCommand {
  ReplayArguments replay;
  std::string at = "end";
  std::string output;
  std::uint64_t segments = 40;
  std::uint64_t pinners = 10;
  bool is_quick = false;
  std::optional<std::uint32_t> device;
  bool may_overwrite = false;
  CommonFlags flags;
};

/// A file that holds a program has states in a replay only.
class ProgramSeen : public traces::ProgramSink {
 public:
  void program_event(const traces::ProgramEvent&) override { is_seen_ = true; }
  bool is_seen() const { return is_seen_; }

 private:
  bool is_seen_ = false;
};

struct FoundStates {
  replay::StatesAtMoment at;
  std::vector<std::string> notes;
  std::unique_ptr<replay::ReplaySource> source;
  std::unique_ptr<traces::SnapshotTables> tables;
  traces::GenericPointer settings;

  traces::SnapshotTables& own_tables() { return source ? source->tables() : *tables; }
};

FoundStates replayed(const SnapshotCommand& command, ProgressBar& bar) {
  FoundStates found;
  replay::ReplayConditions conditions = conditions_of(command.replay);
  conditions.notes_origins = replay::NotesOrigins::yes;
  conditions.history_capacity = command.output.empty() ? 0 : 1'000'000;
  found.source = std::make_unique<replay::ReplaySource>(command.replay.file, std::move(conditions),
                                                        bar.listener());
  found.at = states_at(*found.source, *moment_of(command.at), command.replay.file, {});
  found.notes = found.at.report.notes;
  for (const std::string& note : notes_on(command.replay)) found.notes.push_back(note);
  found.settings = replay::settings_value(found.at.report.options, found.source->tables().texts);
  return found;
}

/// Empty if the file holds a program.
std::optional<FoundStates> recorded(const SnapshotCommand& command, ProgressBar& bar) {
  FoundStates found;
  found.tables = std::make_unique<traces::SnapshotTables>();
  traces::OpenTrace trace = traces::open_trace(command.replay.file, bar.listener());
  replay::HistoryCollector collector(scratch_place());
  ProgramSeen program;
  traces::read_trace(trace, *found.tables, {collector, program});
  if (program.is_seen()) return std::nullopt;
  const replay::RecordedHistory history = collector.take();
  const auto kept =
      command.output.empty() ? replay::StateHistory::last_event : replay::StateHistory::all;
  replay::RecordedStates states =
      recorded_states(history, found.tables->texts,
                      {*moment_of(command.at), conditions_of(command.replay).version, kept});
  if (states.states.empty() && states.doubts.empty())
    throw traces::InputError(
        {trace.file, "", "a history with such a moment (" + command.at + ")", "none"});
  found.at.states = std::move(states.states);
  found.settings = history.settings;
  found.notes = std::move(states.doubts);
  return found;
}

FoundStates states_of_all(const SnapshotCommand& command, ProgressBar& bar) {
  if (!command.replay.asks_for_replay())
    if (auto found = recorded(command, bar)) return *std::move(found);
  return replayed(command, bar);
}

FoundStates find_states(const SnapshotCommand& command, ProgressBar& bar) {
  FoundStates found = states_of_all(command, bar);
  if (!command.device) return found;
  std::erase_if(found.at.states, [&](const replay::DeviceState& state) {
    return state.device.value != *command.device;
  });
  if (found.at.states.empty())
    throw traces::InputError(
        {command.replay.file, "", "a state of device " + std::to_string(*command.device), "none"});
  return found;
}

/// One for each device that ran out of memory; without a replay the report names none.
std::vector<ToldOutOfMemory> tell(const SnapshotCommand& command,
                                  const std::vector<replay::DeviceState>& states,
                                  const replay::ReplayReport& report) {
  const replay::ReplayTry tries = command.is_quick ? replay::ReplayTry() : tries_of(command.replay);
  std::vector<ToldOutOfMemory> told;
  for (const replay::DeviceState& state : states) {
    const auto of = std::ranges::find(report.devices, state.device, &replay::DeviceReport::device);
    if (of != report.devices.end())
      told.push_back(tell_replayed(state, *of, tries));
    else if (auto recorded = tell_recorded(state, tries))
      told.push_back(*std::move(recorded));
  }
  return told;
}

std::string moment_text(const std::string& at) {
  if (at == "peak") return "at the peak";
  if (at == "oom") return "at the first out-of-memory";
  if (at == "end") return "at the end";
  const bool is_time = moment_of(at)->kind == replay::MomentKind::time;
  return (is_time ? "after " : "after event ") + shown_moment(at);
}

ExitStatus show_snapshot(const SnapshotCommand& command) {
  ProgressBar bar(command.replay.file, command.flags);
  RemovalOnInterrupt removal;
  std::optional<traces::OutputFile> output;
  if (!command.output.empty()) {
    output.emplace(command.output,
                   command.may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused);
    removal.begin({output->temporary_path()});
  }
  FoundStates found = find_states(command, bar);
  if (output) write_snapshot_file(*output, found.at, found.settings, found.own_tables());
  StateOutcome outcome{command.replay.file,    moment_text(command.at), std::move(found.at.states),
                       std::move(found.notes), command.segments,        command.pinners,
                       found.own_tables()};
  if (moment_of(command.at)->kind == replay::MomentKind::out_of_memory)
    outcome.told = tell(command, outcome.states, found.at.report);
  if (command.flags.json)
    std::fputs(state_json(outcome).c_str(), stdout);
  else if (!command.flags.quiet)
    std::fputs(state_text(outcome).c_str(), stdout);
  return ExitStatus::done;
}

void add_options(CLI::App& command, SnapshotCommand& arguments) {
  add_replay_arguments(command, arguments.replay);
  add_moment(command, "--at", arguments.at,
             "When: peak, oom, end, an event's number, or a time from the first event on, such as "
             "12.5ms or time:3s (default: end)");
  command.add_option("-o,--output", arguments.output,
                     "Write the state as a memory snapshot: a pickle, or JSON (.json)");
  command.add_option("--segments", arguments.segments,
                     "Segments to show, the largest (default: 40; 0 for all)");
  command.add_option("--pinners", arguments.pinners,
                     "Blocks to show that keep memory from being released (default: 10)");
  command.add_flag("--quick", arguments.is_quick,
                   "At an out-of-memory, skip the replays that find what would have helped");
  command.add_option("--device", arguments.device, "Only this device");
  command.add_flag("--force", arguments.may_overwrite, "Overwrite the output");
}

}  // namespace

Command snapshot_command() {
  return {"snapshot",
          "Show segments, free blocks and pinners at a moment, or write a memory snapshot",
          "Example: vramlab snapshot snapshot.pickle --at peak",
          with<SnapshotCommand>(add_options, show_snapshot)};
}

}  // namespace vramlab::tools
