// FollowedBlocks: the blocks in use of a device while its history is walked through, with what each
// was asked for, when and where, and what all of them add up to. Whoever wants to look at moments
// derives from it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "replay/follow/history_walk.h"

namespace vramlab::replay {

/// A moment of a history by how many of its events were done: 0 is the beginning.
using HistoryStep = std::uint64_t;

/// In use, or given back and waiting for other streams.
struct FollowedBlock {
  allocator::Bytes size;
  allocator::Bytes requested;
  bool waits = false;
  /// The step that handed it out; 0 of a block that was there at the beginning.
  HistoryStep since = 0;
  /// Where in the program; empty where nobody says.
  traces::StackId stack;
  LifeIndex life = no_life;
  friend bool operator==(const FollowedBlock&, const FollowedBlock&) = default;
};
using BlocksInUse = std::map<allocator::Address, FollowedBlock>;

struct MomentFigures {
  HistoryStep step = 0;
  std::uint64_t time_us = 0;
  /// In use; `active` has what waits, too. Requested: of both.
  allocator::Bytes allocated;
  allocator::Bytes requested;
  allocator::Bytes active;
  allocator::Bytes reserved;
  allocator::Bytes largest_free;
  /// Device calls that got and gave back memory, until then.
  std::uint64_t device_gets = 0;
  std::uint64_t device_releases = 0;

  allocator::Bytes waiting() const { return active - allocated; }
  allocator::Bytes free() const { return reserved - active; }
  friend bool operator==(const MomentFigures&, const MomentFigures&) = default;
};

/// Where blocks that were there at the beginning were asked for, as the file's final state says.
using StartStacks = std::map<allocator::Address, traces::StackId>;

class FollowedBlocks : public PlacementWatcher {
 public:
  /// All must outlive this.
  FollowedBlocks(const DeviceHistory& history, const HistoryWalk& walk,
                 const StartStacks& start_stacks);

  void begin(const PlacementBlocks& blocks) final;
  void event_done(std::size_t event, const PlacementBlocks& blocks) final;

 protected:
  /// After the beginning and after each event that has a place.
  virtual void moment_passed(const MomentFigures& figures, const PlacementBlocks& blocks) = 0;

  /// The blocks that the last event handed out, gave back or completed.
  enum class Change : std::uint8_t { handed_out, given_back, completed };
  virtual void block_changed(Change, allocator::Address, const FollowedBlock&) {}

  const BlocksInUse& in_use() const { return in_use_; }
  const DeviceHistory& history() const { return history_; }
  const HistoryWalk& walk() const { return walk_; }

 private:
  void adopt(allocator::Address at, const PlacedBlock& block);
  void apply(std::size_t event, const PlacementBlocks& blocks);
  void hand_out(std::size_t event, const PlacementBlocks& blocks);
  void give_back(const allocator::AllocatorEvent& event);
  void pass(const PlacementBlocks& blocks);

  const DeviceHistory& history_;
  const HistoryWalk& walk_;
  const StartStacks& start_stacks_;
  MomentFigures now_;
  BlocksInUse in_use_;
};

/// The state of the blocks as a snapshot, each run of mapped blocks a segment.
allocator::Snapshot snapshot_of(const PlacementBlocks& blocks, const BlocksInUse& in_use,
                                const std::vector<allocator::PoolId>& pools);

}  // namespace vramlab::replay
