// MemoryTimeline: how much memory a recorded history held at each moment, device by device and pool
// by pool, as walking through it shows (history_walk).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/recording/recorded_history.h"
#include "replay/recording/verify.h"
#include "traces/json/perfetto_writer.h"

namespace vramlab::replay {

/// Whose memory a curve shows. The small and the large pool of the device are apart.
struct MemoryTrack {
  /// Empty for all pools together.
  std::optional<allocator::PoolId> pool;
  std::optional<allocator::PoolKind> kind;
  friend auto operator<=>(const MemoryTrack&, const MemoryTrack&) = default;
};
/// `all pools`, `default small`, `pool (1, 0)`.
std::string track_name(const MemoryTrack& track);

struct MemoryPoint {
  std::uint64_t time_us = 0;
  /// Number of the track.
  std::uint32_t track = 0;
  traces::MemoryFigures figures;
};

struct FailureMoment {
  std::uint64_t time_us = 0;
  allocator::Bytes wanted;
};

struct MemoryTimeline {
  std::int64_t device = 0;
  /// The first one is of all pools.
  std::vector<MemoryTrack> tracks;
  /// A point for each change. Times don't go back: a recorded one that does counts as the one
  /// before.
  std::vector<MemoryPoint> points;
  std::vector<FailureMoment> failures;
  /// Sentences: why the curves may not be what happened; empty where nothing speaks against them.
  std::vector<std::string> doubts;
};

/// Requires: the history has no impossible part (impossible_part).
MemoryTimeline find_timeline(const DeviceHistory& history, const VerifyConditions& conditions);

}  // namespace vramlab::replay
