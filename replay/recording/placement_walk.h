// PlacementWalk: one pass over a history with every block placed where it was recorded. It gives
// each segment a number for its life, says which life each event belongs to, and collects what the
// placements reveal: which segments cannot share a pool, and what every release left behind.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replay/recording/placement_blocks.h"
#include "replay/recording/recorded_calls.h"
#include "replay/recording/settings_in_time.h"
#include "replay/recording/starting_state.h"

namespace vramlab::replay {

/// A run of releases and what it did not take.
struct ReleaseRun {
  /// Index of its call.
  std::size_t call = 0;
  /// No request released this, but a call of the program, or a pool that ended.
  bool is_own_call = false;
  struct Released {
    LifeIndex life = no_life;
    Address address;
    Bytes size;
    bool is_unmap = false;
  };
  std::vector<Released> released;
  /// Lives that a release of everything in their pool would have shrunk, and that it left alone.
  std::vector<LifeIndex> left;
};

struct Placements {
  std::vector<SegmentLife> lives;
  /// For each event that has one.
  traces::LongSequence<LifeIndex> life_of_event;
  /// Pairs that cannot be in one pool.
  std::set<std::pair<LifeIndex, LifeIndex>> apart;
  std::vector<ReleaseRun> releases;
  /// How many addresses an expandable segment reserves, at most.
  Bytes reservation = unknown_reservation;
  /// The first event that has no place; empty where there is none.
  std::string contradiction;
};

/// Hears how the blocks change while a history is walked through. Lives have the same numbers in
/// each walk over a history.
class PlacementWatcher {
 public:
  PlacementWatcher() = default;
  PlacementWatcher(const PlacementWatcher&) = delete;
  PlacementWatcher& operator=(const PlacementWatcher&) = delete;
  virtual ~PlacementWatcher() = default;

  /// The blocks as they are before the first event.
  virtual void begin(const PlacementBlocks& blocks) = 0;
  /// An event is done; not called where it has no place.
  virtual void event_done(std::size_t event, const PlacementBlocks& blocks) = 0;
};

/// A history whose events all have their places.
struct PlacedHistory {
  SettingsPhases phases;
  allocator::PrivateSegments private_segments = allocator::PrivateSegments::as_option_says;
  DeviceRoom room;
  RecordedCalls calls;
  StartingState start;
  Placements placements;
  /// The addresses of an expandable segment, as the walk took them.
  Bytes reservation = unknown_reservation;
};

PlacedHistory place_history(const DeviceHistory& history, SettingsPhases phases,
                            const ReferenceVersion& version);

/// The same walk again, watched.
void watch_placements(const DeviceHistory& history, const PlacedHistory& placed,
                      PlacementWatcher& watcher);

}  // namespace vramlab::replay
