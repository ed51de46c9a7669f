// HeldByGroup: the memory of a history's blocks by group, as events pass: each block counts for its
// group from its request until its free is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "replay/recording/placed_events.h"

namespace vramlab::replay {

class HeldByGroup : public PlacedEvents {
 protected:
  using PlacedEvents::PlacedEvents;

  virtual std::size_t group_of(const LiveBlock& block) = 0;
  virtual void came(std::size_t group, Bytes bytes) = 0;
  virtual void went(std::size_t group, Bytes bytes) = 0;
  /// How much a block counts for.
  virtual Bytes bytes_of(const LiveBlock& block) { return block.bytes; }
  /// Called before the event changes anything.
  virtual void comes_to(const MemoryEvent& /*event*/) {}

 private:
  struct Held {
    std::size_t group = 0;
    Bytes bytes;
  };

  void block_was_before(const LiveBlock& block) final { add(block); }
  void passed(const MemoryEvent& event) final;
  void add(const LiveBlock& block);
  void remove(std::uint64_t key);

  /// Looked up only.
  std::unordered_map<std::uint64_t, Held> held_;
};

}  // namespace vramlab::replay
