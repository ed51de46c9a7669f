// HistoryWalk: what walking through a recorded history needs, found once: when each event was,
// which calls the events belong to, what was there at the beginning, where every block is, and
// which pool every segment is of. Pools that the file does not name are inferred from placements
// and releases, as a first guess of what `verify` would try.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/follow/placement_walk.h"
#include "replay/follow/verify.h"

namespace vramlab::replay {

struct HistoryWalk {
  /// By event; they don't go back.
  traces::LongSequence<std::uint64_t> times_us;
  RecordedCalls calls;
  StartingState start;
  Placements placements;
  allocator::Bytes reservation = unknown_reservation;
  /// By life.
  std::vector<allocator::PoolId> pools;
  /// Sentences: why what the walk shows may not be what happened.
  std::vector<std::string> doubts;
};

/// Without pools and doubts. Requires: the history has no impossible part (history_checks).
HistoryWalk walk_blocks(const DeviceHistory& history, const VerifyConditions& conditions);

/// Requires: the same.
HistoryWalk walk_history(const DeviceHistory& history, const VerifyConditions& conditions);

/// Once more, watched. Requires: the walk is one through this history under these conditions.
void watch_history(const DeviceHistory& history, const HistoryWalk& walk,
                   const VerifyConditions& conditions, PlacementWatcher& watcher);

}  // namespace vramlab::replay
