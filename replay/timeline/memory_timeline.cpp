#include "replay/timeline/memory_timeline.h"

#include <map>
#include <set>

#include "allocator/types/bytes_and_ids.h"
#include "replay/recording/followed_blocks.h"
#include "traces/model/known_texts.h"

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
    for (const auto& [one_class, set] : blocks.all_free_blocks()) {
      if (kind && one_class.kind != *kind) continue;
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

}  // namespace

std::string track_name(const MemoryTrack& track) {
  if (!track.pool) return "all pools";
  if (track.kind) return "default " + std::string(pool_kind_name(*track.kind));
  return "pool " + name_of(*track.pool);
}

MemoryTimeline find_timeline(const DeviceHistory& history, const VerifyConditions& conditions) {
  MemoryTimeline timeline;
  timeline.device = history.device;
  HistoryWalk walk = walk_history(history, conditions);
  TrackFigures figures(history, walk, timeline);
  watch_placements(history, walk, figures);
  for (std::size_t i = 0; i < history.events.size(); ++i)
    if (history.events[i].action == allocator::Action::oom)
      timeline.failures.push_back({walk.times_us[i], history.events[i].size});
  timeline.doubts = std::move(walk.doubts);
  return timeline;
}

void AnnotationCollector::add(const traces::AnnotationValue& annotation) {
  if (!annotation.keys.has(traces::KnownText::time_us)) return;
  std::vector<std::size_t>& open = open_[{annotation.device, annotation.name}];
  AnnotationSpan span{annotation.device, annotation.name, {}, {}};
  if (annotation.stage == traces::TextId(traces::KnownText::start)) {
    span.begin_us = annotation.time_us;
    open.push_back(spans_.size());
    spans_.push_back(span);
  } else if (annotation.stage == traces::TextId(traces::KnownText::end)) {
    if (open.empty()) {
      span.end_us = annotation.time_us;
      spans_.push_back(span);
      return;
    }
    spans_[open.back()].end_us = annotation.time_us;
    open.pop_back();
  }
}

}  // namespace vramlab::replay
