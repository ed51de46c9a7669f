// The views of the twin: snapshots and the figures of a failed request.
#include "tests/support/twin/textbook_twin.h"

namespace vramlab::tests {

using allocator::BlockState;
using allocator::Snapshot;
using allocator::SnapshotBlock;
using allocator::SnapshotSegment;

namespace {

BlockState state_of(const Block& block) {
  if (block.allocated) return BlockState::active_allocated;
  return block.is_free() ? BlockState::inactive : BlockState::active_pending_free;
}

SnapshotSegment describe_run(const Segment& segment, const std::vector<const Block*>& run) {
  SnapshotSegment shown;
  shown.address = run.front()->address;
  shown.stream = segment.stream;
  shown.kind = segment.pool->kind;
  shown.pool = segment.pool->id;
  shown.is_expandable = segment.is_expandable();
  for (const Block* block : run) {
    const BlockState state = state_of(*block);
    shown.total_size += block->size;
    if (state == BlockState::active_allocated) shown.allocated_size += block->size;
    if (state != BlockState::inactive) {
      shown.active_size += block->size;
      shown.requested_size += block->requested;
    }
    shown.blocks.push_back({block->address, block->size, block->requested, state});
  }
  return shown;
}

void show_mapped_runs(const Segment& segment, Snapshot& snapshot) {
  std::vector<const Block*> run;
  const auto end_run = [&] {
    if (!run.empty()) snapshot.segments.push_back(describe_run(segment, run));
    run.clear();
  };
  for (const Block* block : blocks_of(segment)) {
    if (block->mapped)
      run.push_back(block);
    else
      end_run();
  }
  end_run();
}

}  // namespace

Snapshot TextbookTwin::take_snapshot() {
  Snapshot snapshot;
  for (const auto& [address, segment] : segments_) show_mapped_runs(*segment, snapshot);
  Bytes active;
  for (const SnapshotSegment& segment : snapshot.segments) active += segment.active_size;
  record(allocator::Action::snapshot, Address{}, active, StreamId{}, allocator::default_pool);
  return snapshot;
}

allocator::OutOfMemory TextbookTwin::figures(const Request& request) {
  const allocator::MemoryInfo memory = device_.memory_info();
  allocator::OutOfMemory failure;
  failure.outcome = request.outcome;
  failure.request = request.asked;
  failure.device_size = request.device_size;
  failure.device_total = memory.total;
  failure.device_free = memory.free;
  failure.allowed = allowed_;
  failure.allocated = Bytes{static_cast<std::uint64_t>(values_.allocated_bytes.all.current)};
  failure.free_in_private_pools = free_in_private_pools();
  failure.reserved = reserved_;
  return failure;
}

Bytes TextbookTwin::free_in_private_pools() const {
  Bytes free;
  for (const auto& [id, pool] : private_pools_)
    for (const Pool* kind : {&pool.pools.small, &pool.pools.large})
      for (const auto& [key, block] : kind->free_blocks) free += block->size;
  return free;
}

}  // namespace vramlab::tests
