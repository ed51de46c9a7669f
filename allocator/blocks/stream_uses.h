// StreamUses: which other streams used a block, and what is still awaited from them before the
// block can be used again. Few blocks have any, so they lie beside the blocks; slots keep their
// memory.
#pragma once

#include <cstdint>
#include <vector>

#include "allocator/blocks/block.h"
#include "allocator/types/ids.h"

namespace vramlab::allocator {

struct StreamUses {
  /// Ascending; emptied when an event was recorded on each.
  std::vector<StreamId> streams;
  /// Streams recorded during a capture: they need no event after it.
  std::vector<StreamId> in_capture;
  /// For a deferred free: the graph nodes that must have run before the memory is safe. Empty: only
  /// the end of the capture tells.
  std::vector<GraphNode> markers;
  std::uint32_t outstanding_events = 0;
};

class StreamUsesTable {
 public:
  StreamUses& operator[](UsesIndex index) { return uses_[static_cast<std::uint32_t>(index)]; }
  const StreamUses& operator[](UsesIndex index) const {
    return uses_[static_cast<std::uint32_t>(index)];
  }
  UsesIndex create();
  void destroy(UsesIndex index);

 private:
  std::vector<StreamUses> uses_;
  std::vector<UsesIndex> unused_;
};

/// Adds to an ascending row; a stream that is there already stays once.
void add_stream(std::vector<StreamId>& ascending, StreamId stream);

}  // namespace vramlab::allocator
