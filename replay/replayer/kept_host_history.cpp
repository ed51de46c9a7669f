#include "allocator/types/check.h"
#include "replay/replayer/host_replay.h"

namespace vramlab::replay {
namespace {

traces::StackId stack_id(const MaybeHostStack& stack) {
  return {stack ? static_cast<std::uint32_t>(stack->value) : 0};
}

BlockState state_of(const HostBlockState& block) {
  if (block.allocated) return BlockState::active_allocated;
  return block.active ? BlockState::active_pending_free : BlockState::inactive;
}

/// A block is handed out whole, so it is a segment.
SnapshotSegment segment_of(const HostBlockState& block) {
  SnapshotSegment segment;
  segment.address = block.address;
  segment.total_size = block.size;
  if (block.allocated) segment.allocated_size = block.size;
  if (block.active) segment.active_size = segment.requested_size = block.size;
  segment.kind = PoolKind::large;
  segment.pool = block.pool;
  segment.blocks.push_back({block.address, block.size, block.size, state_of(block)});
  return segment;
}

}  // namespace

KeptHostHistory HostReplay::kept_history() const {
  KeptHostHistory kept;
  DeviceHistory& history = kept.history;
  history.traits.names_pools = true;
  history.traits.requests_frees = true;
  history.traits.has_whole_blocks = true;
  const std::vector<HostEvent> entries = engine_.history();
  check(entries.size() == entry_origins_.size(), "every entry has an event of the program");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const HostEvent& entry = entries[i];
    history.events.push_back(
        {entry.action, entry.address, entry.size, {}, entry.pool, entry_origins_[i].time_us});
    history.stacks.push_back(stack_id(entry.stack));
    kept.numbers.push_back(entry_origins_[i].number);
  }
  for (const HostBlockState& block : engine_.snapshot()) {
    history.final_segments.push_back(segment_of(block));
    if (block.stack) history.final_stacks[block.address] = stack_id(block.stack);
  }
  return kept;
}

}  // namespace vramlab::replay
