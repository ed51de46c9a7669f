// ExpandableSegments: reservations of addresses that grow by mapping physical units into them and
// shrink by unmapping. A reservation belongs to one lane; all of it is blocks, mapped or not.
//
// A device may let other requests and frees in while it reserves or maps. The block that is being
// mapped is out of their reach; everything around it may have changed afterwards.
#pragma once

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "allocator/policy/core.h"

namespace vramlab::allocator {

template <class L>
class ExpandableSegments {
 public:
  explicit ExpandableSegments(Core<L>& core) : core_(core) {}

  /// A free block of at least this size, mapped as far as needed and taken out of the free set;
  /// none where the device has no room. Memory that was mapped until then stays, free.
  BlockIndex grow(Lane& lane, Bytes size);
  /// How much grow() would map.
  Bytes growth_for(const Lane& lane, Bytes size) const;
  /// Gives the whole units inside a free block back to the device.
  void unmap(BlockIndex index);
  /// The units that unmap() gives back.
  UnitRange units_inside(BlockIndex index) const;

 private:
  BlockIndex find_start(const Lane& lane, Bytes size) const;
  bool has_room_from(BlockIndex start, Bytes size) const;
  /// Notes that the segment would be used otherwise with so many more addresses behind it.
  void note_end_of_addresses(BlockIndex block, Bytes missing) const;
  /// Found without a search for the first block, which knows it.
  const Segment& segment_of(const Block& block) const {
    return core_
        .segments[block.is_first() ? block.segment() : core_.segments.containing(block.address)];
  }
  /// A whole new segment for a request of this size.
  BlockIndex reserve(Lane& lane, Bytes request);
  bool map(BlockIndex index, Bytes size);
  /// The units that hold the first `size` bytes of an unmapped block.
  UnitRange units_for(BlockIndex index, Bytes size) const;
  bool ask_device(const UnitRange& range);
  /// Puts back a block that could not be mapped.
  void put_back(BlockIndex index);
  /// Together with unmapped neighbours, if there are any.
  void enter_unmapped_set_merged(BlockIndex index);
  void release_reservation(BlockIndex only_block);

  Core<L>& core_;
};

template <class L>
BlockIndex ExpandableSegments<L>::grow(Lane& lane, Bytes size) {
  BlockIndex candidate = BlockIndex::none;
  do {
    candidate = find_start(lane, size);
    if (candidate == BlockIndex::none)
      candidate = reserve(lane, size);
    else
      core_.listeners.acted(rules::growth_starts_at_first_run);
    if (candidate == BlockIndex::none) return BlockIndex::none;
    if (core_.has_use(candidate, BlockUse::unmapped) &&
        !map(candidate, std::min(core_.blocks[candidate].size(), size)))
      return BlockIndex::none;
    // Requests that were let in may have taken the next block: then from the beginning.
    while (core_.blocks[candidate].size() < size &&
           core_.has_use(core_.blocks[candidate].next, BlockUse::unmapped)) {
      const Bytes missing = size - core_.blocks[candidate].size();
      candidate = core_.blocks[candidate].next;
      core_.listeners.acted(rules::growth_maps_piece_by_piece);
      if (!map(candidate, std::min(missing, core_.blocks[candidate].size()))) {
        core_.listeners.acted(rules::mapped_before_failure_stays);
        return BlockIndex::none;
      }
    }
  } while (core_.blocks[candidate].size() < size);
  core_.leave_free_set(candidate);
  return candidate;
}

template <class L>
Bytes ExpandableSegments<L>::growth_for(const Lane& lane, Bytes size) const {
  const BlockIndex start = find_start(lane, size);
  if (start == BlockIndex::none) return round_up(size, expandable_unit(lane.kind, core_.settings));
  Bytes mapped;
  Bytes reached;
  for (BlockIndex i = start; reached < size; i = core_.blocks[i].next) {
    const Bytes missing = std::min(core_.blocks[i].size(), size - reached);
    const bool is_unmapped = core_.has_use(i, BlockUse::unmapped);
    const Bytes more = is_unmapped ? units_for(i, missing).size() : core_.blocks[i].size();
    reached += more;
    if (is_unmapped) mapped += more;
  }
  return mapped;
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
  // A run that ends with the addresses would go on in a larger reservation.
  if (i == BlockIndex::none) note_end_of_addresses(start, size - room);
  return false;
}

template <class L>
void ExpandableSegments<L>::note_end_of_addresses(BlockIndex block, Bytes missing) const {
  const Block& at = core_.blocks[block];
  core_.margin.note_growth(core_.lane_of(at).kind, segment_of(at).unit, missing);
}

template <class L>
BlockIndex ExpandableSegments<L>::reserve(Lane& lane, Bytes request) {
  const Reserve& of = core_.settings.expandable_reserve;
  core_.listeners.acted(of ? rules::reserve_bounds_reservation
                           : rules::reservation_is_nine_eighths);
  const Bytes unit = expandable_unit(lane.kind, core_.settings);
  const Bytes size = reservation_size(core_.device_total, unit, of);
  if (request > size && core_.version.beyond_reservation == BeyondReservation::fails) {
    core_.listeners.acted(rules::request_beyond_reservation_fails);
    core_.margin.note([=](Bytes total) { return reservation_size(total, unit, of) >= request; });
    return BlockIndex::none;
  }
  const auto base = core_.device.reserve(size, lane.stream);
  if (!base) return BlockIndex::none;
  core_.margin.note_reservation(lane.kind, unit);
  const BlockIndex whole = core_.create_segment(
      {*base, size, unit, lane.index, BlockIndex::none, /*is_expandable=*/true});
  core_.enter_unmapped_set(whole);
  return whole;
}

template <class L>
UnitRange ExpandableSegments<L>::units_for(BlockIndex index, Bytes size) const {
  const Address start = core_.blocks[index].address;
  const Segment& segment = segment_of(core_.blocks[index]);
  const Bytes offset = start - segment.base;
  const Bytes mapped = round_up(offset + size, segment.unit) - offset;
  return {start, segment.unit, mapped / segment.unit};
}

template <class L>
bool ExpandableSegments<L>::ask_device(const UnitRange& range) {
  core_.being_asked_for += range.size();
  try {
    const bool is_mapped = core_.device.map(range);
    core_.being_asked_for -= range.size();
    return is_mapped;
  } catch (const DeviceError&) {
    core_.being_asked_for -= range.size();
    throw;
  }
}

template <class L>
bool ExpandableSegments<L>::map(BlockIndex index, Bytes size) {
  core_.listeners.acted(rules::units_are_2_and_20_mib);
  const UnitRange range = units_for(index, size);
  Lane& lane = core_.lane_of(core_.blocks[index]);
  lane.unmapped.remove(range.at);
  core_.blocks[index].set_use(BlockUse::being_mapped);
  try {
    if (!ask_device(range)) {
      core_.listeners.acted(rules::map_without_room_leaves_nothing);
      put_back(index);
      return false;
    }
  } catch (const DeviceError&) {
    put_back(index);
    throw;
  }
  const Bytes mapped = range.size();
  if (mapped < core_.blocks[index].size())
    enter_unmapped_set_merged(core_.chain().split_back(index, mapped));
  else if (core_.blocks[index].next == BlockIndex::none)
    note_end_of_addresses(index, Bytes{1});
  const Block& block = core_.blocks[index];
  if (core_.has_use(block.previous(), BlockUse::free)) {
    core_.leave_free_set(block.previous());
    core_.chain().absorb_previous(index);
  }
  if (core_.has_use(block.next, BlockUse::free)) {
    core_.leave_free_set(block.next);
    core_.chain().absorb_next(index);
  }
  core_.enter_free_set(index);
  core_.reserved += mapped;
  core_.listeners.range_mapped({range.at, mapped, lane});
  return true;
}

template <class L>
void ExpandableSegments<L>::put_back(BlockIndex index) {
  const Bytes before = core_.blocks[index].size();
  enter_unmapped_set_merged(index);
  const Block& block = core_.blocks[index];
  // A reservation without memory stays where its first units were refused; a free that gave back
  // the last ones meanwhile would have released it.
  if (block.is_whole_segment() && block.size() != before) release_reservation(index);
}

template <class L>
void ExpandableSegments<L>::enter_unmapped_set_merged(BlockIndex index) {
  const Block& block = core_.blocks[index];
  Lane& lane = core_.lane_of(block);
  if (core_.has_use(block.previous(), BlockUse::unmapped)) {
    lane.unmapped.remove(core_.blocks[block.previous()].address);
    core_.chain().absorb_previous(index);
  }
  if (core_.has_use(block.next, BlockUse::unmapped)) {
    lane.unmapped.remove(core_.blocks[block.next].address);
    core_.chain().absorb_next(index);
  }
  core_.enter_unmapped_set(index);
}

template <class L>
UnitRange ExpandableSegments<L>::units_inside(BlockIndex index) const {
  const Block& block = core_.blocks[index];
  const Segment& segment = segment_of(block);
  const Bytes begin = round_up(block.address - segment.base, segment.unit);
  const std::uint64_t last = (block.end() - segment.base) / segment.unit;
  const std::uint64_t first = begin / segment.unit;
  return {segment.base + begin, segment.unit, last > first ? last - first : 0};
}

template <class L>
void ExpandableSegments<L>::unmap(BlockIndex index) {
  const UnitRange range = units_inside(index);
  core_.listeners.acted(rules::whole_units_are_unmapped);
  if (range.count == 0) return;
  core_.listeners.acted(rules::unmapped_middle_joins);
  Lane& lane = core_.lane_of(core_.blocks[index]);
  core_.device.wait_for_stream(lane.stream);
  core_.device.unmap(range);

  core_.leave_free_set(index);
  if (const Bytes before = range.at - core_.blocks[index].address; before > Bytes{0})
    core_.enter_free_set(core_.chain().split_front(index, before));
  if (range.size() < core_.blocks[index].size())
    core_.enter_free_set(core_.chain().split_back(index, range.size()));
  enter_unmapped_set_merged(index);
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
