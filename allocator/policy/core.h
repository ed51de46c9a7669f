// Core: the state that all rules work on, with the few moves that keep it whole: into the free set,
// out of it, and opening a stream's lane. What the rules do with it is in the files above this one.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "allocator/listeners/listeners.h"
#include "allocator/options/settings.h"
#include "allocator/options/size_margin.h"
#include "allocator/shapes/address_map.h"
#include "allocator/shapes/block_arena.h"
#include "allocator/shapes/block_chain.h"
#include "allocator/shapes/pool.h"
#include "allocator/shapes/segment.h"
#include "allocator/shapes/stream_uses.h"
#include "allocator/words/check.h"
#include "allocator/words/device.h"
#include "allocator/words/reference_version.h"

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
  Bytes device_total;
  Settings settings;
  /// Empty until a memory fraction limits the allocator.
  std::optional<Bytes> allowed;
  /// What share `allowed` is.
  double fraction = 1;
  Bytes reserved;
  /// Asked of the device right now. A device may let other requests in while it is asked; limits
  /// hold for all of them together.
  Bytes being_asked_for;

  BlockArena blocks;
  SegmentTable segments;
  BlockChain chain{blocks, segments};
  AddressMap live{blocks};
  StreamUsesTable uses;
  Pool small{default_pool, PoolKind::small};
  Pool large{default_pool, PoolKind::large};
  std::map<PoolId, std::unique_ptr<PrivatePool>> private_pools;
  /// By index; null once a lane's pool is gone.
  std::vector<Lane*> lanes;
  /// Until ages are counted for the first time, every stamp is 0 and none needs writing.
  bool has_counted_ages = false;
  /// Also noted by what only looks.
  mutable SizeMargin margin;
  L listeners;

  /// Ages are counted and garbage is collected only with a limit and a threshold.
  bool collects_garbage() const {
    return allowed.has_value() && settings.garbage_collection_threshold > 0;
  }

  /// The limit that the share makes on a device of another size.
  Bytes allowed_on(Bytes total) const { return share_of(fraction, total); }

  /// A private pool that nobody uses any more is there until its memory is gone.
  PrivatePool* find_private_pool(PoolId id) const {
    const auto found = private_pools.find(id);
    return found == private_pools.end() ? nullptr : found->second.get();
  }

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
    const SegmentIndex index = segments.create(segment);
    segments[index].first = whole;
    blocks[whole] = Block(segment.base, segment.size, index, segment.lane);
    if (segment.is_expandable) blocks[whole].set_expandable();
    return whole;
  }
  /// Requires: the block covers its segment and is in no set.
  void destroy_segment(BlockIndex whole) {
    segments.destroy(blocks[whole].segment());
    blocks.destroy(whole);
  }

  void enter_free_set(BlockIndex index) {
    Block& block = blocks[index];
    Lane& lane = lane_of(block);
    block.set_use(BlockUse::free);
    if (has_counted_ages) [[unlikely]]
      blocks.notes(index).lookup_stamp = lane.pool->lookup_count;
    lane.free.insert(block.size(), block.address, index);
  }
  void leave_free_set(const Block& block) {
    lane_of(block).free.remove(block.size(), block.address);
  }

  void enter_unmapped_set(BlockIndex index) {
    Block& block = blocks[index];
    block.set_use(BlockUse::unmapped);
    lane_of(block).unmapped.insert(block.address, index);
  }

  BlockFact fact_of(const Block& block) const {
    return {block.address, block.size(), block.requested, lane_of(block)};
  }

  bool has_use(BlockIndex index, BlockUse use) const {
    return index != BlockIndex::none && blocks[index].use() == use;
  }
};

inline Oversize oversize_of(Bytes size, const Settings& settings) {
  return size >= settings.max_split_size ? Oversize::yes : Oversize::no;
}

}  // namespace vramlab::allocator
