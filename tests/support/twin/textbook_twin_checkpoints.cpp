// Checkpoints of private pools: the end of section 12.
#include <algorithm>

#include "allocator/types/answers.h"
#include "tests/support/twin/textbook_twin.h"

namespace vramlab::tests {

using allocator::Checkpoint;
using allocator::CheckpointBlock;
using allocator::CheckpointBlockState;
using allocator::CheckpointSegment;
using allocator::RestoreResult;

namespace {

CheckpointBlockState checkpoint_state_of(const Block& block) {
  if (!block.mapped) return CheckpointBlockState::unmapped;
  return block.allocated ? CheckpointBlockState::allocated : CheckpointBlockState::free;
}

/// True for a block that is free now, or once the restore has freed all allocated blocks.
bool will_be_free(const Block* block) {
  return block != nullptr && block->mapped && block->outstanding_events == 0 &&
         block->other_streams.empty();
}

Bytes noted_length(const CheckpointSegment& noted) {
  Bytes length;
  for (const CheckpointBlock& block : noted.blocks) {
    if (block.state != CheckpointBlockState::unmapped)
      length += block.size;
    else if (&block != &noted.blocks.back())
      throw allocator::AllocatorError("a noted segment has a hole: it cannot be restored");
  }
  return length;
}

}  // namespace

std::vector<Segment*> TextbookTwin::segments_of(const PrivatePool& pool) const {
  std::vector<Segment*> segments;
  for (const auto& [address, segment] : segments_)
    if (segment->pool->owner == &pool) segments.push_back(segment.get());
  return segments;
}

Checkpoint TextbookTwin::take_checkpoint(PoolId id) {
  const PrivatePool& pool = usable_pool(id);
  check_nothing_will_wait(pool);
  handle_deferred();
  Checkpoint checkpoint{id, {}};
  for (const Segment* segment : segments_of(pool)) {
    CheckpointSegment noted{segment->stream, {}};
    for (const Block* block : blocks_of(*segment))
      noted.blocks.push_back({block->address, block->size, checkpoint_state_of(*block)});
    checkpoint.segments.push_back(noted);
  }
  return checkpoint;
}

void TextbookTwin::check_nothing_will_wait(const PrivatePool& pool) const {
  for (const Segment* segment : segments_of(pool)) {
    for (const Block* block : blocks_of(*segment)) {
      const bool all_in_capture =
          std::includes(block->used_in_capture.begin(), block->used_in_capture.end(),
                        block->other_streams.begin(), block->other_streams.end());
      if (block->outstanding_events > 0 || (!block->allocated && !all_in_capture))
        throw allocator::AllocatorError("a block of the pool waits for another stream");
    }
  }
}

RestoreResult TextbookTwin::restore_checkpoint(const Checkpoint& checkpoint) {
  PrivatePool& pool = usable_pool(checkpoint.pool);
  for (const CheckpointSegment& noted : checkpoint.segments) check_fits(pool, noted);
  RestoreResult result;
  for (const Segment* segment : segments_of(pool))
    for (const Block* block : blocks_of(*segment))
      if (block->allocated) result.freed.push_back(block->address);
  for (const Address address : result.freed) free(address);
  for (const CheckpointSegment& noted : checkpoint.segments) cut_like(pool, noted, result);
  return result;
}

void TextbookTwin::check_fits(const PrivatePool& pool, const CheckpointSegment& noted) const {
  const Bytes needed = noted_length(noted);
  const Block* start = free_to_be_at(pool, noted.blocks.front().address);
  if (start == nullptr)
    throw allocator::AllocatorError("no free block where a noted segment begins");
  Bytes length;
  for (const Block* block = start; will_be_free(block); block = block_after(*block))
    length += block->size;
  const bool may_be_longer =
      is_expandable(*start) && version_.grown_checkpoint == allocator::GrownCheckpoint::tolerated;
  if (length < needed || (length > needed && !may_be_longer))
    throw allocator::AllocatorError("a segment is no longer as the checkpoint noted it");
}

/// The block that will be a free one's beginning at this address; null where there is none.
Block* TextbookTwin::free_to_be_at(const PrivatePool& pool, Address address) const {
  for (const Segment* segment : segments_of(pool)) {
    const auto found = segment->blocks.find(address);
    if (found == segment->blocks.end()) continue;
    Block* block = found->second.get();
    const bool begins_there = will_be_free(block) && !will_be_free(block_before(*block));
    return begins_there ? block : nullptr;
  }
  return nullptr;
}

void TextbookTwin::cut_like(PrivatePool& pool, const CheckpointSegment& noted,
                            RestoreResult& result) {
  Segment& segment = *free_to_be_at(pool, noted.blocks.front().address)->segment;
  std::vector<Block*> to_free;
  for (const CheckpointBlock& piece : noted.blocks) {
    if (piece.state == CheckpointBlockState::unmapped) continue;
    Block& current = *segment.blocks.at(piece.address);
    leave_free_set(current);
    Block& block = hand_out(current, piece.size, piece.size);
    if (piece.state == CheckpointBlockState::allocated)
      result.created.push_back({block.address, block.size});
    else
      to_free.push_back(&block);
  }
  for (Block* block : to_free) request_free(*block);
}

}  // namespace vramlab::tests
