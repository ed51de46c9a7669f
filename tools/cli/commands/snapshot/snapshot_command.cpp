// `vramlab snapshot`: shows the segments and blocks at a moment.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "replay/metrics/fragmentation.h"
#include "replay/recording/recorded_states.h"
#include "replay/replayer/replayed_states.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/explanation_report.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/fragmentation_text.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"
#include "traces/model/user_frame.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

struct HostStateOutcome {
  std::string file;
  /// Such as `at the end`.
  std::string moment;
  replay::HostState found;
  const traces::SnapshotTables& tables;
  /// Blocks to show, the largest; 0 for all.
  std::uint64_t block_limit = 0;
};

/// A block is handed out whole, so it is a segment.
struct HostBlock {
  SnapshotBlock block;
  PoolId pool;
  const replay::RequestOrigin* origin = nullptr;
};

std::vector<HostBlock> blocks_of(const replay::DeviceState& state) {
  std::vector<HostBlock> blocks;
  for (const SnapshotSegment& segment : state.snapshot.segments)
    for (const SnapshotBlock& block : segment.blocks) {
      const auto origin = state.origins.find(block.address);
      blocks.push_back(
          {block, segment.pool, origin == state.origins.end() ? nullptr : &origin->second});
    }
  return blocks;
}

struct HostSums {
  Bytes pinned;
  Bytes allocated;
  Bytes waiting;
  Bytes free;
};

HostSums sums_of(const std::vector<HostBlock>& blocks) {
  HostSums sums;
  for (const HostBlock& shown : blocks) {
    const SnapshotBlock& block = shown.block;
    sums.pinned += block.size;
    if (block.state == BlockState::active_allocated)
      sums.allocated += block.size;
    else if (block.state == BlockState::active_pending_free)
      sums.waiting += block.size;
    else
      sums.free += block.size;
  }
  return sums;
}

std::optional<std::string> call_site(const HostBlock& shown, const traces::SnapshotTables& tables) {
  if (shown.origin == nullptr) return std::nullopt;
  const auto frame = traces::innermost_user_frame(shown.origin->stack, tables);
  if (!frame) return std::nullopt;
  return traces::frame_text(*frame, tables);
}

std::string state_word(BlockState state) {
  if (state == BlockState::active_allocated) return "in use";
  return state == BlockState::active_pending_free ? "waiting" : "free";
}

std::string blocks_text(std::vector<HostBlock> blocks, const HostStateOutcome& outcome) {
  std::ranges::stable_sort(
      blocks, [](const HostBlock& a, const HostBlock& b) { return a.block.size > b.block.size; });
  Table table({left("address", 18), {"size", 11}, left("state", 8), left("call site")});
  const std::size_t shown = shown_of(blocks.size(), outcome.block_limit);
  for (std::size_t i = 0; i < shown; ++i) {
    const HostBlock& one = blocks[i];
    std::string site = call_site(one, outcome.tables).value_or("");
    if (one.pool != default_pool) site += (site.empty() ? "pool " : ", pool ") + name_of(one.pool);
    table.add({name_of(one.block.address), format_bytes(one.block.size),
               state_word(one.block.state), site});
  }
  return table.text() + rest_line(blocks.size() - shown, "--segments", "smaller blocks");
}

ordered_json block_json(const HostBlock& shown, const traces::SnapshotTables& tables) {
  const auto event = shown.origin == nullptr ? std::nullopt : shown.origin->event;
  const auto time_ns = shown.origin == nullptr ? std::nullopt : shown.origin->time_ns;
  return {{"address", shown.block.address.value},
          {"bytes", shown.block.size.count},
          {"state", block_state_name(shown.block.state)},
          {"pool_id", {shown.pool.graph, shown.pool.user}},
          {"event", or_null(event)},
          {"time_ns", or_null(time_ns)},
          {"call_site", or_null(call_site(shown, tables))}};
}

std::string host_state_text(const HostStateOutcome& outcome) {
  std::string text = shown_name(outcome.file) + ", " + outcome.moment + "\n";
  for (const std::string& note : outcome.found.notes) text += "  note: " + shown_name(note) + "\n";
  const std::vector<HostBlock> blocks = blocks_of(outcome.found.state);
  const HostSums sums = sums_of(blocks);
  text += "pinned host memory: " + format_bytes(sums.pinned) + " pinned in " +
          std::to_string(blocks.size()) + (blocks.size() == 1 ? " block\n" : " blocks\n");
  text += "  " + format_bytes(sums.allocated) + " in use, " + format_bytes(sums.waiting) +
          " waiting, " + format_bytes(sums.free) + " free\n";
  return text + blocks_text(blocks, outcome);
}

std::string host_state_json(const HostStateOutcome& outcome) {
  const std::vector<HostBlock> blocks = blocks_of(outcome.found.state);
  const HostSums sums = sums_of(blocks);
  const auto of_block = [&](const auto& block) { return block_json(block, outcome.tables); };
  return json_text({{"schema_version", 2},
                    {"file", outcome.file},
                    {"moment", outcome.moment},
                    {"notes", outcome.found.notes},
                    {"metrics", ordered_json::object()},
                    {"out_of_memory", ordered_json::array()},
                    {"devices", ordered_json::array()},
                    {"host",
                     {{"pinned_bytes", sums.pinned.count},
                      {"allocated_bytes", sums.allocated.count},
                      {"waiting_bytes", sums.waiting.count},
                      {"free_bytes", sums.free.count},
                      {"blocks", json_list(blocks, of_block)}}}});
}

struct StateOutcome {
  std::string file;
  /// Such as `at the end`.
  std::string moment;
  std::vector<replay::DeviceState> states;
  std::vector<std::string> notes;
  /// Segments to show of each device, the largest; 0 for all.
  std::uint64_t segment_limit = 0;
  /// Pinners to show of each device.
  std::uint64_t pinner_limit = 0;
  /// The tables of the states' stacks.
  const traces::SnapshotTables& tables;
  /// Set if the moment is an out-of-memory.
  std::vector<replay::FailureExplanation> explained = {};
};

constexpr std::size_t map_width = 48;

std::string segment_line(const SnapshotSegment& segment) {
  std::string pool = pool_name(segment.pool, segment.kind);
  if (segment.is_expandable) pool += ", expandable";
  return "  " + name_of(segment.address) + "  " + padded(format_bytes(segment.total_size), 11) +
         replay::occupancy_map(segment, map_width) + "  " + pool + ", stream " +
         std::to_string(segment.stream.value) + "\n";
}

/// The largest segments, in order of address.
std::vector<const SnapshotSegment*> shown_segments(const Snapshot& snapshot, std::uint64_t limit) {
  std::vector<const SnapshotSegment*> shown;
  for (const SnapshotSegment& segment : snapshot.segments) shown.push_back(&segment);
  if (limit == 0 || limit >= shown.size()) return shown;
  std::ranges::stable_sort(shown, [](const SnapshotSegment* a, const SnapshotSegment* b) {
    return a->total_size > b->total_size;
  });
  shown.resize(as_index(limit));
  std::ranges::sort(shown, [](const SnapshotSegment* a, const SnapshotSegment* b) {
    return a->address < b->address;
  });
  return shown;
}

std::string map_text(const replay::DeviceState& state, std::uint64_t limit) {
  std::string text;
  const auto shown = shown_segments(state.snapshot, limit);
  for (const SnapshotSegment* segment : shown) text += segment_line(*segment);
  return text +
         rest_line(state.snapshot.segments.size() - shown.size(), "--segments", "smaller segments");
}

std::string device_text(const StateOutcome& outcome, const replay::DeviceState& state) {
  const replay::Fragmentation found = find_fragmentation(state.snapshot, state.rules);
  const replay::StateFigures& total = found.total;
  std::string text = "device " + std::to_string(state.device.value) + ": " +
                     format_bytes(total.reserved) + " reserved in " +
                     std::to_string(total.segments) + " segments, " + std::to_string(total.blocks) +
                     " blocks\n";
  text += "  " + format_bytes(total.allocated) + " allocated, " + format_bytes(total.waiting) +
          " waiting, " + format_bytes(total.free) + " free (largest block " +
          format_bytes(total.largest_free) + ")\n";
  return text + figures_text(found) + map_text(state, outcome.segment_limit) + holes_text(state) +
         pinners_text(state, outcome.tables, as_limit(outcome.pinner_limit));
}

replay::StateFigures sum_of(const std::vector<replay::DeviceState>& states) {
  replay::StateFigures sum;
  for (const replay::DeviceState& state : states)
    sum += find_fragmentation(state.snapshot, state.rules).total;
  return sum;
}

ordered_json block_json(const SnapshotBlock& block) {
  return {{"address", block.address.value},
          {"bytes", block.size.count},
          {"requested_bytes", block.requested.count},
          {"state", block_state_name(block.state)}};
}

ordered_json segment_json(const SnapshotSegment& segment) {
  return {{"address", segment.address.value},
          {"total_bytes", segment.total_size.count},
          {"stream", segment.stream.value},
          {"pool_kind", pool_kind_name(segment.kind)},
          {"pool_id", {segment.pool.graph, segment.pool.user}},
          {"is_expandable", segment.is_expandable},
          {"map", replay::occupancy_map(segment, map_width)},
          {"blocks", json_list(segment.blocks, block_json)}};
}

ordered_json device_json(const StateOutcome& outcome, const replay::DeviceState& state) {
  const replay::StateFigures total = find_fragmentation(state.snapshot, state.rules).total;
  ordered_json json = {{"device", state.device.value},
                       {"reserved_bytes", total.reserved.count},
                       {"allocated_bytes", total.allocated.count},
                       {"waiting_bytes", total.waiting.count},
                       {"free_bytes", total.free.count},
                       {"largest_free_bytes", total.largest_free.count},
                       {"releasable_bytes", total.releasable.count}};
  add_fragmentation(json, state, outcome.tables, as_limit(outcome.pinner_limit));
  json["segments"] = json_list(state.snapshot.segments, segment_json);
  return json;
}

std::string state_text(const StateOutcome& outcome) {
  std::string text =
      shown_name(outcome.file) + ", " + outcome.moment + "   (# in use, ~ waiting, . free)\n";
  for (const std::string& note : outcome.notes) text += "  note: " + shown_name(note) + "\n";
  for (const replay::FailureExplanation& explained : outcome.explained)
    text += answer_of(explained, outcome.tables).text();
  for (const replay::DeviceState& state : outcome.states) text += device_text(outcome, state);
  return text;
}

std::string state_json(const StateOutcome& outcome) {
  const auto of_device = [&](const auto& state) { return device_json(outcome, state); };
  const auto of_failure = [&](const auto& explained) {
    return out_of_memory_json(explained, outcome.tables);
  };
  return json_text({{"schema_version", 2},
                    {"file", outcome.file},
                    {"moment", outcome.moment},
                    {"notes", outcome.notes},
                    {"metrics", metrics_json(state_metrics(sum_of(outcome.states)))},
                    {"out_of_memory", json_list(outcome.explained, of_failure)},
                    {"devices", json_list(outcome.states, of_device)},
                    {"host", nullptr}});
}

struct SnapshotCommand {
  ReplayArguments replay;
  std::string at = "end";
  OutputArguments output;
  std::uint64_t segments = 40;
  std::uint64_t pinners = 10;
  bool is_quick = false;
  std::optional<std::uint32_t> device;
  bool host = false;
  CommonFlags flags;
};

struct FoundStates {
  replay::StatesAtMoment at;
  std::vector<std::string> notes;
  traces::GenericPointer settings;
};

FoundStates replayed(replay::Recording& recording, const SnapshotCommand& command) {
  FoundStates found;
  replay::ReplayConditions conditions = conditions_of(command.replay);
  conditions.notes_origins = replay::NotesOrigins::yes;
  conditions.history_capacity = command.output.path.empty() ? 0 : 1'000'000;
  found.at = states_at(replay::Replayer(recording), conditions, *moment_of(command.at),
                       replay::ReplayWatch());
  found.notes = found.at.report.notes;
  for (const std::string& note : notes_on(command.replay)) found.notes.push_back(note);
  found.settings = replay::settings_value(found.at.report.options, recording.tables().texts);
  return found;
}

FoundStates recorded(replay::Recording& recording, const SnapshotCommand& command) {
  FoundStates found;
  const auto kept =
      command.output.path.empty() ? replay::StateHistory::last_event : replay::StateHistory::all;
  replay::RecordedStates states = recorded_states(recording, *moment_of(command.at), kept);
  if (states.states.empty())
    throw traces::InputError({recording.file(), "",
                              "a history with such a moment (" + command.at + ")",
                              states.doubts.empty() ? "none" : states.doubts.front()});
  found.at.states = std::move(states.states);
  found.settings = recording.history().settings;
  found.notes = std::move(states.doubts);
  return found;
}

/// A program has states in a replay only.
FoundStates states_of_all(replay::Recording& recording, const SnapshotCommand& command) {
  const bool is_replayed = command.replay.asks_for_replay() || recording.is_program();
  return is_replayed ? replayed(recording, command) : recorded(recording, command);
}

FoundStates find_states(replay::Recording& recording, const SnapshotCommand& command) {
  FoundStates found = states_of_all(recording, command);
  if (!command.device) return found;
  std::erase_if(found.at.states, [&](const replay::DeviceState& state) {
    return state.device.value != *command.device;
  });
  if (found.at.states.empty())
    throw traces::InputError(
        {command.replay.file, "", "a state of device " + std::to_string(*command.device), "none"});
  return found;
}

/// One explanation for each device that ran out of memory; without a replay the report names none.
/// `search`: null to look for nothing that would have helped.
std::vector<replay::FailureExplanation> explanations(replay::Recording& recording,
                                                     const std::vector<replay::DeviceState>& states,
                                                     const replay::ReplayReport& report,
                                                     const replay::HelpSearch* search) {
  std::vector<replay::FailureExplanation> explained;
  for (const replay::DeviceState& state : states) {
    const auto of = std::ranges::find(report.devices, state.device, &replay::DeviceReport::device);
    if (of != report.devices.end())
      explained.push_back(explain_replayed(state, *of, recording.tables(), search));
    else if (auto recorded = explain_recorded(state, recording, search))
      explained.push_back(*std::move(recorded));
  }
  return explained;
}

/// Explains the failures of the states. Where the recording cannot be replayed, nothing that would
/// have helped is looked for, and a note says why.
void explain(replay::Recording& recording, const SnapshotCommand& command,
             const replay::ReplayReport& report, StateOutcome& outcome) {
  const bool is_replay = !report.devices.empty();
  const auto has_failed = [&](const replay::DeviceState& state) {
    return is_replay || refused_by(state).has_value();
  };
  if (!command.is_quick && std::ranges::any_of(outcome.states, has_failed)) {
    try {
      const replay::Replayer replayer(recording);
      const replay::HelpSearch search{replayer, conditions_of(command.replay), settings_runner(),
                                      replay_effort()};
      outcome.explained = explanations(recording, outcome.states, report, &search);
      return;
    } catch (const traces::InputError& error) {
      if (is_replay) throw;
      outcome.notes.push_back("nothing that would have helped was looked for: " +
                              std::string(error.what()));
    }
  }
  outcome.explained = explanations(recording, outcome.states, report, nullptr);
}

/// A recording's own failures may also be asked about by their events.
bool is_explained(const SnapshotCommand& command, const replay::ReplayReport& report) {
  const replay::MomentKind kind = moment_of(command.at)->kind;
  return kind == replay::MomentKind::out_of_memory ||
         (kind == replay::MomentKind::event && report.devices.empty());
}

std::string moment_text(const std::string& at) {
  if (at == "peak") return "at the peak of allocated memory";
  if (at == "peak_reserved") return "at the peak of reserved memory";
  if (at == "oom") return "at the first out-of-memory";
  if (at == "end") return "at the end";
  const bool is_time = moment_of(at)->kind == replay::MomentKind::time;
  return (is_time ? "after " : "after event ") + shown_moment(at);
}

ExitStatus show_host(replay::Recording& recording, const SnapshotCommand& command) {
  const auto from = command.replay.asks_for_replay() ? replay::HostStateFrom::replay
                                                     : replay::HostStateFrom::recording;
  const HostStateOutcome outcome{
      command.replay.file, moment_text(command.at),
      host_state_at(recording, *moment_of(command.at), conditions_of(command.replay), from),
      recording.tables(), command.segments};
  if (command.flags.json)
    print(host_state_json(outcome));
  else if (!command.flags.quiet)
    print(host_state_text(outcome));
  return ExitStatus::done;
}

ExitStatus show_states(replay::Recording& recording, const SnapshotCommand& command) {
  const bool goes_to_standard_output = !command.output.path.empty() && !command.output.is_file();
  if (goes_to_standard_output && command.flags.json)
    throw traces::InputError({"-o", "", "a file beside --json", "standard output"});
  OpenOutput output(command.output, {command.replay.file});
  FoundStates found = find_states(recording, command);
  if (!command.output.path.empty()) {
    write_snapshot(output, command.output.path, found.at, found.settings, recording.tables());
    output.finish();
    if (goes_to_standard_output) return ExitStatus::done;
  }
  StateOutcome outcome{command.replay.file,    moment_text(command.at), std::move(found.at.states),
                       std::move(found.notes), command.segments,        command.pinners,
                       recording.tables()};
  if (is_explained(command, found.at.report)) explain(recording, command, found.at.report, outcome);
  if (command.flags.json)
    print(state_json(outcome));
  else if (!command.flags.quiet)
    print(state_text(outcome));
  return ExitStatus::done;
}

ExitStatus show_snapshot(const SnapshotCommand& command) {
  ProgressBar bar(command.replay.file, command.flags);
  replay::OpenConditions conditions{conditions_of(command.replay).version};
  if (command.host) conditions.host_alone = traces::HostAlone::allowed;
  const std::unique_ptr<replay::Recording> recording =
      open_recording(command.replay.file, bar.listener(), conditions);
  return command.host ? show_host(*recording, command) : show_states(*recording, command);
}

void add_options(CLI::App& command, SnapshotCommand& arguments) {
  add_replay_arguments(command, arguments.replay);
  add_moment(command, "--at", arguments.at,
             "When: peak (of allocated memory), peak_reserved, oom, end, an event's number, or a "
             "time from the first event on, such as 12.5ms or time:3s (default: end)");
  add_output(command, arguments.output,
             "Write the state as a memory snapshot: a pickle, or JSON (.json); - is standard "
             "output, which gets nothing else then");
  command.add_option(
      "--segments", arguments.segments,
      "Segments to show, the largest, or blocks with --host (default: 40; 0 for all)");
  command.add_option("--pinners", arguments.pinners,
                     "Blocks to show that keep memory from being released (default: 10)");
  command.add_flag("--quick", arguments.is_quick,
                   "At an out-of-memory, skip the replays that find what would have helped");
  CLI::Option* device = command.add_option("--device", arguments.device, "Only this device");
  command
      .add_flag("--host", arguments.host,
                "The blocks of pinned host memory instead of GPUs' memory: of recordings since "
                "PyTorch 2.14 and of programs with events about it")
      ->excludes(device)
      ->excludes(command.get_option("--output"));
  add_force(command, arguments.output);
}

}  // namespace

Command snapshot_command() {
  return {"snapshot",
          "Show segments, free blocks and pinners at a moment, or write a memory snapshot",
          "Example: vramlab snapshot snapshot.pickle --at peak",
          with<SnapshotCommand>(add_options, show_snapshot)};
}

}  // namespace vramlab::tools
