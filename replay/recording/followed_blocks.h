// FollowedBlocks: the live blocks of a device while its history is walked through, each as large
// and in the segment where it was placed, and their sums. Everything that looks at moments derives
// from it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "replay/recording/explained_history.h"
#include "replay/recording/live_blocks.h"
#include "replay/recording/placement_walk.h"

namespace vramlab::replay {

/// A history that was walked through: only its places, times, pools and doubts are looked at.
using HistoryWalk = ExplainedHistory;

/// A moment of a history by how many of its events were done: 0 is the beginning.
using HistoryStep = std::uint64_t;

struct MomentFigures {
  HistoryStep step = 0;
  std::uint64_t time_us = 0;
  /// Memory in use; `active` and `requested` include blocks that wait.
  Bytes allocated;
  Bytes requested;
  Bytes active;
  Bytes reserved;
  Bytes largest_free;
  /// Device calls that got and gave back memory, until then.
  std::uint64_t device_gets = 0;
  std::uint64_t device_releases = 0;

  Bytes waiting() const { return active - allocated; }
  Bytes free() const { return reserved - active; }
  friend bool operator==(const MomentFigures&, const MomentFigures&) = default;
};

class FollowedBlocks : public PlacementWatcher, public LiveBlocks {
 public:
  /// Both must outlive this.
  FollowedBlocks(const DeviceHistory& history, const ExplainedHistory& walk)
      : history_(history), walk_(walk) {}

  void begin(const PlacementBlocks& blocks) final;
  void event_done(std::size_t event, const PlacementBlocks& blocks) final;

 protected:
  /// After the beginning and after each event that has a place.
  virtual void moment_passed(const MomentFigures& figures, const PlacementBlocks& blocks) = 0;

  enum class Change : std::uint8_t { handed_out, given_back, completed };
  virtual void block_changed(Change, const LiveBlock&) {}
  /// The segment got memory from the device, or gave it back.
  virtual void segment_grew(LifeIndex, Bytes) {}
  virtual void segment_shrank(LifeIndex, Bytes) {}

  const DeviceHistory& history() const { return history_; }
  const ExplainedHistory& walk() const { return walk_; }
  /// The step of the event that goes by.
  HistoryStep step() const { return now_.step; }

 private:
  void block_allocated(const LiveBlock& block) final;
  void block_was_there(const LiveBlock& block) final;
  void block_freed(const LiveBlock& block) final;
  void block_completed(const LiveBlock& block) final;
  void grow(LifeIndex life, Bytes size);
  void shrink(LifeIndex life, Bytes size);
  void change_segments(std::size_t event);
  void pass(const PlacementBlocks& blocks);

  const DeviceHistory& history_;
  const ExplainedHistory& walk_;
  MomentFigures now_;
};

/// The state of the blocks as a snapshot, each run of mapped blocks a segment.
Snapshot snapshot_of(const PlacementBlocks& blocks, const LiveBlocks& in_use,
                     const std::vector<PoolId>& pools);

/// Histories that contradict themselves may take more than there is.
inline void take(Bytes& from, Bytes size) { from -= std::min(from, size); }

}  // namespace vramlab::replay
