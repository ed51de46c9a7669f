#include "replay/compare/compared_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "replay/call_sites/iterations.h"
#include "replay/compare/history_metrics.h"
#include "replay/kinds/kind_peaks.h"
#include "replay/recording/history_checks.h"
#include "replay/replayer/pinned_replay.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replayed_states.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using nlohmann::json;
using traces::InputError;

void add_note_once(ComparedFile& compared, const std::string& note) {
  if (std::ranges::find(compared.notes, note) == compared.notes.end())
    compared.notes.push_back(note);
}

MomentKind state_moment(const Moment& moment, const ComparedFile& compared) {
  return compared.is_at_end ? MomentKind::end : moment.kind;
}

/// Metrics of a state come first in the table, and so here.
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

std::set<RequestName> requests_of(const std::vector<DeviceHoldings>& devices) {
  std::set<RequestName> requests;
  for (const DeviceHoldings& device : devices)
    for (const LiveBlock& block : device.blocks)
      if (block.event) requests.emplace(device.device, *block.event);
  return requests;
}

/// Goes through the recording twice more: for the iterations, and for where requests stand in them.
std::vector<HeldGroup> group_by_position(Recording& recording,
                                         const std::vector<DeviceHoldings>& devices,
                                         ComparedFile& compared) {
  const IterationRule rule = find_iterations(recording);
  if (rule.source == IterationSource::none)
    compared.notes.emplace_back("no iterations are found: positions count from the beginning");
  const std::set<RequestName> requests = requests_of(devices);
  RequestPositions positions(requests, rule, recording.tables());
  pass_memory_events(recording, positions);
  const auto& found = positions.found();
  std::map<std::string, GroupTotals> groups;
  for (const DeviceHoldings& device : devices)
    for (const LiveBlock& block : device.blocks) {
      const auto position = block.event ? found.find({device.device, *block.event}) : found.end();
      groups[position == found.end()
                 ? "older than the recording, " + format_bytes(block.requested)
                 : position_text(position->second) + ", " + format_bytes(block.requested)]
          .add(block);
    }
  std::vector<HeldGroup> listed;
  for (const auto& [key, totals] : groups) listed.push_back({key, totals, {}});
  return listed;
}

std::vector<HeldGroup> groups_of_devices(const Recording& recording, GroupBy by,
                                         const FoundHoldings& found) {
  std::vector<std::vector<HeldGroup>> groups;
  for (const DeviceHoldings& device : found.devices)
    groups.push_back(group_holdings(found, device, by, recording.tables()));
  return joined(groups);
}

/// Reports are short; a longer file is something else.
constexpr std::size_t longest_report = 64U << 20;

std::int64_t value_of_json(const Metric& metric, const json& value, const std::string& file) {
  constexpr std::uint64_t largest = INT64_MAX;
  const bool is_ratio = metric.unit == MetricUnit::ratio;
  if (is_ratio ? value.is_number() && value.get<double>() >= 0 && value.get<double>() <= 1
               : value.is_number_unsigned() && value.get<std::uint64_t>() <= largest)
    return is_ratio ? std::llround(value.get<double>() * static_cast<double>(whole_ratio))
                    : value.get<std::int64_t>();
  throw InputError({file, "metrics." + std::string(metric.name),
                    is_ratio ? "a number from 0 to 1" : "a whole number, not negative",
                    value.dump()});
}

MetricValues metrics_of_json(const json& metrics, const std::string& file) {
  if (!metrics.is_object())
    throw InputError({file, "metrics", "an object", std::string(metrics.type_name())});
  MetricValues values;
  for (const Metric& metric : all_metrics()) {
    const auto found = metrics.find(metric.name);
    if (found == metrics.end()) continue;
    values.push_back({metric.name, value_of_json(metric, *found, file)});
  }
  return values;
}

const json& metrics_in(const json& document, const CompareConditions& conditions,
                       const std::string& file) {
  const json* holder = &document;
  if (conditions.device) {
    holder = nullptr;
    if (const auto devices = document.find("devices"); devices != document.end())
      for (const json& device : *devices)
        if (const auto number = device.find("device");
            number != device.end() && *number == *conditions.device)
          holder = &device;
    if (holder == nullptr)
      throw InputError({file, "devices", "device " + std::to_string(*conditions.device), "none"});
  }
  const auto metrics = holder->find("metrics");
  if (metrics == holder->end())
    throw InputError(
        {file, "", "a report with metrics, such as vramlab replay --json writes", "one without"});
  return *metrics;
}

/// Replays the program, twice where it is looked at before its end.
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

void add_kind_metrics(const DeviceHistory& device, Recording& recording,
                      const RecordingKinds* recorded, MetricValues& values) {
  const BlockKinds* const kinds = recorded ? recorded->of_device(device.device) : nullptr;
  if (kinds == nullptr || !impossible_part(device).empty()) return;
  const MetricValues found = kind_metrics(device, recording.explained(device), *kinds);
  values.insert(values.end(), found.begin(), found.end());
}

/// Counts the metrics from the recording itself.
void add_recorded_metrics(Recording& recording, const CompareConditions& conditions,
                          const RecordingKinds* kinds, ComparedFile& compared) {
  if (recording.memory() == traces::ShownMemory::host) {
    for (const DeviceHistory& host : recording.history().devices)
      add_host_metrics(host, recording.explained(host), compared);
    return;
  }
  std::vector<MetricValues> devices;
  for (const DeviceHistory* const device : compared.devices()) {
    devices.push_back(history_metrics(*device, recording.explained(*device)));
    add_kind_metrics(*device, recording, kinds, devices.back());
  }
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

/// Finds who held memory; with two more passes where positions tell blocks apart.
void add_groups(Recording& recording, const CompareConditions& conditions,
                std::shared_ptr<const RecordingKinds> kinds, ComparedFile& compared) {
  FoundHoldings found = find_holdings(recording, conditions.moment);
  if (conditions.by && needs_kinds(*conditions.by)) add_kinds(found, kinds);
  if (conditions.device)
    std::erase_if(found.devices, [&](const DeviceHoldings& device) {
      return device.device != *conditions.device;
    });
  if (found.devices.empty())
    throw InputError({recording.file(), "",
                      "a device " + std::to_string(conditions.device.value_or(0)),
                      "none of that number"});
  if (found.devices.size() == 1) compared.event = found.devices.front().event;
  compared.is_at_end = std::ranges::none_of(found.devices, &DeviceHoldings::has_history);
  compared.groups = conditions.by ? groups_of_devices(recording, *conditions.by, found)
                                  : group_by_position(recording, found.devices, compared);
  compared.has_groups = true;
  found.kinds = std::move(kinds);
  if (found.kinds != nullptr)
    compared.modules = groups_of_devices(recording, GroupBy::module, found);
  compared.kind = recording.is_program() ? "a program"
                  : compared.is_at_end   ? "a snapshot without a history"
                                         : "a recording";
  compared.notes.insert(compared.notes.end(), found.notes.begin(), found.notes.end());
}

}  // namespace

ComparedFile compared_file_of(std::shared_ptr<Recording> recording,
                              const CompareConditions& conditions) {
  ComparedFile compared;
  compared.name = recording->file();
  compared.device = conditions.device;
  // The metrics need every history explained, and holders are found faster then.
  if (recording->memory() == traces::ShownMemory::device)
    for (const DeviceHistory& device : recording->history().devices)
      if (!conditions.device || device.device == *conditions.device) recording->explained(device);
  const std::shared_ptr<const RecordingKinds> kinds =
      find_kinds(*recording, conditions.kinds_otherwise);
  add_groups(*recording, conditions, kinds, compared);
  if (recording->is_program()) {
    add_program_metrics(*recording, conditions, compared);
  } else {
    compared.recorded = std::move(recording);
    add_recorded_metrics(*compared.recorded, conditions, kinds.get(), compared);
  }
  return compared;
}

std::vector<const DeviceHistory*> ComparedFile::devices() const {
  std::vector<const DeviceHistory*> counted;
  if (!recorded) return counted;
  for (const DeviceHistory& history : recorded->history().devices)
    if (!device || history.device == *device) counted.push_back(&history);
  return counted;
}

bool is_report(std::string_view start) {
  const std::size_t begin = start.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || start[begin] != '{') return false;
  const std::size_t key = start.find_first_not_of(" \t\r\n", begin + 1);
  return key != std::string_view::npos && start.substr(key).starts_with("\"schema_version\"");
}

ComparedFile read_report(traces::OpenBytes& bytes, const CompareConditions& conditions) {
  const std::string& file = bytes.file;
  ComparedFile compared;
  compared.kind = "a report";
  try {
    const json document = json::parse(traces::read_all(bytes, longest_report));
    // Metrics mean the same in all of them.
    if (const json& version = document.at("schema_version");
        version != 1 && version != 2 && version != 3)
      throw InputError({file, "schema_version", "1, 2 or 3", version.dump()});
    compared.metrics = metrics_of_json(metrics_in(document, conditions, file), file);
    if (const auto notes = document.find("notes"); notes != document.end() && notes->is_array())
      for (const json& note : *notes)
        if (note.is_string()) compared.notes.push_back(note.get<std::string>());
  } catch (const json::parse_error& error) {
    throw InputError({file, "byte " + std::to_string(error.byte), "JSON", "something else"});
  }
  return compared;
}

}  // namespace vramlab::replay
