// TrackFigures: what the pools of a device hold, kept up to date while a history is walked through.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "replay/follow/placement_walk.h"
#include "replay/timeline/memory_timeline.h"

namespace vramlab::replay {

class TrackFigures : public PlacementWatcher {
 public:
  struct Input {
    const DeviceHistory& history;
    /// By event; they don't go back.
    const traces::LongSequence<std::uint64_t>& times_us;
    /// Of another walk over the history.
    const Placements& placements;
    /// By life.
    const std::vector<allocator::PoolId>& pools;
  };
  /// All of it must outlive this. Points and tracks are added to the timeline.
  TrackFigures(const Input& input, MemoryTimeline& timeline);

  void begin(const PlacementBlocks& blocks) override;
  void event_done(std::size_t event, const PlacementBlocks& blocks) override;

 private:
  struct Held {
    allocator::Bytes size;
    std::uint32_t track = 0;
    bool is_in_use = true;
  };

  std::uint32_t track_of(LifeIndex life) const { return track_of_life_[life]; }
  void adopt(allocator::Address at, const PlacedBlock& block);
  /// The track whose figures the event changes; nothing where it changes none.
  std::optional<std::uint32_t> apply(std::size_t event, const PlacementBlocks& blocks);
  std::optional<std::uint32_t> hand_out(allocator::Address at, const PlacementBlocks& blocks);
  std::optional<std::uint32_t> give_back(const allocator::AllocatorEvent& event);
  allocator::Bytes largest_free_of(std::uint32_t track, const PlacementBlocks& blocks) const;
  void sum_up();
  void tell_if_changed(std::uint32_t track, std::uint64_t time_us);

  const Input input_;
  MemoryTimeline& timeline_;
  /// By life.
  std::vector<std::uint32_t> track_of_life_;
  /// By track, now.
  std::vector<traces::MemoryFigures> figures_;
  /// What the last point of each track says.
  std::vector<std::optional<traces::MemoryFigures>> told_;
  std::map<allocator::Address, Held> held_;
};

}  // namespace vramlab::replay
