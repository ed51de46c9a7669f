// Finding, splitting and merging blocks: sections 6, 7 and the end of 8.
#include <iterator>

#include "tests/support/twin/textbook_statistics.h"
#include "tests/support/twin/textbook_twin.h"

namespace vramlab::tests {

using namespace allocator::literals;
using allocator::Action;

namespace {

/// The size of a block and of the unmapped block right after it.
Bytes reach(const Block& block) {
  const Block* next = block_after(block);
  return next != nullptr && !next->mapped ? block.size + next->size : block.size;
}

}  // namespace

// The key of a block among the free blocks of its pool.
TextbookTwin::FreePlace TextbookTwin::place_of(const Block& block) const {
  using allocator::AmongSameSize;
  std::uint64_t age = 0;
  if (version_.among_same_size == AmongSameSize::oldest_block) age = block.number;
  if (version_.among_same_size == AmongSameSize::oldest_segment) age = block.segment->number;
  return {block.segment->stream, block.size, age, block.address};
}

Block* TextbookTwin::take_best_fit(const Request& request) {
  Pool& pool = *request.pool;
  if (collects_garbage()) ++pool.lookups;
  const auto at = pool.free_blocks.lower_bound({request.stream, request.rounded, 0, Address{}});
  if (at == pool.free_blocks.end() || std::get<StreamId>(at->first) != request.stream)
    return nullptr;
  Block* block = at->second;
  if (is_expandable(*block))
    block = request.expandable ? best_expandable(request, block) : first_classic(request);
  if (block == nullptr || !fits_oversize_rules(request, *block)) return nullptr;
  leave_free_set(*block);
  return block;
}

// A block that can grow far is kept for larger requests: step on while the reach gets shorter.
Block* TextbookTwin::best_expandable(const Request& request, Block* block) {
  const auto& blocks = request.pool->free_blocks;
  auto next = blocks.find(place_of(*block));
  while (is_expandable(*block)) {
    ++next;
    if (next == blocks.end() || std::get<StreamId>(next->first) != request.stream) break;
    if (reach(*next->second) >= reach(*block)) break;
    block = next->second;
  }
  return block;
}

Block* TextbookTwin::first_classic(const Request& request) {
  const auto& blocks = request.pool->free_blocks;
  for (auto at = blocks.lower_bound({request.stream, request.rounded, 0, Address{}});
       at != blocks.end() && std::get<StreamId>(at->first) == request.stream; ++at)
    if (!is_expandable(*at->second)) return at->second;
  return nullptr;
}

bool TextbookTwin::fits_oversize_rules(const Request& request, const Block& block) const {
  const Bytes limit = settings_.max_split_size;
  if (request.rounded < limit) return block.size < limit;
  return block.size < request.rounded + settings_.max_non_split_rounding;
}

bool TextbookTwin::should_split(const Request& request, const Block& block) const {
  const Bytes remainder = block.size - request.rounded;
  if (never_split_.contains(request.pool->id)) return false;
  if (request.pool->kind == PoolKind::small || request.expandable) return remainder >= 512_B;
  return request.rounded < settings_.max_split_size && remainder > 1_MiB;
}

Block& TextbookTwin::hand_out(Block& block, Bytes size, Bytes asked) {
  const PoolKind kind = pool_of(block).kind;
  const bool counts_splits = !is_expandable(block);
  Block* handed_out = &block;
  if (size < block.size) {
    handed_out = &split_off(block, size);
  } else if (is_split(block) && counts_splits) {
    book(values_.inactive_split, kind, -1);
    book(values_.inactive_split_bytes, kind, minus(block.size));
  }
  handed_out->allocated = true;
  handed_out->requested = asked;
  allocated_[handed_out->address] = handed_out;
  count_handed_out(*handed_out);
  record(Action::alloc, handed_out->address, asked, handed_out->segment->stream,
         pool_of(*handed_out).id);
  return *handed_out;
}

Block& TextbookTwin::split_off(Block& block, Bytes size) {
  const PoolKind kind = pool_of(block).kind;
  const bool was_split = is_split(block);
  Block& front = cut_front(block, size);
  enter_free_set(block);
  if (is_expandable(block)) return front;
  if (was_split) {
    book(values_.inactive_split_bytes, kind, minus(size));
  } else {
    book(values_.inactive_split, kind, 1);
    book(values_.inactive_split_bytes, kind, plus(block.size));
  }
  return front;
}

void TextbookTwin::count_handed_out(const Block& block) {
  const PoolKind kind = pool_of(block).kind;
  book(values_.allocation, kind, 1);
  book(values_.allocated_bytes, kind, plus(block.size));
  book(values_.active, kind, 1);
  book(values_.active_bytes, kind, plus(block.size));
  book(values_.requested_bytes, kind, plus(block.requested));
  if (block.size >= settings_.max_split_size) book(values_.oversize_allocations, 1);
}

void TextbookTwin::complete_free(Block& block) {
  const PoolKind kind = pool_of(block).kind;
  record(Action::free_completed, block.address, block.requested, block.segment->stream,
         pool_of(block).id);
  block.used_in_capture.clear();
  block.reusable_after.clear();
  const Bytes own_size = block.size;
  int merged_count = 0;
  const Bytes merged = merge_with_neighbours(block, merged_count);
  enter_free_set(block);
  if (!is_expandable(block)) {
    const bool still_split = is_split(block);
    book(values_.inactive_split, kind, (still_split ? 1 : 0) - merged_count);
    book(values_.inactive_split_bytes, kind, (still_split ? plus(block.size) : 0) + minus(merged));
  }
  book(values_.active, kind, -1);
  book(values_.active_bytes, kind, minus(own_size));
  book(values_.requested_bytes, kind, minus(block.requested));
}

Bytes TextbookTwin::merge_with_neighbours(Block& block, int& merged_count) {
  const Bytes own_size = block.size;
  if (try_merge(block, block_before(block))) ++merged_count;
  if (try_merge(block, block_after(block))) ++merged_count;
  return block.size - own_size;
}

bool TextbookTwin::try_merge(Block& block, Block* neighbour) {
  if (neighbour == nullptr || !neighbour->is_free() || neighbour->mapped != block.mapped)
    return false;
  if (neighbour->mapped)
    leave_free_set(*neighbour);
  else
    leave_unmapped_set(*neighbour);
  absorb(block, *neighbour);
  return true;
}

void TextbookTwin::enter_free_set(Block& block) {
  Pool& pool = pool_of(block);
  block.stamp = pool.lookups;
  pool.free_blocks[place_of(block)] = &block;
}

void TextbookTwin::leave_free_set(Block& block) {
  pool_of(block).free_blocks.erase(place_of(block));
}

}  // namespace vramlab::tests
