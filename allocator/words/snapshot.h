// Snapshot: all segments and blocks of one allocator at one moment, as values. Printers, diffs and
// checks work on it and need no live allocator.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "allocator/words/ids.h"

namespace vramlab::allocator {

enum class BlockState : std::uint8_t { active_allocated, active_pending_free, inactive };
std::string_view block_state_name(BlockState state);

enum class PoolKind : std::uint8_t { small, large };
std::string_view pool_kind_name(PoolKind kind);

struct SnapshotBlock {
  Address address;
  Bytes size;
  /// In an inactive block: what the block was last asked for, or a leftover of a split.
  Bytes requested;
  BlockState state = BlockState::inactive;
  friend bool operator==(const SnapshotBlock&, const SnapshotBlock&) = default;
};

/// A classic segment, or one run of mapped blocks of an expandable one.
struct SnapshotSegment {
  Address address;
  Bytes total_size;
  Bytes allocated_size;
  Bytes active_size;
  Bytes requested_size;
  StreamId stream;
  PoolKind kind = PoolKind::small;
  PoolId pool;
  bool is_expandable = false;
  std::vector<SnapshotBlock> blocks;
  friend bool operator==(const SnapshotSegment&, const SnapshotSegment&) = default;
};

/// Segments by ascending address.
struct Snapshot {
  std::vector<SnapshotSegment> segments;
  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

}  // namespace vramlab::allocator
