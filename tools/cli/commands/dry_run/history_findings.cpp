#include "tools/cli/commands/dry_run/history_findings.h"

#include <algorithm>

#include "replay/call_sites/call_sites.h"
#include "replay/call_sites/holdings.h"
#include "replay/compare/history_metrics.h"
#include "replay/settings_search/advise.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/what_if_runs.h"
#include "traces/io/input_error.h"
#include "traces/model/user_frame.h"

namespace vramlab::tools {
namespace {

using allocator::Action;
using allocator::AllocatorEvent;
using replay::DeviceHistory;

void note_failures(const DeviceHistory& history, const traces::SnapshotTables& tables,
                   DeviceFindings& found) {
  std::uint64_t number = 0;
  for (const AllocatorEvent& event : history.events) {
    if (event.action == Action::oom && found.failures++ == 0) {
      const auto frame = traces::innermost_user_frame(history.stacks[number], tables);
      found.first_failure = {number, event.size, frame ? traces::frame_text(*frame, tables) : ""};
    }
    ++number;
  }
}

DeviceFindings find_in_device(replay::Recording& recording, const DeviceHistory& history) {
  const replay::ExplainedHistory& explained = recording.explained(history);
  DeviceFindings found;
  found.device = history.device;
  found.metrics = history_metrics(history, explained);
  found.label = explained.fidelity.label;
  note_failures(history, recording.tables(), found);
  return found;
}

void note_holders(replay::Recording& recording, HistoryFindings& findings) {
  const auto holdings = replay::find_holdings(recording, {replay::MomentKind::peak});
  for (const replay::DeviceHoldings& device : holdings.devices) {
    const auto found = std::ranges::find(findings.devices, device.device, &DeviceFindings::device);
    if (found == findings.devices.end() || device.blocks.empty()) continue;
    const auto groups = group_blocks(device.blocks, replay::GroupBy::site, recording.tables());
    found->holder = groups.front().key;
    found->held = groups.front().totals.bytes;
    found->allocated_at_peak = replay::totals_of(device.blocks).bytes;
  }
}

bool is_used(const DeviceHistory& history) {
  return !history.events.empty() || !history.final_segments.empty();
}

}  // namespace

Bytes DeviceFindings::metric(std::string_view name) const {
  const replay::MetricValue* const value = find_value(metrics, name);
  return {value == nullptr ? 0 : static_cast<std::uint64_t>(value->value)};
}

bool HistoryFindings::ran_out_of_memory() const {
  return std::ranges::any_of(devices,
                             [](const DeviceFindings& device) { return device.failures > 0; });
}

const DeviceFindings* HistoryFindings::worst() const {
  const auto worst = std::ranges::max_element(
      devices, {}, [](const DeviceFindings& device) { return device.metric("peak_reserved"); });
  return worst == devices.end() ? nullptr : &*worst;
}

replay::MetricValues HistoryFindings::metrics() const {
  std::vector<replay::MetricValues> all;
  for (const DeviceFindings& device : devices) all.push_back(device.metrics);
  return sum_of_metrics(all);
}

HistoryFindings find_in_history(const std::string& path, std::string_view release) {
  HistoryFindings findings;
  findings.recording =
      open_recording(path, nullptr, {allocator::reference_version_of_release(release)});
  replay::Recording& recording = *findings.recording;
  refuse_program(recording, "what takes snapshots only");
  for (const DeviceHistory& device : recording.history().devices) {
    if (!is_used(device)) continue;
    findings.devices.push_back(find_in_device(recording, device));
    findings.event_count += device.events.size();
  }
  if (findings.event_count == 0) return findings;
  findings.replayer = std::make_unique<replay::Replayer>(recording);
  note_holders(recording, findings);
  return findings;
}

std::optional<SmallestGpu> smallest_gpu(const HistoryFindings& findings, Bytes held_by_others) {
  if (!findings.replayer || findings.event_count > most_events_replayed) return std::nullopt;
  const replay::Replayer& replayer = *findings.replayer;
  const auto live = live_bounds(replayer, replayer.settings());
  for (const streams::GpuModel& gpu : streams::gpu_models()) {
    if (gpu.available() <= held_by_others) continue;
    if (live && gpu.available() - held_by_others < live->on_device) continue;
    replay::ReplayConditions conditions;
    conditions.scratch = scratch_place();
    conditions.memory = gpu.available();
    if (held_by_others > Bytes{}) conditions.held_by_others = held_by_others;
    try {
      if (!replayer.figures(conditions).has_failures()) return SmallestGpu{&gpu};
    } catch (const traces::InputError&) {
      continue;  // The memory that is there at the start does not fit.
    }
  }
  return SmallestGpu{};
}

std::optional<FoundAdvice> find_advice(const HistoryFindings& findings) {
  // A search replays some forty settings.
  constexpr std::uint64_t least_replays = 8;
  if (!findings.replayer || findings.event_count > most_events_replayed / least_replays)
    return std::nullopt;
  const replay::Replayer& replayer = *findings.replayer;
  replay::ReplayConditions conditions;
  conditions.scratch = scratch_place();
  conditions.memory = replay::boundless_memory;
  const replay::Advice advice = replay::advise(
      replayer, {conditions}, [&](const std::vector<replay::AskedSetting>& settings) {
        return run_settings({&replayer}, settings, conditions, usual_thread_count());
      });
  if (advice.best.was_refused() || advice.recorded.was_refused()) return std::nullopt;
  const auto peak = [](const replay::SweepRow& row) {
    return Bytes{static_cast<std::uint64_t>(value_of(row.worst().metrics, "peak_reserved"))};
  };
  conditions.options = advice.best.conf;
  return FoundAdvice{advice.best.conf, peak(advice.best), peak(advice.recorded),
                     replayer.trust(conditions)};
}

}  // namespace vramlab::tools
