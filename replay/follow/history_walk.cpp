#include "replay/follow/history_walk.h"

#include <algorithm>

namespace vramlab::replay {
namespace {

/// As recorded, but never back; where none is recorded, the events are a microsecond apart.
void find_times(const DeviceHistory& history, HistoryWalk& walk) {
  walk.times_us = traces::LongSequence<std::uint64_t>(history.events.place());
  const bool has_times = std::ranges::any_of(
      history.events, [](const allocator::AllocatorEvent& event) { return event.time_us > 0; });
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < history.events.size(); ++i)
    walk.times_us.push_back(last = has_times ? std::max(last, history.events[i].time_us) : i);
  if (has_times || walk.times_us.empty()) return;
  walk.doubts.emplace_back("the events have no times: they are shown one microsecond apart");
}

/// Twice where reservations have a known size: it bounds how far they reach.
void find_placements(const DeviceHistory& history, const allocator::Settings& settings,
                     HistoryWalk& walk) {
  walk.calls = cut_into_calls(history);
  for (int round = 0; round < 2; ++round) {
    walk.start = find_starting_state(history, settings, walk.reservation);
    walk.placements = walk_placements(history, walk.start, walk.calls, settings, walk.reservation);
    if (walk.placements.reservation == walk.reservation || round == 1) break;
    walk.reservation = walk.placements.reservation;
  }
}

bool says_every_pool(const Placements& placements) {
  return std::ranges::all_of(placements.lives,
                             [](const SegmentLife& life) { return life.pool.has_value(); });
}

/// By life. Following the history with the engine costs most, so that is done only for pools that
/// the file does not say.
std::vector<allocator::PoolId> pools_of(const DeviceHistory& history, const Placements& placements,
                                        const VerifyConditions& conditions) {
  if (!says_every_pool(placements)) {
    ExplainedHistory explained = explain(history, conditions);
    if (explained.pools.size() == placements.lives.size()) return std::move(explained.pools);
  }
  std::vector<allocator::PoolId> pools;
  for (const SegmentLife& life : placements.lives)
    pools.push_back(life.pool.value_or(allocator::default_pool));
  return pools;
}

void note_doubts(const DeviceHistory& history, HistoryWalk& walk) {
  std::vector<std::string>& doubts = walk.doubts;
  if (!walk.start.contradiction.empty()) doubts.push_back(walk.start.contradiction);
  if (!walk.placements.contradiction.empty()) doubts.push_back(walk.placements.contradiction);
  if (walk.start.assumed_extent_count > 0)
    doubts.push_back(std::to_string(walk.start.assumed_extent_count) +
                     " blocks are older than the first event: their sizes are guessed from the "
                     "room around them");
  std::uint64_t inferred = 0;
  for (LifeIndex life = 0; life < walk.pools.size(); ++life)
    if (!walk.placements.lives[life].pool && walk.pools[life] != allocator::default_pool)
      ++inferred;
  if (inferred > 0)
    doubts.push_back("the private pool of " + std::to_string(inferred) +
                     " segments is inferred from placements");
  if (history.traits.unknown_event_count > 0)
    doubts.push_back(std::to_string(history.traits.unknown_event_count) +
                     " events are of unknown kinds and left out");
}

}  // namespace

HistoryWalk walk_blocks(const DeviceHistory& history, const VerifyConditions& conditions) {
  HistoryWalk walk;
  find_times(history, walk);
  find_placements(history, conditions.settings.settings, walk);
  return walk;
}

HistoryWalk walk_history(const DeviceHistory& history, const VerifyConditions& conditions) {
  HistoryWalk walk = walk_blocks(history, conditions);
  walk.pools = pools_of(history, walk.placements, conditions);
  note_doubts(history, walk);
  return walk;
}

void watch_history(const DeviceHistory& history, const HistoryWalk& walk,
                   const VerifyConditions& conditions, PlacementWatcher& watcher) {
  watch_placements(
      {history, walk.start, walk.calls, conditions.settings.settings, walk.reservation}, watcher);
}

}  // namespace vramlab::replay
