#include "replay/stream_waits/recorded_waiting.h"

#include <algorithm>
#include <map>

#include "replay/replayer/device_replay.h"
#include "traces/io/input_error.h"
#include "traces/model/user_frame.h"

namespace vramlab::replay {

namespace {

using PeaksByDevice = std::map<std::uint32_t, PeakFigures>;

void raise(Bytes& peak, const allocator::PooledStatistic& statistic) {
  const std::int64_t now = std::max<std::int64_t>(statistic.all.current, 0);
  peak = std::max(peak, Bytes{static_cast<std::uint64_t>(now)});
}

/// Once what was there at the start is laid out. Until then what waited counts as in use, which the
/// statistics' own peaks remember.
void raise_to_now(PeakFigures& peaks, const DeviceReplay& device) {
  const StatisticValues now = device.statistics();
  raise(peaks.allocated, now.allocated_bytes);
  raise(peaks.active, now.active_bytes);
  raise(peaks.requested, now.requested_bytes);
  raise(peaks.reserved, now.reserved_bytes);
}

ReplayReport run(const Replayer& replayer, FreeTiming timing, PeaksByDevice& peaks) {
  ReplayConditions conditions;
  conditions.timing = timing;
  conditions.on_out_of_memory = OnOutOfMemory::skip;
  ReplayWatch watch;
  watch.at_start = [&](DeviceReplay& device) {
    raise_to_now(peaks[device.device().value], device);
  };
  watch.after_event = [&](DeviceReplay& device, const traces::ProgramEvent& event, std::uint64_t) {
    // No other event takes memory.
    const auto found = peaks.find(device.device().value);
    if (found != peaks.end() && event.kind == traces::ProgramEventKind::malloc)
      raise_to_now(found->second, device);
  };
  watch.at_end = [&](DeviceReplay& device) {
    PeakFigures& figures = peaks[device.device().value];
    raise_to_now(figures, device);
    figures.failed_requests = device.failures().size();
  };
  return replayer.run(conditions, watch);
}

}  // namespace

bool EagerFrees::is_exact() const {
  return followed == FidelityLabel::exact && as_recorded.requested == recorded_requested &&
         as_recorded.reserved == recorded_reserved;
}

EagerReplay replay_eagerly(const Replayer& replayer) {
  PeaksByDevice as_recorded;
  PeaksByDevice eager;
  run(replayer, FreeTiming::recorded, as_recorded);
  const ReplayReport report = run(replayer, FreeTiming::eager, eager);
  EagerReplay result;
  result.notes = report.notes;
  for (const DeviceReport& device : report.devices) {
    EagerFrees& frees = result.devices.emplace_back();
    frees.device = device.device.value;
    if (const HistoryProgram* history = replayer.history(frees.device))
      frees.followed = history->fidelity.label;
    frees.recorded_requested = device.recorded_peak_requested.value_or(Bytes{});
    frees.recorded_reserved = device.recorded_peak_reserved.value_or(Bytes{});
    frees.as_recorded = as_recorded[device.device.value];
    frees.eager = eager[device.device.value];
  }
  return result;
}

namespace {

std::string place_of(const std::optional<traces::StackId>& stack,
                     const traces::SnapshotTables& tables) {
  if (!stack) return {};
  const auto frame = innermost_user_frame(*stack, tables);
  return frame ? frame_text(*frame, tables) : std::string();
}

std::vector<WaitingRelease> releases_of(const DeviceHistory& history,
                                        const HistoryProgram* followed) {
  std::set<std::size_t> emptied;
  if (followed != nullptr)
    for (const EmptiedCache& cache : followed->emptied) emptied.insert(cache.event);
  const RecordedCalls calls = cut_into_calls(history, room_of(history));
  WaitingReleases releases(history, calls, emptied);
  walk_waiting_frees(history, releases);
  return releases.take();
}

/// Both replays, or why there are none.
void replay_devices(const Replayer& replayer, RecordedWaiting& found) {
  EagerReplay eager = replay_eagerly(replayer);
  found.notes = std::move(eager.notes);
  for (DeviceWaiting& device : found.devices)
    for (const EagerFrees& frees : eager.devices)
      if (frees.device == device.cost.device && device.cost.totals.count > 0) device.eager = frees;
}

}  // namespace

std::vector<WaitingPlace> places_of(const std::vector<WaitingSite>& sites,
                                    const traces::SnapshotTables& tables) {
  std::map<std::pair<std::string, std::string>, WaitingPlace> by_text;
  for (const WaitingSite& site : sites) {
    std::string allocated = place_of(site.alloc_stack, tables);
    std::string freed = place_of(site.free_stack, tables);
    WaitingPlace& place = by_text[{allocated, freed}];
    place.allocated_at = std::move(allocated);
    place.freed_at = std::move(freed);
    place.is_older = place.is_older || !site.alloc_stack;
    place.totals.add(site.totals);
  }
  std::vector<WaitingPlace> places;
  for (auto& [texts, place] : by_text) places.push_back(std::move(place));
  std::ranges::stable_sort(places, [](const WaitingPlace& a, const WaitingPlace& b) {
    return is_costlier(a.totals, b.totals);
  });
  return places;
}

RecordedWaiting find_waiting(Recording& recording) {
  const RecordedHistory& history = recording.history();
  const traces::SnapshotTables& tables = recording.tables();
  RecordedWaiting found;
  const ReferenceVersion* const version = recording.asked_version();
  found.reference =
      version != nullptr ? version->name : possible_references(history, tables.texts).front()->name;
  for (const DeviceHistory& device : history.devices) {
    DeviceWaiting& added = found.devices.emplace_back();
    added.cost = waiting_cost(device);
    added.places = places_of(added.cost.sites, tables);
  }
  if (std::ranges::none_of(
          found.devices, [](const DeviceWaiting& device) { return device.cost.totals.count > 0; }))
    return found;
  std::optional<Replayer> replayer;
  try {
    replayer.emplace(recording);
    found.reference = replayer->version().name;
    replay_devices(*replayer, found);
  } catch (const traces::InputError& error) {
    found.obstacle = error.what();
  }
  for (std::size_t i = 0; i < history.devices.size(); ++i)
    found.devices[i].releases = releases_of(
        history.devices[i], replayer ? replayer->history(history.devices[i].device) : nullptr);
  return found;
}

}  // namespace vramlab::replay
