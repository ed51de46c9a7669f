#include "replay/compared_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "replay/history_metrics.h"
#include "replay/recorded_states.h"
#include "replay/replay_source.h"
#include "replay/request_positions.h"
#include "replay/run_metrics.h"
#include "traces/input_error.h"
#include "traces/read_snapshot.h"

namespace vramlab::replay {
namespace {

using nlohmann::json;
using traces::InputError;

constexpr std::size_t first_look = 256;
/// Reports are short; what is longer is something else.
constexpr std::size_t longest_report = 64U << 20;

std::string read_bytes(traces::ByteSource& source, std::size_t most) {
  std::string text;
  std::vector<char> piece(std::min<std::size_t>(most, 1U << 16));
  while (text.size() < most) {
    const std::size_t count = source.read(piece.data(), std::min(piece.size(), most - text.size()));
    if (count == 0) break;
    text.append(piece.data(), count);
  }
  return text;
}

/// The JSON of vramlab's own commands begins so.
bool is_report(const std::string& beginning) {
  const std::size_t begin = beginning.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || beginning[begin] != '{') return false;
  const std::size_t key = beginning.find_first_not_of(" \t\r\n", begin + 1);
  return key != std::string::npos && beginning.compare(key, 16, "\"schema_version\"") == 0;
}

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

ComparedFile read_report(const std::string& file, traces::ByteSource& source, std::string beginning,
                         const CompareConditions& conditions) {
  beginning += read_bytes(source, longest_report);
  ComparedFile compared;
  compared.kind = "a report";
  try {
    const json document = json::parse(beginning);
    if (const json& version = document.at("schema_version"); version != 1)
      throw InputError({file, "schema_version", "1", version.dump()});
    compared.metrics = metrics_of_json(metrics_in(document, conditions, file), file);
    if (const auto notes = document.find("notes"); notes != document.end() && notes->is_array())
      for (const json& note : *notes)
        if (note.is_string()) compared.notes.push_back(note.get<std::string>());
  } catch (const json::parse_error& error) {
    throw InputError({file, "byte " + std::to_string(error.byte), "JSON", error.what()});
  }
  return compared;
}

GroupBy group_by(CompareBy by) {
  switch (by) {
    case CompareBy::stack:
      return GroupBy::stack;
    case CompareBy::size:
      return GroupBy::size;
    case CompareBy::stream:
      return GroupBy::stream;
    case CompareBy::pool:
      return GroupBy::pool;
    default:
      return GroupBy::site;
  }
}

std::set<RequestName> requests_of(const std::vector<DeviceHoldings>& devices) {
  std::set<RequestName> requests;
  for (const DeviceHoldings& device : devices)
    for (const HeldBlock& block : device.blocks)
      if (block.event) requests.emplace(device.device, *block.event);
  return requests;
}

/// Goes through the file twice more: for the iterations, and for where requests stand in them.
std::vector<HeldGroup> group_by_position(const std::string& path,
                                         const std::vector<DeviceHoldings>& devices,
                                         const traces::ProgressListener& listener,
                                         ComparedFile& compared) {
  const IterationRule rule = find_iterations(path, listener);
  if (rule.source == IterationSource::none)
    compared.notes.emplace_back("no iterations are found: positions count from the beginning");
  const std::set<RequestName> requests = requests_of(devices);
  traces::OpenTrace trace = traces::open_trace(path, listener);
  traces::SnapshotTables tables;
  RequestPositions recorded(requests, rule, tables);
  RequestPositions program(requests, rule, tables);
  const auto& found =
      read_memory_events(trace, tables, recorded, program) ? program.found() : recorded.found();
  std::map<std::string, GroupTotals> groups;
  for (const DeviceHoldings& device : devices)
    for (const HeldBlock& block : device.blocks) {
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

/// Who held memory, from one pass over the file.
void add_groups(const std::string& path, const CompareConditions& conditions,
                const traces::ProgressListener& listener, ComparedFile& compared) {
  traces::OpenTrace trace = traces::open_trace(path, listener);
  traces::SnapshotTables tables;
  FoundHoldings found = find_holdings(trace, tables, conditions.moment);
  if (conditions.device)
    std::erase_if(found.devices, [&](const DeviceHoldings& device) {
      return device.device != *conditions.device;
    });
  if (found.devices.empty())
    throw InputError({trace.file, "", "a device " + std::to_string(conditions.device.value_or(0)),
                      "none of that number"});
  std::vector<HeldBlock> blocks;
  for (const DeviceHoldings& device : found.devices)
    blocks.insert(blocks.end(), device.blocks.begin(), device.blocks.end());
  if (found.devices.size() == 1) compared.event = found.devices.front().event;
  compared.is_at_end = std::ranges::none_of(found.devices, &DeviceHoldings::has_history);
  compared.groups = conditions.by == CompareBy::position
                        ? group_by_position(path, found.devices, listener, compared)
                        : group_blocks(blocks, group_by(conditions.by), tables);
  compared.has_groups = true;
  compared.kind = found.is_program     ? "a program"
                  : compared.is_at_end ? "a snapshot without a history"
                                       : "a recording";
  compared.notes.insert(compared.notes.end(), found.notes.begin(), found.notes.end());
}

void add_note_once(ComparedFile& compared, const std::string& note) {
  if (std::ranges::find(compared.notes, note) == compared.notes.end())
    compared.notes.push_back(note);
}

MomentKind state_moment(const HoldingMoment& moment, const ComparedFile& compared) {
  if (compared.is_at_end || moment.kind == HoldingMomentKind::end) return MomentKind::end;
  return moment.kind == HoldingMomentKind::out_of_memory ? MomentKind::out_of_memory
                                                         : MomentKind::peak;
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

/// The last events before the moment.
ReplayWatch until_moment(const ReplayReport& report, MomentKind moment) {
  ReplayWatch watch;
  for (const DeviceReport& device : report.devices) {
    if (moment == MomentKind::peak) watch.until[device.device] = device.peak_allocated.event;
    if (moment == MomentKind::out_of_memory && !device.failures.empty())
      watch.until[device.device] = device.failures.front().event;
  }
  return watch;
}

void add_program_metrics(const std::string& path, const CompareConditions& conditions,
                         const traces::ProgressListener& listener, ComparedFile& compared) {
  ReplayConditions as_in_file;
  as_in_file.on_out_of_memory = OnOutOfMemory::skip;
  ReplaySource source(path, as_in_file, listener);
  ReplayReport report = source.run({});
  const auto is_other = [&](traces::DeviceIndex device) {
    return conditions.device && device.value != *conditions.device;
  };
  std::erase_if(report.devices,
                [&](const DeviceReport& device) { return is_other(device.device); });
  compared.metrics = run_metrics(report);
  for (const std::string& note : report.notes) add_note_once(compared, note);
  // Of a pool that is ordered by streams there are no states.
  if (std::ranges::any_of(report.devices,
                          [](const auto& device) { return device.pool.has_value(); }))
    return;
  ReplayWatch watch = until_moment(report, state_moment(conditions.moment, compared));
  std::vector<DeviceState> states;
  watch.at_end = [&](DeviceReplay& device) {
    if (!is_other(device.device())) states.push_back(state_of(device));
  };
  source.run(watch);
  for (DeviceState& state : states)
    for (const DeviceReport& device : report.devices)
      if (device.device == state.device && device.memory_origin.empty())
        state.rules.device_free.reset();
  add_state_metrics(states, compared);
}

void add_recorded_metrics(const std::string& path, const CompareConditions& conditions,
                          const traces::ProgressListener& listener, ComparedFile& compared) {
  traces::OpenTrace trace = traces::open_trace(path, listener);
  traces::SnapshotTables tables;
  HistoryCollector collector;
  traces::read_snapshot(trace, tables, collector);
  const RecordedHistory history = collector.take();
  const allocator::ReferenceVersion& version = guess_reference(history);
  const VerifyConditions verify{version, true, recorded_settings(history, tables.texts, version)};
  std::vector<MetricValues> devices;
  for (const DeviceHistory& device : history.devices)
    if (!conditions.device || device.device == *conditions.device)
      devices.push_back(history_metrics(device, verify));
  compared.metrics = sum_of_metrics(devices);
  RecordedStates found =
      recorded_states(history, tables.texts, nullptr, {state_moment(conditions.moment, compared)});
  for (const std::string& doubt : found.doubts) add_note_once(compared, doubt);
  std::erase_if(found.states, [&](const DeviceState& state) {
    return conditions.device && state.device.value != *conditions.device;
  });
  add_state_metrics(found.states, compared);
}

}  // namespace

ComparedFile read_compared_file(const std::string& path, const CompareConditions& conditions,
                                const traces::ProgressListener& listener) {
  const std::string name = traces::input_name(path);
  if (path == "-")
    throw InputError(
        {name, "", "a file, as this goes through it more than once", "standard input"});
  ComparedFile compared;
  {
    const auto source = traces::open_file_source(path);
    std::string beginning = read_bytes(*source, first_look);
    if (is_report(beginning)) {
      compared = read_report(name, *source, std::move(beginning), conditions);
      compared.name = path;
      return compared;
    }
  }
  compared.name = path;
  add_groups(path, conditions, listener, compared);
  if (compared.kind == "a program")
    add_program_metrics(path, conditions, listener, compared);
  else
    add_recorded_metrics(path, conditions, listener, compared);
  return compared;
}

}  // namespace vramlab::replay
