#include "replay/memory_timeline.h"

#include <algorithm>

#include "allocator/id_names.h"
#include "replay/track_figures.h"

namespace vramlab::replay {
namespace {

/// As recorded, but never back; where none is recorded, the events are a microsecond apart.
std::vector<std::uint64_t> times_of(const DeviceHistory& history,
                                    std::vector<std::string>& doubts) {
  std::vector<std::uint64_t> times;
  std::uint64_t last = 0;
  for (const allocator::AllocatorEvent& event : history.events)
    times.push_back(last = std::max(last, event.time_us));
  if (last > 0 || times.empty()) return times;
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = i;
  doubts.emplace_back("the events have no times: each is shown a microsecond after the one before");
  return times;
}

struct Walked {
  std::vector<RecordedCall> calls;
  StartingState start;
  Placements placements;
  allocator::Bytes reservation = unknown_reservation;
};

/// Twice where reservations have a known size: it bounds how far they reach.
Walked walk(const DeviceHistory& history, const allocator::Settings& settings) {
  Walked walked;
  walked.calls = cut_into_calls(history);
  for (int round = 0; round < 2; ++round) {
    walked.start = find_starting_state(history, settings, walked.reservation);
    walked.placements =
        walk_placements(history, walked.start, walked.calls, settings, walked.reservation);
    if (walked.placements.reservation == walked.reservation || round == 1) break;
    walked.reservation = walked.placements.reservation;
  }
  return walked;
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

void note_doubts(const DeviceHistory& history, const Walked& walked,
                 const std::vector<allocator::PoolId>& pools, MemoryTimeline& timeline) {
  std::vector<std::string>& doubts = timeline.doubts;
  if (!walked.start.contradiction.empty()) doubts.push_back(walked.start.contradiction);
  if (!walked.placements.contradiction.empty()) doubts.push_back(walked.placements.contradiction);
  if (walked.start.assumed_extent_count > 0)
    doubts.push_back(std::to_string(walked.start.assumed_extent_count) +
                     " blocks were there before the first event and are as large as the room "
                     "around them allows");
  std::uint64_t inferred = 0;
  for (LifeIndex life = 0; life < pools.size(); ++life)
    if (!walked.placements.lives[life].pool && pools[life] != allocator::default_pool) ++inferred;
  if (inferred > 0)
    doubts.push_back("the private pool of " + std::to_string(inferred) +
                     " segments is inferred from placements");
  if (history.traits.unknown_event_count > 0)
    doubts.push_back(std::to_string(history.traits.unknown_event_count) +
                     " events are of unknown kinds and left out");
}

}  // namespace

std::string track_name(const MemoryTrack& track) {
  if (!track.pool) return "all pools";
  if (track.kind) return "default " + std::string(pool_kind_name(*track.kind));
  return "pool " + name_of(*track.pool);
}

MemoryTimeline find_timeline(const DeviceHistory& history, const VerifyConditions& conditions) {
  const allocator::Settings& settings = conditions.settings.settings;
  MemoryTimeline timeline;
  timeline.device = history.device;
  const std::vector<std::uint64_t> times = times_of(history, timeline.doubts);
  const Walked walked = walk(history, settings);
  const std::vector<allocator::PoolId> pools = pools_of(history, walked.placements, conditions);
  TrackFigures figures({history, times, walked.placements, pools}, timeline);
  watch_placements({history, walked.start, walked.calls, settings, walked.reservation}, figures);
  for (std::size_t i = 0; i < history.events.size(); ++i)
    if (history.events[i].action == allocator::Action::oom)
      timeline.failures.push_back({times[i], history.events[i].size});
  note_doubts(history, walked, pools, timeline);
  return timeline;
}

}  // namespace vramlab::replay
