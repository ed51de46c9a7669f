#include "replay/waiting/recorded_waiting.h"

#include <algorithm>
#include <map>

#include "traces/files/input_error.h"
#include "traces/values/user_frame.h"

namespace vramlab::replay {
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
  const RecordedCalls calls = cut_into_calls(history);
  WaitingReleases releases(history, calls, emptied);
  walk_waiting_frees(history, releases);
  return releases.take();
}

/// Both replays, or why there are none.
void replay_devices(const Recording& recording, RecordedWaiting& found) {
  EagerReplay eager = replay_eagerly(recording);
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

RecordedWaiting find_waiting(const std::string& file, const RecordedHistory& history,
                             const traces::SnapshotTables& tables,
                             const allocator::ReferenceVersion* version) {
  RecordedWaiting found;
  found.reference = version != nullptr ? version->name : guess_reference(history).name;
  for (const DeviceHistory& device : history.devices) {
    DeviceWaiting& added = found.devices.emplace_back();
    added.cost = waiting_cost(device);
    added.places = places_of(added.cost.sites, tables);
  }
  if (std::ranges::none_of(
          found.devices, [](const DeviceWaiting& device) { return device.cost.totals.count > 0; }))
    return found;
  std::optional<Recording> recording;
  try {
    recording.emplace(file, history, tables.texts, version);
    replay_devices(*recording, found);
  } catch (const traces::InputError& error) {
    found.obstacle = error.what();
  }
  for (std::size_t i = 0; i < history.devices.size(); ++i)
    found.devices[i].releases = releases_of(
        history.devices[i], recording ? recording->history(history.devices[i].device) : nullptr);
  return found;
}

}  // namespace vramlab::replay
