#include <algorithm>

#include "replay/compare/compared_file.h"
#include "replay/compare/history_metrics.h"
#include "replay/recording/history_checks.h"
#include "replay/replayer/pinned_replay.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replayed_states.h"

namespace vramlab::replay {
namespace {

void add_note_once(ComparedFile& compared, const std::string& note) {
  if (std::ranges::find(compared.notes, note) == compared.notes.end())
    compared.notes.push_back(note);
}

MomentKind state_moment(const Moment& moment, const ComparedFile& compared) {
  return compared.is_at_end ? MomentKind::end : moment.kind;
}

/// In the order of the table: those of a state come first.
void add_state_metrics(const std::vector<DeviceState>& states, ComparedFile& compared) {
  StateFigures sum;
  for (const DeviceState& state : states)
    sum += find_fragmentation(state.snapshot, state.rules).total;
  const MetricValues of_state = state_metrics(sum);
  if (!states.empty())
    compared.metrics.insert(compared.metrics.begin(), of_state.begin(), of_state.end());
}

void add_host_metrics(const DeviceHistory& host, const ExplainedHistory& explained,
                      ComparedFile& compared) {
  if (const std::string reason = impossible_part(host); !reason.empty())
    return add_note_once(compared, "pinned host memory is left out: " + reason);
  const MetricValues values = host_history_metrics(host, explained);
  compared.metrics.insert(compared.metrics.end(), values.begin(), values.end());
}

}  // namespace

void add_program_metrics(Recording& recording, const CompareConditions& conditions,
                         ComparedFile& compared) {
  ReplayConditions as_in_file;
  as_in_file.on_out_of_memory = OnOutOfMemory::skip;
  as_in_file.scratch = recording.scratch();
  const Replayer replayer(recording);
  ReplayReport report = replayer.run(as_in_file);
  const auto is_other = [&](traces::DeviceIndex device) {
    return conditions.device && device.value != *conditions.device;
  };
  std::erase_if(report.devices,
                [&](const DeviceReport& device) { return is_other(device.device); });
  compared.metrics = run_metrics(report);
  for (const std::string& note : report.notes) add_note_once(compared, note);
  if (recording.memory() == traces::ShownMemory::host) {
    compared.metrics = report.host ? host_metrics(*report.host) : MetricValues();
    return;
  }
  // A pool that is ordered by streams has no states.
  if (std::ranges::any_of(report.devices,
                          [](const auto& device) { return device.pool.has_value(); }))
    return;
  std::vector<DeviceState> states =
      states_at(replayer, as_in_file, {state_moment(conditions.moment, compared)}, report);
  std::erase_if(states, [&](const DeviceState& state) { return is_other(state.device); });
  add_state_metrics(states, compared);
}

void add_recorded_metrics(Recording& recording, const CompareConditions& conditions,
                          ComparedFile& compared) {
  if (recording.memory() == traces::ShownMemory::host) {
    for (const DeviceHistory& host : recording.history().devices)
      add_host_metrics(host, recording.explained(host), compared);
    return;
  }
  std::vector<MetricValues> devices;
  for (const DeviceHistory* const device : compared.devices())
    devices.push_back(history_metrics(*device, recording.explained(*device)));
  compared.metrics = sum_of_metrics(devices);
  RecordedStates found = recorded_states(recording, {state_moment(conditions.moment, compared)},
                                         StateHistory::last_event);
  for (const std::string& doubt : found.doubts) add_note_once(compared, doubt);
  std::erase_if(found.states, [&](const DeviceState& state) {
    return conditions.device && state.device.value != *conditions.device;
  });
  add_state_metrics(found.states, compared);
  for (const DeviceHistory& pinned : recording.pinned().devices)
    add_host_metrics(pinned, explain(pinned, recording.rules()), compared);
}

}  // namespace vramlab::replay
