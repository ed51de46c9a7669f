// MemoryTimeline: how much memory a recorded history held at each moment, device by device and pool
// by pool, as following the history shows. Annotations, which people put into a recording, become
// spans of time. Both are written as one trace for ui.perfetto.dev, by time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/recording/recorded_history.h"
#include "replay/recording/verify.h"
#include "traces/json/perfetto_writer.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

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

/// Requires: the history has no impossible part (impossible_part).
MemoryTimeline find_timeline(const DeviceHistory& history, const VerifyConditions& conditions);

/// A named span of a recording: a beginning with the next end of the same name on the same device.
/// If its beginning or end was not recorded, the span reaches to that end of the recording.
struct AnnotationSpan {
  std::int64_t device = 0;
  traces::TextId name;
  /// Empty if it was not recorded.
  std::optional<std::uint64_t> begin_us;
  std::optional<std::uint64_t> end_us;
  friend bool operator==(const AnnotationSpan&, const AnnotationSpan&) = default;
};

/// Makes spans of the annotations that a reader finds. Annotations without a time are left out.
class AnnotationCollector {
 public:
  void add(const traces::AnnotationValue& annotation);
  /// In the order in which the first annotation of each was seen.
  const std::vector<AnnotationSpan>& spans() const { return spans_; }

 private:
  std::vector<AnnotationSpan> spans_;
  /// Spans that have not ended, the innermost last.
  std::map<std::pair<std::int64_t, traces::TextId>, std::vector<std::size_t>> open_;
};

/// Writes the timelines of the devices, their failed requests and the spans, merged by time.
/// `texts` has the names of the spans.
void write_perfetto(const std::vector<MemoryTimeline>& timelines,
                    const std::vector<AnnotationSpan>& spans, const traces::TextTable& texts,
                    traces::PerfettoWriter& writer);

}  // namespace vramlab::replay
