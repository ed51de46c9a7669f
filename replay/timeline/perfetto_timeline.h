// MemoryTimeline: how much memory a recorded history held at each moment, device by device and pool
// by pool, as following the history shows. It is written with the spans that people named in the
// recording as one trace for ui.perfetto.dev, by time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/recording/explained_history.h"
#include "replay/recording/recorded_history.h"
#include "traces/json/perfetto_writer.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

/// The pool whose memory a curve shows. The small and the large default pool have a track each.
struct MemoryTrack {
  /// Empty for all pools together.
  std::optional<allocator::PoolId> pool;
  std::optional<allocator::PoolKind> kind;
  friend auto operator<=>(const MemoryTrack&, const MemoryTrack&) = default;
};
/// Such as `all pools`, `default small` or `pool (1, 0)`.
std::string track_name(const MemoryTrack& track);

struct MemoryPoint {
  std::uint64_t time_us = 0;
  /// Index of the track.
  std::uint32_t track = 0;
  traces::MemoryFigures figures;
};

struct FailureMoment {
  std::uint64_t time_us = 0;
  allocator::Bytes wanted;
};

struct MemoryTimeline {
  std::int64_t device = 0;
  /// The first track is of all pools.
  std::vector<MemoryTrack> tracks;
  /// A point for each change. Times don't go back: a recorded time that does counts as the one
  /// before.
  std::vector<MemoryPoint> points;
  std::vector<FailureMoment> failures;
  /// Sentences about reasons to doubt the curves.
  std::vector<std::string> doubts;
};

/// Requires: the history is placed.
MemoryTimeline find_timeline(const DeviceHistory& history, const ExplainedHistory& explained);

/// Writes the timelines of the devices, their failed requests and the spans, merged by time.
/// `texts` has the names of the spans.
void write_perfetto(const std::vector<MemoryTimeline>& timelines,
                    const std::vector<AnnotationSpan>& spans, const traces::TextTable& texts,
                    traces::PerfettoWriter& writer);

}  // namespace vramlab::replay
