// Core: the state that all rules work on, with the few moves that keep it whole: into the free set,
// out of it, and opening a stream's lane. The rules themselves stand in the other files of this
// room.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "allocator/blocks/address_map.h"
#include "allocator/blocks/block.h"
#include "allocator/blocks/pool.h"
#include "allocator/blocks/segment.h"
#include "allocator/listeners/listeners.h"
#include "allocator/options/settings.h"
#include "allocator/options/size_margin.h"
#include "allocator/types/check.h"
#include "allocator/types/device.h"
#include "allocator/types/reference_version.h"

namespace vramlab::allocator {

template <class L>
struct Core {
  Core(Device& on_device, const ReferenceVersion& of_version)
      : device(on_device),
        version(of_version),
        device_total(on_device.memory_info().total),
        margin(device_total) {}
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  static constexpr std::size_t largest_lane_count = 1U << 24;

  Device& device;
  const ReferenceVersion& version;
  /// Whether free blocks of one size are ordered by address.
  const bool is_ordered_by_address = version.among_same_size == AmongSameSize::lowest_address;
  Bytes device_total;
  Settings settings;
  /// Rounding divisions are among the settings.
  bool rounds_in_steps = false;
  /// Empty until a memory fraction limits the allocator.
  std::optional<Bytes> allowed;
  /// The share of the device that `allowed` is.
  double fraction = 1;
  Bytes reserved;
  /// Bytes that the device is being asked for right now. It may let other requests in meanwhile,
  /// and limits hold for all of them together.
  Bytes being_asked_for;

  BlockArena blocks{version.among_same_size};
  SegmentTable segments;
  AddressMap live;
  StreamUsesTable uses;
  std::array<Pool, 2> halves{Pool(default_pool, PoolKind::small),
                             Pool(default_pool, PoolKind::large)};
  Pool& small = halves[0];
  Pool& large = halves[1];
  std::map<PoolId, std::unique_ptr<PrivatePool>> private_pools;
  /// By index; null once a lane's pool is gone.
  std::vector<Lane*> lanes;
  /// Until ages are counted for the first time, every stamp is 0 and none needs writing.
  bool has_counted_ages = false;
  /// Whether the notes of a block are written or read when it becomes free.
  bool notes_entries = !is_ordered_by_address;
  /// The address of the next segment if each lay above all earlier ones.
  Address end_of_ranks;
  /// Noted also by functions that only look.
  mutable SizeMargin margin;
  L listeners;

  /// Made on the spot: a member would have to look up the blocks each time.
  BlockChain chain() { return {blocks, segments}; }

  /// Ages are counted and garbage is collected only with a limit and a threshold.
  bool collects_garbage() const {
    return allowed.has_value() && settings.garbage_collection_threshold > 0;
  }

  void set_settings(Settings to) {
    settings = std::move(to);
    margin.set_reserve(settings.expandable_reserve);
    rounds_in_steps =
        std::any_of(settings.roundup_divisions.begin(), settings.roundup_divisions.end(),
                    [](std::uint32_t divisions) { return divisions > 1; });
  }
  void begin_counting_ages() { has_counted_ages = notes_entries = true; }

  /// The limit that the share makes on a device of another size.
  Bytes allowed_on(Bytes total) const { return share_of(fraction, total); }

  /// Null where no such pool exists. A pool without users exists until its memory is gone.
  PrivatePool* find_private_pool(PoolId id) const {
    const auto found = private_pools.find(id);
    return found == private_pools.end() ? nullptr : found->second.get();
  }

  /// Without a branch: whether a request is small cannot be foreseen.
  Pool& half(PoolKind kind) { return halves[static_cast<std::size_t>(kind)]; }
  const Pool& half(PoolKind kind) const { return halves[static_cast<std::size_t>(kind)]; }

  Lane& lane_of(Pool& pool, StreamId stream) {
    if (Lane* lane = pool.find_lane(stream)) [[likely]]
      return *lane;
    return open_lane(pool, stream);
  }
  [[gnu::noinline]] Lane& open_lane(Pool& pool, StreamId stream) {
    check(lanes.size() < largest_lane_count, "lanes fit into the blocks' 24 bits");
    Lane& lane = pool.add_lane(stream, static_cast<LaneIndex>(lanes.size()));
    lanes.push_back(&lane);
    listeners.lane_opened(lane);
    return lane;
  }
  Lane& lane_of(const Block& block) const { return (*this)[block.lane()]; }
  Lane& operator[](LaneIndex index) const { return *lanes[static_cast<std::uint32_t>(index)]; }

  /// One block that covers a segment just got, in no set yet.
  BlockIndex create_segment(const Segment& segment) {
    const BlockIndex whole = blocks.create();
    if (version.among_same_size == AmongSameSize::oldest_segment) [[unlikely]]
      blocks.notes(whole).rank = last_rank(segment);
    const SegmentIndex index = segments.create(segment);
    segments[index].first = whole;
    blocks[whole] = Block(segment.base, segment.size, index, segment.lane);
    if (segment.is_expandable) blocks[whole].set_expandable();
    return whole;
  }
  /// The rank that puts a segment above all earlier ones.
  std::uint64_t last_rank(const Segment& segment);
  /// Closes the gaps of segments that are gone; the order stays.
  void rank_again();
  /// Requires: the block covers its segment and is in no set.
  void destroy_segment(BlockIndex whole) {
    segments.destroy(blocks[whole].segment());
    blocks.destroy(whole);
  }

  void enter_free_set(BlockIndex index) {
    blocks[index].set_use(BlockUse::free);
    enter_free_set(lane_of(blocks[index]), index);
  }
  /// Requires: the block's use says that it is free, and the lane is its own.
  void enter_free_set(Lane& lane, BlockIndex index) {
    lane.free.insert(blocks[index].size(), place_of_entry(lane, index), index);
  }
  /// In place of the block that stands there.
  void enter_free_set_at(FreeBlocks::Cursor place, Lane& lane, BlockIndex index) {
    lane.free.replace_at(place, blocks[index].size(), place_of_entry(lane, index), index);
  }
  FreeBlocks::Cursor place_in_free_set(const Lane& lane, BlockIndex index) const {
    return lane.free.place_of(blocks[index].size(), place_among_same_size(index), index);
  }
  void leave_free_set(BlockIndex index) {
    Lane& lane = lane_of(blocks[index]);
    lane.free.remove_at(place_in_free_set(lane, index));
  }
  /// The key that orders free blocks of one size: an address, or a rank in its place.
  Address place_among_same_size(BlockIndex index) const {
    if (is_ordered_by_address) [[likely]]
      return blocks[index].address;
    const std::uint64_t rank = blocks.notes(index).rank;
    if (version.among_same_size == AmongSameSize::oldest_block)
      return Address{rank * minimum_block.count};
    return Address{blocks[index].address.value + rank};
  }
  /// The same key for a block that becomes free now.
  Address place_of_entry(const Lane& lane, BlockIndex index) {
    if (!notes_entries) [[likely]]
      return blocks[index].address;
    if (has_counted_ages) blocks.notes(index).lookup_stamp = lane.pool->lookup_count;
    return place_among_same_size(index);
  }

  void enter_unmapped_set(BlockIndex index) {
    Block& block = blocks[index];
    block.set_use(BlockUse::unmapped);
    lane_of(block).unmapped.insert(block.address, index);
  }

  /// None where no live block starts there.
  BlockIndex live_at(Address address) const { return live.find(address, blocks); }

  BlockFact fact_of(const Block& block) const {
    return {block.address, block.size(), block.requested, lane_of(block)};
  }

  bool has_use(BlockIndex index, BlockUse use) const {
    return index != BlockIndex::none && blocks[index].use() == use;
  }
  /// Whether the neighbour of a block that is not free itself is free. The block stands for a
  /// neighbour that is missing, so that there is one branch and not two.
  bool is_free_before(BlockIndex index) const {
    const Block& block = blocks[index];
    return blocks[block.previous_or(index)].use() == BlockUse::free;
  }
  bool is_free_after(BlockIndex index) const {
    const Block& block = blocks[index];
    return blocks[block.next == BlockIndex::none ? index : block.next].use() == BlockUse::free;
  }
};

template <class L>
std::uint64_t Core<L>::last_rank(const Segment& segment) {
  // Places of segments that are gone are not used again, until there are no more.
  if (end_of_ranks + segment.size > highest_address) [[unlikely]]
    rank_again();
  const Address place = end_of_ranks;
  end_of_ranks = place + segment.size;
  return place.value - segment.base.value;
}

template <class L>
void Core<L>::rank_again() {
  std::map<Address, const Segment*> by_rank;
  for (const auto& [base, index] : segments.by_address()) {
    const Segment& segment = segments[index];
    by_rank.emplace(Address{base.value + blocks.notes(segment.first).rank}, &segment);
  }
  std::vector<std::pair<Lane*, BlockIndex>> free;
  for (Lane* const lane : lanes)
    while (lane != nullptr && !lane->free.is_empty()) {
      free.emplace_back(lane, lane->free.block_at(lane->free.last()));
      lane->free.remove_at(lane->free.last());
    }
  end_of_ranks = {};
  for (const auto& [place, segment] : by_rank) {
    const std::uint64_t rank = last_rank(*segment);
    for (BlockIndex i = segment->first; i != BlockIndex::none; i = blocks[i].next)
      blocks.notes(i).rank = rank;
  }
  for (const auto& [lane, index] : free)
    lane->free.insert(blocks[index].size(), place_among_same_size(index), index);
}

inline Oversize oversize_of(Bytes size, const Settings& settings) {
  return size >= settings.max_split_size ? Oversize::yes : Oversize::no;
}

}  // namespace vramlab::allocator
