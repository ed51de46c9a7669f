// Checkpoint of a private pool: what lay where, so that the pool can be cut the same way again.
#pragma once

#include <vector>

#include "allocator/words/ids.h"

namespace vramlab::allocator {

enum class CheckpointBlockState : std::uint8_t { allocated, free, unmapped };

struct CheckpointBlock {
  Address address;
  Bytes size;
  CheckpointBlockState state = CheckpointBlockState::free;
  friend bool operator==(const CheckpointBlock&, const CheckpointBlock&) = default;
};

struct CheckpointSegment {
  StreamId stream;
  std::vector<CheckpointBlock> blocks;
  friend bool operator==(const CheckpointSegment&, const CheckpointSegment&) = default;
};

/// Segments by ascending address; an expandable one ends with its unmapped rest.
struct Checkpoint {
  PoolId pool;
  std::vector<CheckpointSegment> segments;
};

struct RestoredBlock {
  Address address;
  Bytes size;
};

/// What restoring a checkpoint did, each list by ascending address inside its segment order.
struct RestoreResult {
  std::vector<Address> freed;
  std::vector<RestoredBlock> created;
};

}  // namespace vramlab::allocator
