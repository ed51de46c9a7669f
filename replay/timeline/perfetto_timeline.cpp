#include "replay/timeline/perfetto_timeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "allocator/types/bytes_and_ids.h"
#include "replay/recording/followed_blocks.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;
using allocator::PoolId;
using traces::MemoryFigures;

MemoryTrack track_for(PoolId pool, allocator::PoolKind kind) {
  if (pool == allocator::default_pool) return {pool, kind};
  return {pool, std::nullopt};
}

/// The memory that each pool of a device holds while its history is followed.
class TrackFigures : public FollowedBlocks {
 public:
  /// Adds points and tracks to the timeline. All three must outlive this.
  TrackFigures(const DeviceHistory& history, const HistoryWalk& walk, MemoryTimeline& timeline)
      : FollowedBlocks(history, walk), timeline_(timeline) {
    const std::vector<SegmentLife>& lives = walk.placements.lives;
    std::map<MemoryTrack, std::uint32_t> numbers;
    for (LifeIndex life = 0; life < lives.size(); ++life)
      numbers[track_for(walk.pools[life], lives[life].kind)] = 0;
    timeline_.tracks = {MemoryTrack{}};
    for (auto& [track, number] : numbers) {
      number = static_cast<std::uint32_t>(timeline_.tracks.size());
      timeline_.tracks.push_back(track);
    }
    for (LifeIndex life = 0; life < lives.size(); ++life)
      track_of_life_.push_back(numbers[track_for(walk.pools[life], lives[life].kind)]);
    figures_.resize(timeline_.tracks.size());
    told_.resize(timeline_.tracks.size());
  }

 private:
  void moment_passed(const MomentFigures& all, const PlacementBlocks& blocks) override {
    if (changed_.empty() && all.step > 0) return;
    for (const std::uint32_t track : changed_) {
      figures_[track].largest_free = largest_free_of(track, blocks);
      tell_if_changed(track, all.time_us);
    }
    changed_.clear();
    figures_[0] = {all.allocated, all.reserved, all.largest_free};
    tell_if_changed(0, all.time_us);
  }

  /// A block that waits for other streams is no longer in use, but not free yet.
  void block_changed(Change change, const LiveBlock& block) override {
    MemoryFigures& figures = figures_of(block.life);
    if (change == Change::handed_out) figures.allocated += block.bytes;
    if (change == Change::given_back) take(figures.allocated, block.bytes);
  }

  void segment_grew(LifeIndex life, Bytes size) override { figures_of(life).reserved += size; }
  void segment_shrank(LifeIndex life, Bytes size) override {
    take(figures_of(life).reserved, size);
  }

  MemoryFigures& figures_of(LifeIndex life) {
    const std::uint32_t track = track_of_life_[life];
    changed_.insert(track);
    return figures_[track];
  }

  Bytes largest_free_of(std::uint32_t track, const PlacementBlocks& blocks) const {
    const auto kind = timeline_.tracks[track].kind;
    Bytes largest;
    for (const auto& [group, set] : blocks.all_free_blocks()) {
      if (kind && group.of.kind != *kind) continue;
      for (auto at = set.rbegin(); at != set.rend() && at->first > largest; ++at)
        if (track_of_life_[blocks.find(at->second)->life] == track) largest = at->first;
    }
    return largest;
  }

  void tell_if_changed(std::uint32_t track, std::uint64_t time_us) {
    if (told_[track] == figures_[track]) return;
    told_[track] = figures_[track];
    timeline_.points.push_back({time_us, track, figures_[track]});
  }

  MemoryTimeline& timeline_;
  std::vector<std::uint32_t> track_of_life_;
  /// The current figures by track.
  std::vector<traces::MemoryFigures> figures_;
  /// The figures of the last point of each track.
  std::vector<std::optional<traces::MemoryFigures>> told_;
  /// Tracks that changed since the last moment.
  std::set<std::uint32_t> changed_;
};

using traces::PerfettoPlace;

/// A thing to write, as a place in one of the lists.
struct Item {
  enum class Kind : std::uint8_t { slice_end, figures, failure, slice_begin };
  std::uint64_t time_us = 0;
  Kind kind = Kind::figures;
  /// Index of the timeline or the span.
  std::uint32_t list = 0;
  std::size_t index = 0;
};

class PerfettoTrace {
 public:
  PerfettoTrace(const std::vector<MemoryTimeline>& timelines,
                const std::vector<AnnotationSpan>& spans, const traces::TextTable& texts,
                traces::PerfettoWriter& writer)
      : timelines_(timelines), spans_(spans), texts_(texts), writer_(writer) {}

  void write() {
    write_beginning();
    for (std::uint32_t list = 0; list < timelines_.size(); ++list) collect_timeline(list);
    collect_spans();
    std::stable_sort(items_.begin(), items_.end(),
                     [](const Item& a, const Item& b) { return a.time_us < b.time_us; });
    for (const Item& item : items_) write_item(item);
  }

 private:
  void write_beginning() {
    std::set<std::int64_t> devices;
    for (const MemoryTimeline& timeline : timelines_) {
      devices.insert(timeline.device);
      for (const std::string& doubt : timeline.doubts)
        writer_.note("device " + std::to_string(timeline.device) + ": " + doubt);
    }
    for (const AnnotationSpan& span : spans_) devices.insert(span.device);
    for (const std::int64_t device : devices) writer_.device(device);
  }

  /// Failures are sorted among the points by their times.
  void collect_timeline(std::uint32_t list) {
    const MemoryTimeline& timeline = timelines_[list];
    for (std::size_t i = 0; i < timeline.points.size(); ++i)
      items_.push_back({timeline.points[i].time_us, Item::Kind::figures, list, i});
    for (std::size_t i = 0; i < timeline.failures.size(); ++i)
      items_.push_back({timeline.failures[i].time_us, Item::Kind::failure, list, i});
  }

  /// A span's beginning is collected before its end, so that it stays first where both have the
  /// same time.
  void collect_spans() {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t last = 0;
    const auto widen = [&](std::uint64_t time_us) {
      first = std::min(first, time_us);
      last = std::max(last, time_us);
    };
    for (const Item& item : items_) widen(item.time_us);
    for (const AnnotationSpan& span : spans_) {
      if (span.begin_us) widen(*span.begin_us);
      if (span.end_us) widen(*span.end_us);
    }
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const std::uint64_t begin = spans_[i].begin_us.value_or(first);
      const std::uint64_t end = std::max(begin, spans_[i].end_us.value_or(last));
      items_.push_back({begin, Item::Kind::slice_begin, 0, i});
      items_.push_back({end, Item::Kind::slice_end, 0, i});
    }
  }

  void write_item(const Item& item) {
    switch (item.kind) {
      case Item::Kind::figures:
        return write_figures(timelines_[item.list], timelines_[item.list].points[item.index]);
      case Item::Kind::failure: {
        const MemoryTimeline& timeline = timelines_[item.list];
        return writer_.moment({timeline.device, item.time_us}, "out of memory",
                              timeline.failures[item.index].wanted);
      }
      case Item::Kind::slice_begin:
      case Item::Kind::slice_end: {
        const AnnotationSpan& span = spans_[item.index];
        const PerfettoPlace place{span.device, item.time_us};
        const traces::PerfettoSlice slice{texts_.text(span.name), item.index};
        if (item.kind == Item::Kind::slice_begin)
          writer_.slice_begin(place, slice);
        else
          writer_.slice_end(place, slice);
        return;
      }
    }
  }

  void write_figures(const MemoryTimeline& timeline, const MemoryPoint& point) {
    writer_.figures({timeline.device, point.time_us}, track_name(timeline.tracks[point.track]),
                    point.figures);
  }

  const std::vector<MemoryTimeline>& timelines_;
  const std::vector<AnnotationSpan>& spans_;
  const traces::TextTable& texts_;
  traces::PerfettoWriter& writer_;
  std::vector<Item> items_;
};

}  // namespace

std::string track_name(const MemoryTrack& track) {
  if (!track.pool) return "all pools";
  if (track.kind) return "default " + std::string(pool_kind_name(*track.kind));
  return "pool " + name_of(*track.pool);
}

MemoryTimeline find_timeline(const DeviceHistory& history, const ExplainedHistory& explained) {
  MemoryTimeline timeline;
  timeline.device = history.device;
  TrackFigures figures(history, explained, timeline);
  watch_placements(history, explained, figures);
  for (std::size_t i = 0; i < history.events.size(); ++i)
    if (history.events[i].action == allocator::Action::oom)
      timeline.failures.push_back({explained.times_us[i], history.events[i].size});
  timeline.doubts = explained.doubts;
  return timeline;
}

void write_perfetto(const std::vector<MemoryTimeline>& timelines,
                    const std::vector<AnnotationSpan>& spans, const traces::TextTable& texts,
                    traces::PerfettoWriter& writer) {
  PerfettoTrace(timelines, spans, texts, writer).write();
}

}  // namespace vramlab::replay
