// Giving memory back: garbage collection, oversize blocks, all cached blocks (sections 10 and 11).
#include <algorithm>

#include "allocator/types/answers.h"
#include "tests/support/twin/textbook_statistics.h"
#include "tests/support/twin/textbook_twin.h"

namespace vramlab::tests {

using allocator::Action;

namespace {

std::vector<Block*> free_blocks_in_order(const Pool& pool) {
  std::vector<Block*> blocks;
  for (const auto& [key, block] : pool.free_blocks) blocks.push_back(block);
  return blocks;
}

}  // namespace

void TextbookTwin::collect_garbage() {
  if (!collects_garbage()) return;
  const Bytes limit{static_cast<std::uint64_t>(settings_.garbage_collection_threshold *
                                               static_cast<double>(allowed_->count))};
  if (reserved_ <= limit) return;
  const Bytes target = reserved_ - limit;
  Ages ages;
  for (const Block* block : free_blocks_in_order(own_.large)) {
    if (is_split(*block)) continue;
    ages.sum += own_.large.lookups - block->stamp;
    ++ages.count;
  }
  Bytes reclaimed;
  while (reclaimed < target && ages.count > 0) {
    const Bytes freed = collect_older_than_average(ages);
    if (freed == Bytes{}) return;
    reclaimed += freed;
  }
}

Bytes TextbookTwin::collect_older_than_average(Ages& ages) {
  const double average = static_cast<double>(ages.sum) / static_cast<double>(ages.count);
  Bytes freed;
  for (Block* block : free_blocks_in_order(own_.large)) {
    const std::uint64_t age = own_.large.lookups - block->stamp;
    if (!is_releasable(*block) || static_cast<double>(age) < average) continue;
    ages.sum -= age;
    --ages.count;
    freed += release_segment(*block);
  }
  return freed;
}

/// A whole classic segment.
bool TextbookTwin::is_releasable(const Block& block) const {
  return !is_split(block) && !is_expandable(block);
}

Bytes TextbookTwin::release_segment(Block& block) {
  const Segment& segment = *block.segment;
  const Pool& pool = *segment.pool;
  const Address start = segment.start;
  const Bytes size = block.size;
  device_.release(start);
  leave_free_set(block);
  reserved_ -= size;
  ++values_.num_device_free;
  book(values_.segment, pool.kind, -1);
  book(values_.reserved_bytes, pool.kind, minus(size));
  if (size >= settings_.max_split_size) book(values_.oversize_segments, -1);
  if (pool.owner != nullptr && pool.owner->segment_count > 0) --pool.owner->segment_count;
  record(Action::segment_free, start, size, segment.stream, pool.id);
  segments_.erase(start);
  return size;
}

bool TextbookTwin::release_oversize(const Request& request) {
  if (settings_.max_split_size == allocator::unlimited) return false;
  const Bytes key = std::max(request.rounded, settings_.max_split_size);
  auto& blocks = request.pool->free_blocks;
  auto at = blocks.lower_bound({request.stream, key, 0, Address{}});
  if (at != blocks.end() && std::get<StreamId>(at->first) == request.stream &&
      is_releasable(*at->second)) {
    release_segment(*at->second);
    return true;
  }
  std::vector<Block*> backwards;
  for (auto before = std::make_reverse_iterator(at); before != blocks.rend(); ++before)
    backwards.push_back(before->second);
  Bytes released;
  for (Block* block : backwards) {
    if (released >= key || block->size < settings_.max_split_size ||
        block->segment->stream != request.stream)
      break;
    if (is_releasable(*block)) released += release_segment(*block);
  }
  return released >= key;
}

void TextbookTwin::empty_cache(PoolId pool) {
  const bool is_refused =
      version_.empty_cache_in_capture == allocator::EmptyCacheInCapture::refused ||
      pool != allocator::default_pool;
  const auto found = private_pools_.find(pool);
  const bool would_wait = pool == allocator::default_pool ||
                          (found != private_pools_.end() && found->second.use_count == 0);
  if (is_capturing() && is_refused && would_wait)
    throw allocator::AllocatorError("the cache must not be emptied during a capture");
  release_cached_blocks(pool);
}

void TextbookTwin::release_cached_blocks(PoolId only) {
  if (only != allocator::default_pool) return release_private_pool(only);
  if (!is_capturing()) {
    synchronize_events(nullptr);
    release_free_blocks(own_.large);
    release_free_blocks(own_.small);
  }
  std::vector<PoolId> unused;
  for (const auto& [id, pool] : private_pools_)
    if (pool.use_count == 0) unused.push_back(id);
  for (const PoolId id : unused) release_unused(id);
}

void TextbookTwin::release_private_pool(PoolId id) {
  const auto found = private_pools_.find(id);
  if (found == private_pools_.end() || found->second.use_count > 0) return;
  synchronize_events(&found->second);
  release_unused(id);
}

void TextbookTwin::release_unused(PoolId id) {
  PrivatePool& pool = private_pools_.at(id);
  release_free_blocks(pool.pools.small);
  release_free_blocks(pool.pools.large);
  if (pool.segment_count == 0 && segments_of(pool).empty() && !is_open(id))
    private_pools_.erase(id);
}

void TextbookTwin::release_free_blocks(Pool& pool) {
  std::vector<Block*> expandable;
  for (Block* block : free_blocks_in_order(pool)) {
    if (is_expandable(*block))
      expandable.push_back(block);
    else if (is_releasable(*block))
      release_segment(*block);
  }
  for (Block* block : expandable) {
    Segment& segment = *block->segment;
    unmap_whole_units(*block);
    Block& first = *segment.blocks.begin()->second;
    if (is_split(first) || first.mapped) continue;
    leave_unmapped_set(first);
    device_.release_reservation(segment.start, first.size);
    segments_.erase(segment.start);
  }
}

}  // namespace vramlab::tests
