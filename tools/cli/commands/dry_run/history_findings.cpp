#include "tools/cli/commands/dry_run/history_findings.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "replay/recording/history_checks.h"
#include "tools/cli/kit/input_files.h"

namespace vramlab::tools {

using replay::DeviceOverview;

bool HistoryFindings::ran_out_of_memory() const {
  return std::ranges::any_of(devices,
                             [](const DeviceOverview& device) { return device.failures > 0; });
}

const DeviceOverview* HistoryFindings::worst() const {
  const auto worst = std::ranges::max_element(
      devices, {}, [](const DeviceOverview& device) { return device.metric("peak_reserved"); });
  return worst == devices.end() ? nullptr : &*worst;
}

replay::MetricValues HistoryFindings::metrics() const {
  std::vector<replay::MetricValues> all;
  for (const DeviceOverview& device : devices) all.push_back(device.metrics);
  return sum_of_metrics(all);
}

namespace {

std::optional<replay::StepGrowth> growth_of(replay::Recording& recording,
                                            const DeviceOverview& device) {
  if (device.recorded_kinds == nullptr) return std::nullopt;
  const replay::DeviceHistory* const history = recording.device(device.device);
  if (history == nullptr) return std::nullopt;
  const bool is_possible = impossible_part(*history).empty();
  return find_step_growth(*history, is_possible ? &recording.explained(*history) : nullptr,
                          *device.recorded_kinds);
}

}  // namespace

HistoryFindings find_in_history(const std::string& path, std::string_view release) {
  HistoryFindings findings;
  findings.recording =
      open_recording(path, nullptr, {allocator::reference_version_of_release(release)});
  replay::Recording& recording = *findings.recording;
  refuse_program(recording, "the findings of a dry run");
  findings.devices = overviews_of(recording, nullptr);
  for (const DeviceOverview& device : findings.devices) {
    findings.event_count += device.event_count;
    if (auto growth = growth_of(recording, device))
      findings.growth.emplace(device.device, *std::move(growth));
  }
  if (findings.event_count > 0) findings.replayer = std::make_unique<replay::Replayer>(recording);
  return findings;
}

}  // namespace vramlab::tools
