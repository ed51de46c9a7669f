// Snapshot: all segments and blocks of one allocator at one moment, as values; with them the
// entries of its history, its statistics and the checkpoints of private pools. Printers, diffs and
// checks work on these and need no live allocator.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

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

enum class Action : std::uint8_t {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  snapshot,
  oom,
};

/// The word the reference uses, such as "free_requested".
std::string_view action_name(Action action);

/// One entry of the allocation history, as the reference's trace shows it.
struct AllocatorEvent {
  Action action = Action::alloc;
  /// In an `oom` entry: the device's free bytes instead of an address.
  Address address;
  /// alloc, free_*: requested bytes; segment_*: the range's; oom: the rounded size; snapshot:
  /// active bytes.
  Bytes size;
  /// The block's own stream, also on frees.
  StreamId stream;
  PoolId pool;
  std::uint64_t time_us = 0;

  friend bool operator==(const AllocatorEvent&, const AllocatorEvent&) = default;
};

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

/// How a private pool was cut into blocks, so that it can be cut the same way again. Segments by
/// ascending address; an expandable segment ends with its unmapped rest.
struct Checkpoint {
  PoolId pool;
  std::vector<CheckpointSegment> segments;
};

struct RestoredBlock {
  Address address;
  Bytes size;
};

/// The work of restoring a checkpoint: each list by ascending address inside its segment order.
struct RestoreResult {
  std::vector<Address> freed;
  std::vector<RestoredBlock> created;
};

/// One counter: its value now, the highest it had, and the sums of its increases and decreases.
struct StatisticValue {
  std::int64_t current = 0;
  std::int64_t peak = 0;
  std::int64_t allocated = 0;
  std::int64_t freed = 0;
  friend bool operator==(const StatisticValue&, const StatisticValue&) = default;
};

/// Private pools count as small or large.
struct PooledStatistic {
  StatisticValue all;
  StatisticValue small_pool;
  StatisticValue large_pool;
  friend bool operator==(const PooledStatistic&, const PooledStatistic&) = default;
};

struct StatisticValues {
  PooledStatistic allocation;
  PooledStatistic segment;
  PooledStatistic active;
  PooledStatistic inactive_split;
  PooledStatistic allocated_bytes;
  PooledStatistic reserved_bytes;
  PooledStatistic active_bytes;
  PooledStatistic inactive_split_bytes;
  PooledStatistic requested_bytes;
  StatisticValue oversize_allocations;
  StatisticValue oversize_segments;
  std::int64_t num_alloc_retries = 0;
  std::int64_t num_ooms = 0;
  std::int64_t num_sync_all_streams = 0;
  std::int64_t num_device_alloc = 0;
  std::int64_t num_device_free = 0;
  std::int64_t num_oom_rejections = 0;
  friend bool operator==(const StatisticValues&, const StatisticValues&) = default;
};

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::BlockState, allocator::PoolKind, allocator::SnapshotBlock,
    allocator::SnapshotSegment, allocator::Snapshot, allocator::Action, allocator::AllocatorEvent;
using allocator::StatisticValue, allocator::StatisticValues;
}  // namespace vramlab
