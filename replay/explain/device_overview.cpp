#include "replay/explain/device_overview.h"

#include <algorithm>

#include "allocator/types/check.h"
#include "replay/call_sites/holdings.h"
#include "replay/compare/history_metrics.h"
#include "replay/recording/history_checks.h"
#include "replay/recording/pinned_history.h"
#include "traces/io/input_error.h"
#include "traces/model/user_frame.h"

namespace vramlab::replay {
namespace {

constexpr std::size_t most_failed_events = 4;

void note_failed_event(std::uint64_t event, DeviceOverview& found) {
  ++found.failures;
  if (found.failed_events.size() < most_failed_events) found.failed_events.push_back(event);
}

void note_failures(const DeviceHistory& history, const traces::SnapshotTables& tables,
                   DeviceOverview& found) {
  std::size_t number = 0;
  for (const AllocatorEvent& event : history.events) {
    if (event.action == Action::oom) {
      note_failed_event(number, found);
      const traces::StackId stack = stack_of(history, number);
      if (!found.first_failure)
        found.first_failure = {number, event.size, stack, line_of(stack, tables)};
    }
    ++number;
  }
}

DeviceOverview overview_of(Recording& recording, const DeviceHistory& history,
                           FollowsHistory follows) {
  const bool can_walk = follows == FollowsHistory::quickly && impossible_part(history).empty();
  const ExplainedHistory& explained =
      can_walk ? recording.walk(history) : recording.explained(history);
  DeviceOverview found;
  found.device = history.device;
  found.event_count = history.events.size();
  found.metrics = history_metrics(history, explained);
  found.label = explained.fidelity.label;
  found.waiting_frees = explained.fidelity.inferred.waiting_frees;
  found.reasons = explained.fidelity.reasons;
  note_failures(history, recording.tables(), found);
  return found;
}

DeviceOverview overview_of(const DeviceReport& report, std::uint64_t event_count,
                           const traces::SnapshotTables& tables) {
  DeviceOverview found;
  found.device = report.device.value;
  found.event_count = event_count;
  found.metrics = run_metrics(report);
  found.curve = report.curve;
  for (const FailedRequest& failure : report.failures) note_failed_event(failure.event, found);
  if (report.failures.empty()) return found;
  const FailedRequest& first = report.failures.front();
  found.first_failure = {first.event, first.figures.request, first.stack,
                         line_of(first.stack, tables)};
  return found;
}

void note_holders(Recording& recording, std::vector<DeviceOverview>& overviews) {
  FoundHoldings holdings = find_holdings(recording, {MomentKind::peak});
  holdings.kinds = find_kinds(recording);
  for (const DeviceHoldings& device : holdings.devices) {
    const auto found = std::ranges::find(overviews, device.device, &DeviceOverview::device);
    if (found == overviews.end() || device.blocks.empty()) continue;
    const auto grouped = [&](GroupBy by) {
      return group_holdings(holdings, device, by, recording.tables());
    };
    found->holders = grouped(GroupBy::site);
    found->allocated_at_peak = totals_of(device.blocks).bytes;
    const BlockKinds* const kinds =
        holdings.kinds == nullptr ? nullptr : holdings.kinds->of_device(device.device);
    if (kinds == nullptr) continue;
    found->kinds = grouped(GroupBy::kind);
    found->levers = find_levers(device.blocks, *kinds, *holdings.kinds);
    found->recorded_kinds = holdings.kinds;
  }
}

}  // namespace

std::string line_of(traces::StackId stack, const traces::SnapshotTables& tables) {
  const auto frame = traces::innermost_user_frame(stack, tables);
  return frame ? traces::frame_text(*frame, tables) : std::string();
}

std::string failed_events_text(const DeviceOverview& overview) {
  const std::vector<std::uint64_t>& events = overview.failed_events;
  const std::uint64_t more = overview.failures - events.size();
  std::string text = events.size() == 1 ? "event" : "events";
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool is_last = more == 0 && i + 1 == events.size();
    text += (i == 0 ? " " : is_last ? " and " : ", ") + std::to_string(events[i]);
  }
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

Bytes DeviceOverview::metric(std::string_view name) const {
  const MetricValue* const value = find_value(metrics, name);
  return {value == nullptr ? 0 : static_cast<std::uint64_t>(value->value)};
}

std::vector<DeviceOverview> overviews_of(Recording& recording, const Replayer* replayer,
                                         FollowsHistory follows) {
  std::vector<DeviceOverview> overviews;
  if (recording.is_program()) {
    check(replayer != nullptr, "a program has peaks in a replay only");
    overviews = replayed_overviews_of(recording, *replayer, {});
    if (!overviews.empty()) note_holders(recording, overviews);
    return overviews;
  }
  for (const DeviceHistory& device : recording.history().devices)
    if (device.device != host_device && (!device.events.empty() || !device.final_segments.empty()))
      overviews.push_back(overview_of(recording, device, follows));
  if (!overviews.empty()) note_holders(recording, overviews);
  return overviews;
}

std::vector<DeviceOverview> replayed_overviews_of(const Recording& recording,
                                                  const Replayer& replayer,
                                                  const ReplayConditions& conditions) {
  std::vector<DeviceOverview> overviews;
  const ReplayReport report = replayer.run(conditions);
  for (const DeviceReport& device : report.devices) {
    const DeviceHistory* const history =
        recording.is_program() ? nullptr : recording.device(device.device.value);
    overviews.push_back(overview_of(
        device, history == nullptr ? report.calls : history->events.size(), replayer.tables()));
  }
  return overviews;
}

bool is_worse(const DeviceOverview& a, const DeviceOverview& b) {
  if ((a.failures > 0) != (b.failures > 0)) return a.failures > 0;
  return a.reserved() > b.reserved();
}

const DeviceOverview* worst_of(const std::vector<DeviceOverview>& overviews) {
  const auto worst = std::ranges::min_element(overviews, is_worse);
  return worst == overviews.end() ? nullptr : &*worst;
}

}  // namespace vramlab::replay
