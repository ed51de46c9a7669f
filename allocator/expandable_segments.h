// ExpandableSegments: reservations of addresses that grow by mapping physical units into them and
// shrink by unmapping. A reservation belongs to one lane; all of it is blocks, mapped or not.
#pragma once

#include <algorithm>

#include "allocator/core.h"
#include "allocator/size_rules.h"

namespace vramlab::allocator {

template <class L>
class ExpandableSegments {
 public:
  explicit ExpandableSegments(Core<L>& core) : core_(core) {}

  /// A free block of at least this size, mapped as far as needed and taken out of the free set;
  /// none where the device has no room. What was mapped until then stays, free.
  BlockIndex grow(Lane& lane, Bytes size);
  /// Gives the whole units inside a free block back to the device.
  void unmap(BlockIndex index);
  /// What unmap() gives back.
  UnitRange units_inside(BlockIndex index) const;

 private:
  BlockIndex find_start(const Lane& lane, Bytes size) const;
  bool has_room_from(BlockIndex start, Bytes size) const;
  /// With so many more addresses behind it the segment would be used otherwise.
  void note_end_of_addresses(BlockIndex block, Bytes missing) const;
  BlockIndex reserve(Lane& lane);
  bool map(BlockIndex index, Bytes size);
  void release_reservation(BlockIndex only_block);

  Core<L>& core_;
};

template <class L>
BlockIndex ExpandableSegments<L>::grow(Lane& lane, Bytes size) {
  BlockIndex candidate = find_start(lane, size);
  if (candidate == BlockIndex::none) candidate = reserve(lane);
  if (candidate == BlockIndex::none) return BlockIndex::none;
  if (core_.has_use(candidate, BlockUse::unmapped) &&
      !map(candidate, std::min(core_.blocks[candidate].size(), size)))
    return BlockIndex::none;
  while (core_.blocks[candidate].size() < size) {
    const Block& block = core_.blocks[candidate];
    const Bytes missing = size - block.size();
    candidate = block.next;
    if (!map(candidate, std::min(missing, core_.blocks[candidate].size()))) return BlockIndex::none;
  }
  core_.leave_free_set(core_.blocks[candidate]);
  return candidate;
}

template <class L>
BlockIndex ExpandableSegments<L>::find_start(const Lane& lane, Bytes size) const {
  for (const UnmappedBlocks::Entry& entry : lane.unmapped) {
    const BlockIndex before = core_.blocks[entry.block].previous();
    const BlockIndex start = core_.has_use(before, BlockUse::free) ? before : entry.block;
    if (has_room_from(start, size)) return start;
  }
  return BlockIndex::none;
}

template <class L>
bool ExpandableSegments<L>::has_room_from(BlockIndex start, Bytes size) const {
  Bytes room;
  BlockIndex i = start;
  for (; core_.has_use(i, BlockUse::free) || core_.has_use(i, BlockUse::unmapped);
       i = core_.blocks[i].next) {
    room += core_.blocks[i].size();
    if (room >= size) return true;
  }
  // What ends with the addresses would go on in a larger reservation.
  if (i == BlockIndex::none) note_end_of_addresses(start, size - room);
  return false;
}

template <class L>
void ExpandableSegments<L>::note_end_of_addresses(BlockIndex block, Bytes missing) const {
  const Address address = core_.blocks[block].address;
  const Segment& segment = core_.segments[core_.segments.containing(address)];
  core_.margin.note_growth(core_.lane_of(core_.blocks[block]).kind, segment.unit, missing);
}

template <class L>
BlockIndex ExpandableSegments<L>::reserve(Lane& lane) {
  const Bytes unit = expandable_unit(lane.kind, core_.settings);
  const Bytes size = reservation_size(core_.device_total, unit);
  const auto base = core_.device.reserve(size, lane.stream);
  if (!base) return BlockIndex::none;
  core_.margin.note_reservation(lane.kind, unit);
  const BlockIndex whole = core_.create_segment(
      {*base, size, unit, lane.index, BlockIndex::none, /*is_expandable=*/true});
  core_.enter_unmapped_set(whole);
  return whole;
}

template <class L>
bool ExpandableSegments<L>::map(BlockIndex index, Bytes size) {
  const Block& target = core_.blocks[index];
  const Segment& segment = core_.segments[core_.segments.containing(target.address)];
  const Address start = target.address;
  const Bytes offset = start - segment.base;
  const Bytes mapped = round_up(offset + size, segment.unit) - offset;
  if (!core_.device.map({start, segment.unit, mapped / segment.unit})) return false;

  Lane& lane = core_.lane_of(target);
  lane.unmapped.remove(start);
  if (mapped < target.size())
    core_.enter_unmapped_set(core_.chain.split_back(index, mapped));
  else if (target.next == BlockIndex::none)
    note_end_of_addresses(index, Bytes{1});
  const Block& block = core_.blocks[index];
  if (core_.has_use(block.previous(), BlockUse::free)) {
    core_.leave_free_set(core_.blocks[block.previous()]);
    core_.chain.absorb_previous(index);
  }
  if (core_.has_use(block.next, BlockUse::free)) {
    core_.leave_free_set(core_.blocks[block.next]);
    core_.chain.absorb_next(index);
  }
  core_.enter_free_set(index);
  core_.reserved += mapped;
  core_.listeners.range_mapped({start, mapped, lane});
  return true;
}

template <class L>
UnitRange ExpandableSegments<L>::units_inside(BlockIndex index) const {
  const Block& block = core_.blocks[index];
  const Segment& segment = core_.segments[core_.segments.containing(block.address)];
  const Bytes begin = round_up(block.address - segment.base, segment.unit);
  const std::uint64_t last = (block.end() - segment.base) / segment.unit;
  const std::uint64_t first = begin / segment.unit;
  return {segment.base + begin, segment.unit, last > first ? last - first : 0};
}

template <class L>
void ExpandableSegments<L>::unmap(BlockIndex index) {
  const UnitRange range = units_inside(index);
  if (range.count == 0) return;
  Lane& lane = core_.lane_of(core_.blocks[index]);
  core_.device.wait_for_stream(lane.stream);
  core_.device.unmap(range);

  core_.leave_free_set(core_.blocks[index]);
  if (const Bytes before = range.at - core_.blocks[index].address; before > Bytes{0})
    core_.enter_free_set(core_.chain.split_front(index, before));
  if (range.size() < core_.blocks[index].size())
    core_.enter_free_set(core_.chain.split_back(index, range.size()));
  const Block& block = core_.blocks[index];
  if (core_.has_use(block.previous(), BlockUse::unmapped)) {
    lane.unmapped.remove(core_.blocks[block.previous()].address);
    core_.chain.absorb_previous(index);
  }
  if (core_.has_use(block.next, BlockUse::unmapped)) {
    lane.unmapped.remove(core_.blocks[block.next].address);
    core_.chain.absorb_next(index);
  }
  core_.enter_unmapped_set(index);
  core_.reserved -= range.size();
  core_.listeners.range_unmapped({range.at, range.size(), lane});
  if (PrivatePool* owner = lane.pool->owner; owner != nullptr && owner->segment_count > 0)
    --owner->segment_count;
  if (core_.blocks[index].is_whole_segment()) release_reservation(index);
}

template <class L>
void ExpandableSegments<L>::release_reservation(BlockIndex only_block) {
  const Block& block = core_.blocks[only_block];
  core_.device.release_reservation(block.address, block.size());
  core_.lane_of(block).unmapped.remove(block.address);
  core_.destroy_segment(only_block);
}

}  // namespace vramlab::allocator
