// Expandable segments: section 9.
#include <algorithm>

#include "tests/support/twin/textbook_statistics.h"
#include "tests/support/twin/textbook_twin.h"

namespace vramlab::tests {

using namespace allocator::literals;
using allocator::Action;

namespace {

/// The free or unmapped memory from this block on, in one piece.
Bytes available_from(const Block& start) {
  Bytes available;
  for (const Block* block = &start; block != nullptr && block->is_free();
       block = block_after(*block))
    available += block->size;
  return available;
}

}  // namespace

Block* TextbookTwin::grow_expandable(const Request& request) {
  Block* block = find_expandable_run(request);
  if (block == nullptr) block = reserve_segment(request);
  if (block == nullptr) return nullptr;
  if (!block->mapped && !map_front(*block, std::min(block->size, request.rounded))) return nullptr;
  while (block->size < request.rounded) {
    Block* next = block_after(*block);
    if (next == nullptr || next->mapped) return nullptr;
    if (!map_front(*next, std::min(request.rounded - block->size, next->size))) return nullptr;
    block = next;
  }
  leave_free_set(*block);
  return block;
}

Block* TextbookTwin::find_expandable_run(const Request& request) {
  const auto& unmapped = request.pool->unmapped_blocks;
  for (auto at = unmapped.lower_bound({request.stream, Address{}});
       at != unmapped.end() && std::get<StreamId>(at->first) == request.stream; ++at) {
    Block* start = at->second;
    Block* before = block_before(*start);
    if (before != nullptr && before->is_free()) start = before;
    if (available_from(*start) >= request.rounded) return start;
  }
  return nullptr;
}

Block* TextbookTwin::reserve_segment(const Request& request) {
  const Bytes total = device_.memory_info().total;
  const Bytes unit = request.pool->kind == PoolKind::small ? 2_MiB : settings_.large_segment_size;
  Bytes range = total + Bytes{total.count / 8};
  if (const auto& reserve = settings_.expandable_reserve) {
    const bool is_share = reserve->unit == allocator::AddressReserve::Unit::device_memory;
    const double wanted = reserve->amount * (is_share ? double(total.count) : double(1ULL << 30));
    if (wanted < double(range.count)) range = {static_cast<std::uint64_t>(wanted)};
  }
  range = round_up(range, unit);
  const bool may_fail = version_.beyond_reservation == allocator::BeyondReservation::fails;
  if (may_fail && request.rounded > range) return nullptr;
  const std::optional<Address> at = device_.reserve(range, request.stream);
  if (!at) return nullptr;
  auto segment = std::make_unique<Segment>();
  segment->start = *at;
  segment->stream = request.stream;
  segment->pool = request.pool;
  segment->unit = unit;
  Block& block = add_block(*segment, *at, range);
  block.mapped = false;
  segments_[*at] = std::move(segment);
  enter_unmapped_set(block);
  return &block;
}

bool TextbookTwin::map_front(Block& block, Bytes size) {
  const Segment& segment = *block.segment;
  const Address start = block.address;
  const Bytes mapped = round_up(size, segment.unit);
  if (!device_.map({start, segment.unit, mapped / segment.unit})) return false;

  leave_unmapped_set(block);
  if (mapped < block.size) {
    Block& rest = add_block(*block.segment, start + mapped, block.size - mapped);
    rest.mapped = false;
    block.size = mapped;
    enter_unmapped_set(rest);
  }
  block.mapped = true;
  int merged_count = 0;
  merge_with_neighbours(block, merged_count);
  enter_free_set(block);

  reserved_ += mapped;
  ++values_.num_device_alloc;
  book(values_.reserved_bytes, segment.pool->kind, plus(mapped));
  record(Action::segment_map, start, mapped, segment.stream, segment.pool->id);
  return true;
}

void TextbookTwin::unmap_whole_units(Block& block) {
  Segment& segment = *block.segment;
  const Bytes first = round_up(block.address - segment.start, segment.unit);
  const Bytes last = segment.unit * ((block.end() - segment.start) / segment.unit);
  if (first >= last) return;
  const Address start = segment.start + first;
  const Bytes size = last - first;
  device_.wait_for_stream(segment.stream);
  device_.unmap({start, segment.unit, size / segment.unit});

  leave_free_set(block);
  if (block.address < start) enter_free_set(cut_front(block, start - block.address));
  if (block.size > size) leave_rest_free(block, start + size, block.size - size);
  block.mapped = false;
  int merged_count = 0;
  merge_with_neighbours(block, merged_count);
  enter_unmapped_set(block);

  reserved_ -= size;
  ++values_.num_device_free;
  book(values_.reserved_bytes, segment.pool->kind, minus(size));
  PrivatePool* owner = segment.pool->owner;
  if (owner != nullptr && owner->segment_count > 0) --owner->segment_count;
  record(Action::segment_unmap, start, size, segment.stream, segment.pool->id);
}

void TextbookTwin::leave_rest_free(Block& block, Address at, Bytes size) {
  Block& rest = add_block(*block.segment, at, size);
  block.size -= size;
  enter_free_set(rest);
}

void TextbookTwin::enter_unmapped_set(Block& block) {
  pool_of(block).unmapped_blocks[{block.segment->stream, block.address}] = &block;
}

void TextbookTwin::leave_unmapped_set(Block& block) {
  pool_of(block).unmapped_blocks.erase({block.segment->stream, block.address});
}

}  // namespace vramlab::tests
