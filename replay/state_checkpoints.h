// StateCheckpoints: the states of one device's history, to be looked at in any order. Every so many
// events the blocks are kept; a state is found from the nearest kept one before it, by going on
// event by event. Costs four bytes an event and a copy of what is in use for each checkpoint.
//
// Blocks are where they were recorded. What is free is what is mapped and not in use: free
// neighbours are always one block.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "allocator/snapshot.h"
#include "replay/verify.h"

namespace vramlab::replay {

struct CheckpointBlock {
  allocator::Bytes size;
  allocator::Bytes requested;
  LifeIndex life = no_life;
  bool is_waiting = false;
  /// The request that got it; nothing where it was there before the history began.
  std::optional<std::uint64_t> event;
  friend bool operator==(const CheckpointBlock&, const CheckpointBlock&) = default;
};

struct MappedRange {
  allocator::Bytes size;
  LifeIndex life = no_life;
  friend bool operator==(const MappedRange&, const MappedRange&) = default;
};

struct BlocksAtMoment {
  /// Live and waiting ones.
  std::map<allocator::Address, CheckpointBlock> held;
  /// Classic segments, and pieces of expandable ones.
  std::map<allocator::Address, MappedRange> mapped;
  friend bool operator==(const BlocksAtMoment&, const BlocksAtMoment&) = default;
};

class StateCheckpoints {
 public:
  /// Goes through the history once. Both must outlive this; `explained` must have placements.
  /// Requires: interval is not zero.
  StateCheckpoints(const DeviceHistory& history, const ExplainedHistory& explained,
                   const allocator::Settings& settings, std::size_t interval);

  /// The event included. Requires: there is such an event.
  BlocksAtMoment after(std::size_t event) const;
  /// The same as a snapshot; of free blocks it does not say what was requested last.
  allocator::Snapshot snapshot_after(std::size_t event) const;
  std::size_t checkpoint_count() const { return checkpoints_.size(); }

 private:
  class Collector;
  void apply(std::size_t event, BlocksAtMoment& blocks) const;
  allocator::SnapshotSegment segment_of(const BlocksAtMoment& blocks, allocator::Address begin,
                                        const MappedRange& run) const;

  const DeviceHistory& history_;
  const ExplainedHistory& explained_;
  std::size_t interval_;
  /// Of each request, in smallest blocks; 0 where it has no place.
  std::vector<std::uint32_t> placed_sizes_;
  /// Before event 0, `interval_`, twice that, ...
  std::vector<BlocksAtMoment> checkpoints_;
};

}  // namespace vramlab::replay
