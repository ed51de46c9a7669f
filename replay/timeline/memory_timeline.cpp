#include "replay/timeline/memory_timeline.h"

#include "allocator/words/id_names.h"
#include "replay/follow/history_walk.h"
#include "replay/timeline/track_figures.h"

namespace vramlab::replay {
std::string track_name(const MemoryTrack& track) {
  if (!track.pool) return "all pools";
  if (track.kind) return "default " + std::string(pool_kind_name(*track.kind));
  return "pool " + name_of(*track.pool);
}

MemoryTimeline find_timeline(const DeviceHistory& history, const VerifyConditions& conditions) {
  MemoryTimeline timeline;
  timeline.device = history.device;
  HistoryWalk walk = walk_history(history, conditions);
  TrackFigures figures({history, walk.times_us, walk.placements, walk.pools}, timeline);
  watch_history(history, walk, conditions, figures);
  for (std::size_t i = 0; i < history.events.size(); ++i)
    if (history.events[i].action == allocator::Action::oom)
      timeline.failures.push_back({walk.times_us[i], history.events[i].size});
  timeline.doubts = std::move(walk.doubts);
  return timeline;
}

}  // namespace vramlab::replay
