#include "replay/replayer/host_states.h"

#include <algorithm>
#include <optional>

#include "replay/recording/history_checks.h"
#include "replay/recording/recorded_states.h"
#include "replay/replayer/host_replay.h"
#include "replay/replayer/replay_source.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using traces::InputError;

/// How many entries were before the moment, as `moment` counts events of the program.
Moment among_entries(const Moment& moment, const KeptHostHistory& kept,
                     const std::optional<std::uint64_t>& start_ns) {
  const auto is_later = [&](std::size_t i) {
    if (moment.kind == MomentKind::event) return kept.numbers[i] > moment.event;
    return kept.history.events[i].time_us > (start_ns.value_or(0) + moment.time_ns) / 1000;
  };
  if (moment.kind != MomentKind::event && moment.kind != MomentKind::time) return moment;
  std::size_t count = 0;
  while (count < kept.numbers.size() && !is_later(count)) ++count;
  // The one before the first is none that a recording has.
  if (count == 0) return {MomentKind::event, kept.numbers.size()};
  return {MomentKind::event, count - 1};
}

HostState state_in(const RecordedHistory& history, const Moment& moment,
                   const HostStateRequest& request,
                   std::shared_ptr<const traces::SnapshotTables> tables) {
  for (const DeviceHistory& device : history.devices)
    if (std::string reason = impossible_part(device); !reason.empty())
      throw InputError(
          {request.file, "pinned host memory", "a history that an allocator can have", reason});
  RecordedStates found = recorded_states(
      history, tables->texts, {moment, request.conditions.version, StateHistory::last_event});
  if (found.states.empty())
    throw InputError({request.file, "", "such a moment of pinned host memory", "none"});
  return {std::move(found.states.front()), std::move(found.doubts), std::move(tables)};
}

HostState recorded_state(RecordedHistory history, const HostStateRequest& request,
                         std::shared_ptr<const traces::SnapshotTables> tables) {
  if (history.devices.empty())
    throw InputError({request.file, "", "something about pinned host memory", "none"});
  take_as_host(history);
  return state_in(history, request.moment, request, std::move(tables));
}

HostState replayed_state(const HostStateRequest& request,
                         const traces::ProgressListener& listener) {
  auto source = std::make_shared<ReplaySource>(request.file, request.conditions, listener);
  std::optional<KeptHostHistory> kept;
  ReplayWatch watch;
  watch.at_host_end = [&](const HostReplay& replay) { kept = replay.kept_history(); };
  const ReplayReport report = source->run(watch);
  if (!kept) throw InputError({request.file, "", "events about pinned host memory", "none"});
  const Moment moment = among_entries(request.moment, *kept, report.first_time_ns);
  RecordedHistory history;
  history.devices.push_back(std::move(kept->history));
  const std::shared_ptr<const traces::SnapshotTables> tables(source, &source->tables());
  HostState found = state_in(history, moment, request, tables);
  found.notes.insert(found.notes.begin(), report.notes.begin(), report.notes.end());
  return found;
}

}  // namespace

HostState host_state_at(const HostStateRequest& request, const traces::ProgressListener& listener) {
  if (request.replays) return replayed_state(request, listener);
  const auto tables = std::make_shared<traces::SnapshotTables>();
  traces::OpenTrace trace = traces::open_trace(request.file, listener);
  trace.memory = traces::ShownMemory::host;
  HistoryCollector collector(request.conditions.scratch);
  traces::ProgramCounter program;
  traces::read_trace(trace, *tables, {collector, program});
  if (program.summary().event_count() > 0) return replayed_state(request, listener);
  return recorded_state(collector.take(), request, tables);
}

}  // namespace vramlab::replay
