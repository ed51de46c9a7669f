// What the shim tells of itself: statistics as lines of text, and a snapshot that
// `vramlab info`, `snapshot` and `diff` read. Spelled by hand: the shim is loaded into any process
// and brings no library with it.
#pragma once

#include <string>
#include <vector>

#include "allocator/types/snapshot.h"
#include "tools/preload/shim/arena.h"

namespace vramlab::shim {

using ArenaHistory = std::vector<HistoryEntry>;

struct ArenaReport {
  int device = 0;
  StatisticValues statistics;
  Snapshot snapshot;
  ArenaHistory history{};
};

/// One device's list of `device_traces`, by time: each arena has memory of its own.
std::string history_json(const std::vector<const ArenaHistory*>& arenas, const TakenStacks& stacks);
std::string statistics_text(const std::vector<ArenaReport>& arenas);
std::string snapshot_json(const std::vector<ArenaReport>& arenas, const std::string& settings,
                          const TakenStacks& stacks);

/// What the arena says now; nothing where nothing was allocated in it.
void add_report(std::vector<ArenaReport>& reports, Arena& arena);
}  // namespace vramlab::shim
