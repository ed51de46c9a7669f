#include <algorithm>

#include "replay/compare/compared_file.h"
#include "replay/compare/history_metrics.h"
#include "replay/recording/history_checks.h"
#include "replay/recording/host_sections.h"
#include "replay/replayer/host_report.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replayed_states.h"
#include "traces/formats/trace_formats.h"

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

void add_host_metrics(const DeviceHistory& host, const VerifyConditions& conditions,
                      ComparedFile& compared) {
  if (const std::string reason = impossible_part(host); !reason.empty())
    return add_note_once(compared, "pinned host memory is left out: " + reason);
  const MetricValues values = host_history_metrics(host, conditions);
  compared.metrics.insert(compared.metrics.end(), values.begin(), values.end());
}

}  // namespace

void add_program_metrics(const std::string& path, const CompareConditions& conditions,
                         const traces::ProgressListener& listener, ComparedFile& compared) {
  ReplayConditions as_in_file;
  as_in_file.on_out_of_memory = OnOutOfMemory::skip;
  as_in_file.scratch = conditions.scratch;
  ReplaySource source(path, as_in_file, listener);
  ReplayReport report = source.run({});
  const auto is_other = [&](traces::DeviceIndex device) {
    return conditions.device && device.value != *conditions.device;
  };
  std::erase_if(report.devices,
                [&](const DeviceReport& device) { return is_other(device.device); });
  compared.metrics = run_metrics(report);
  for (const std::string& note : report.notes) add_note_once(compared, note);
  if (conditions.memory == traces::ShownMemory::host) {
    compared.metrics = report.host ? host_metrics(*report.host) : MetricValues();
    return;
  }
  // A pool that is ordered by streams has no states.
  if (std::ranges::any_of(report.devices,
                          [](const auto& device) { return device.pool.has_value(); }))
    return;
  std::vector<DeviceState> states =
      states_at(source, {state_moment(conditions.moment, compared)}, report, compared.name);
  std::erase_if(states, [&](const DeviceState& state) { return is_other(state.device); });
  add_state_metrics(states, compared);
}

void add_recorded_metrics(const std::string& path, const CompareConditions& conditions,
                          const traces::ProgressListener& listener, ComparedFile& compared) {
  traces::OpenTrace trace = traces::open_trace(path, listener);
  trace.memory = conditions.memory;
  auto recorded = std::make_shared<RecordedFile>();
  HistoryCollector collector(conditions.scratch);
  traces::read_snapshot(trace, recorded->tables, collector);
  recorded->history = collector.take();
  const RecordedHistory& history = recorded->history;
  const traces::TextTable& texts = recorded->tables.texts;
  const VerifyConditions verify = verify_conditions(history, texts, nullptr);
  if (conditions.memory == traces::ShownMemory::host) {
    take_as_host(recorded->history);
    for (const DeviceHistory& host : history.devices) add_host_metrics(host, verify, compared);
    compared.recorded = std::move(recorded);
    return;
  }
  if (conditions.device)
    std::erase_if(recorded->history.devices,
                  [&](const DeviceHistory& device) { return device.device != *conditions.device; });
  std::vector<MetricValues> devices;
  for (const DeviceHistory& device : history.devices)
    devices.push_back(history_metrics(device, verify));
  compared.metrics = sum_of_metrics(devices);
  RecordedStates found = recorded_states(
      history, texts,
      {{state_moment(conditions.moment, compared)}, nullptr, StateHistory::last_event});
  for (const std::string& doubt : found.doubts) add_note_once(compared, doubt);
  add_state_metrics(found.states, compared);
  const RecordedHistory host = host_history_in(history, recorded->tables);
  for (const DeviceHistory& pinned : host.devices) add_host_metrics(pinned, verify, compared);
  compared.recorded = std::move(recorded);
}

}  // namespace vramlab::replay
