#include "replay/follow/followed_blocks.h"

#include <algorithm>

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Address;
using allocator::Bytes;
using allocator::GivenUse;
using allocator::SnapshotSegment;

/// Histories that contradict themselves may take more than there is.
void take(Bytes& from, Bytes size) { from -= std::min(from, size); }

Bytes largest_free_of(const PlacementBlocks& blocks) {
  Bytes largest;
  for (const auto& [one_class, set] : blocks.all_free_blocks())
    if (!set.empty()) largest = std::max(largest, set.rbegin()->first);
  return largest;
}

allocator::BlockState state_of(GivenUse use) {
  if (use == GivenUse::live) return allocator::BlockState::active_allocated;
  return use == GivenUse::waiting ? allocator::BlockState::active_pending_free
                                  : allocator::BlockState::inactive;
}

void add_block(SnapshotSegment& segment, Address at, const PlacedBlock& block, Bytes requested) {
  segment.blocks.push_back({at, block.size, requested, state_of(block.use)});
  segment.total_size += block.size;
  if (block.use == GivenUse::free) return;
  segment.active_size += block.size;
  segment.requested_size += requested;
  if (block.use == GivenUse::live) segment.allocated_size += block.size;
}

}  // namespace

FollowedBlocks::FollowedBlocks(const DeviceHistory& history, const HistoryWalk& walk,
                               const StartStacks& start_stacks)
    : history_(history), walk_(walk), start_stacks_(start_stacks) {}

void FollowedBlocks::begin(const PlacementBlocks& blocks) {
  for (const auto& [at, block] : blocks.blocks()) adopt(at, block);
  for (const auto& [at, requested] : requested_at_start(walk_.start)) {
    const auto found = in_use_.find(at);
    if (found == in_use_.end()) continue;
    found->second.requested = requested;
    now_.requested += requested;
  }
  // What stands at such an address at the end is another block where this one was given back.
  for (const auto& [at, stack] : start_stacks_)
    if (const auto found = in_use_.find(at); found != in_use_.end()) found->second.stack = stack;
  for (const allocator::AllocatorEvent& event : history_.events) {
    if (event.action != Action::free_requested && event.action != Action::free_completed) continue;
    if (const auto found = in_use_.find(event.address); found != in_use_.end())
      found->second.stack = {};
  }
  if (!walk_.times_us.empty()) now_.time_us = walk_.times_us.front();
  for (const auto& [at, block] : in_use_) {
    if (!block.waits) block_changed(Change::handed_out, at, block);
  }
  pass(blocks);
}

void FollowedBlocks::adopt(Address at, const PlacedBlock& block) {
  if (block.use == GivenUse::unmapped) return;
  now_.reserved += block.size;
  if (block.use == GivenUse::free) return;
  const bool waits = block.use == GivenUse::waiting;
  in_use_[at] = {block.size, {}, waits, 0, {}, block.life};
  now_.active += block.size;
  if (!waits) now_.allocated += block.size;
}

void FollowedBlocks::event_done(std::size_t event, const PlacementBlocks& blocks) {
  now_.step = event + 1;
  now_.time_us = walk_.times_us[event];
  apply(event, blocks);
  pass(blocks);
}

void FollowedBlocks::pass(const PlacementBlocks& blocks) {
  now_.largest_free = largest_free_of(blocks);
  moment_passed(now_, blocks);
}

void FollowedBlocks::apply(std::size_t event, const PlacementBlocks& blocks) {
  const allocator::AllocatorEvent& what = history_.events[event];
  switch (what.action) {
    case Action::alloc:
      return hand_out(event, blocks);
    case Action::free_requested:
    case Action::free_completed:
      return give_back(what);
    case Action::segment_alloc:
    case Action::segment_map:
      ++now_.device_gets;
      now_.reserved += what.size;
      return;
    case Action::segment_free:
    case Action::segment_unmap:
      ++now_.device_releases;
      return take(now_.reserved, what.size);
    default:
      return;
  }
}

void FollowedBlocks::hand_out(std::size_t event, const PlacementBlocks& blocks) {
  const allocator::AllocatorEvent& what = history_.events[event];
  const PlacedBlock* placed = blocks.find(what.address);
  if (placed == nullptr) return;
  const traces::StackId stack =
      history_.stacks.empty() ? traces::StackId{} : history_.stacks[event];
  FollowedBlock& block = in_use_[what.address];
  block = {placed->size, what.size, false, event + 1, stack, placed->life};
  now_.allocated += block.size;
  now_.active += block.size;
  now_.requested += block.requested;
  block_changed(Change::handed_out, what.address, block);
}

/// Old recordings have one entry for both.
void FollowedBlocks::give_back(const allocator::AllocatorEvent& event) {
  const auto found = in_use_.find(event.address);
  if (found == in_use_.end()) return;
  FollowedBlock& block = found->second;
  if (!block.waits) {
    take(now_.allocated, block.size);
    block_changed(Change::given_back, event.address, block);
  }
  block.waits = true;
  if (event.action == Action::free_requested) return;
  take(now_.active, block.size);
  take(now_.requested, block.requested);
  block_changed(Change::completed, event.address, block);
  in_use_.erase(found);
}

allocator::Snapshot snapshot_of(const PlacementBlocks& blocks, const BlocksInUse& in_use,
                                const std::vector<allocator::PoolId>& pools) {
  allocator::Snapshot snapshot;
  Address end;
  LifeIndex life_before = no_life;
  for (const auto& [at, block] : blocks.blocks()) {
    if (block.use == GivenUse::unmapped) continue;
    if (block.life != life_before || at != end) {
      const SegmentLife& life = blocks.lives()[block.life];
      SnapshotSegment& segment = snapshot.segments.emplace_back();
      segment.address = at;
      segment.stream = life.stream;
      segment.kind = life.kind;
      segment.pool = block.life < pools.size() ? pools[block.life] : allocator::default_pool;
      segment.is_expandable = life.is_expandable;
    }
    const auto held = in_use.find(at);
    add_block(snapshot.segments.back(), at, block,
              held == in_use.end() ? Bytes{} : held->second.requested);
    life_before = block.life;
    end = at + block.size;
  }
  return snapshot;
}

}  // namespace vramlab::replay
